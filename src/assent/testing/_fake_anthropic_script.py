"""What a scripted model says, and how its server fails: the values a script is made of."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

StopReason = Literal[
    "end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded"
]


@dataclass(frozen=True, slots=True)
class Say:
    """Text, streamed a few characters at a time."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """Thinking, with the signature that must come back unchanged."""

    text: str
    signature: str = "signed"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; its id is the server's choice unless one is given."""

    name: str
    args: Mapping[str, object] = field(default_factory=dict[str, object])
    id: str = ""
    text: str | None = None
    """Sent in place of the arguments, as it is: broken or cut JSON."""
    ends: bool = True
    """Whether the block is closed; not, where the stream is cut inside it."""

    @property
    def json(self) -> str:
        """The arguments as they are sent."""
        return json.dumps(dict(self.args)) if self.text is None else self.text


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """An `error` event in the middle of the stream, and the end of it."""

    type: str = "overloaded_error"
    message: str = "Overloaded"


@dataclass(frozen=True, slots=True)
class Cut:
    """The stream ends here, in good order but without `message_stop`."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is lost here."""


@dataclass(frozen=True, slots=True)
class Raw:
    """These bytes, whatever they are, in the middle of the stream."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Hold:
    """The stream stands still until the test sets `event`; `reached` says that it does."""

    event: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Drip:
    """From here on every event is sent byte by byte, with this many seconds in between."""

    seconds: float = 0.0


Step = Say | Think | Call | ErrorEvent | Cut | Drop | Raw | Hold | Drip


@dataclass(frozen=True, slots=True, init=False)
class Turn:
    """One answer of the model: its steps, and why it stops (by default as its steps say)."""

    steps: tuple[Step, ...]
    stop_reason: StopReason | None
    input_tokens: int
    output_tokens: int

    def __init__(
        self,
        *steps: Step,
        stop_reason: StopReason | None = None,
        input_tokens: int = 10,
        output_tokens: int = 5,
    ) -> None:
        calls = any(isinstance(step, Call) for step in steps)
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "stop_reason", stop_reason or ("tool_use" if calls else "end_turn"))
        object.__setattr__(self, "input_tokens", input_tokens)
        object.__setattr__(self, "output_tokens", output_tokens)


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error in place of an answer, such as 429 or 529."""

    code: int
    type: str = "api_error"
    message: str = "scripted"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Page:
    """Something that is no answer of this API, with status 200: what a proxy may send."""

    body: bytes = b"<html>Sign in first</html>"
    content_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class HangUp:
    """The connection is closed without a word."""


Answer = Turn | Status | Page | HangUp
Scripted = Answer | Callable[[Mapping[str, object]], Answer]
"""An answer, or a function that makes one from the body of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    """By their names in small letters."""
    body: Mapping[str, object]
