"""What happens in a run, as it happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from assent.agent._usage import Usage

Status = Literal["success", "max_tokens", "refusal", "stopped", "cancelled", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    agents: tuple[str, ...] = ()
    """The chain of sub-agents it happens in, outermost first; empty for the agent itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(_Event):
    """A few more characters of the model's text; the whole of it follows as `Text`."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta(_Event):
    """A few more characters of what the model thinks."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Event):
    """A text of the model, complete."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBegun(_Event):
    """The model has begun to write a call."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDelta(_Event):
    """A few more characters of a call's arguments."""

    id: str
    json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse(_Event):
    """A call, complete: from now on it is judged, and a person may be asked."""

    id: str
    name: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput(_Event):
    """Something more that a running command wrote; all of it is in the `ToolResult` that follows."""

    tool_use_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(_Event):
    """What the model is told became of a call."""

    tool_use_id: str
    content: str
    is_error: bool
    code: str = ""
    """The kind of refusal or failure; empty if it went well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded(_Event):
    """What streamed since the last complete turn is void: the turn failed and is asked for again."""

    reason: str
    attempt: int
    """Which attempt failed, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(_Event):
    """How a run ended; the last event of every run."""

    status: Status
    message: str
    """What to tell a person about it."""
    text: str = ""
    """The model's last words."""
    usage: Usage
    cost: float | None = None
    """In the currency of `agent.prices`; None where there are none."""
    conversation: str
    """What to name in order to go on with it."""
    refused: int = 0
    """How many calls a rule, a mode or a person refused."""

    @property
    def succeeded(self) -> bool:
        """Whether the model came to its own end."""
        return self.status == "success"


Event = (
    TextDelta
    | ThinkingDelta
    | Text
    | ToolBegun
    | ToolDelta
    | ToolUse
    | ToolOutput
    | ToolResult
    | Superseded
    | RunResult
)
Emit = Callable[[Event], Awaitable[None]]
