"""The seam to a model: what it is asked, and the pieces in which it answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from assent.agent._usage import Usage
from assent.errors import AssentError

Block = Mapping[str, object]
"""A content block as the Messages API spells it."""
Message = Mapping[str, object]
"""A message as the Messages API spells it: `role` and `content`."""


def blocks_of(message: Message) -> Sequence[Block]:
    """The blocks of a message; none, where its content is plain text."""
    content = message["content"]
    return cast("Sequence[Block]", content) if isinstance(content, (list, tuple)) else ()


def spellable(text: str) -> str:
    """The same text where UTF-8 can spell it; half a character, as a file name may hold, is spelled out.

    One that cannot be sent would make every request fail that follows it in its conversation.
    """
    return text.encode(errors="backslashreplace").decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """All that a model is told."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[Block]
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedCall:
    """A call the model has finished writing."""

    id: str
    name: str
    args: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A few more characters of text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    """A few more characters of thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class TextDone:
    """A text, complete."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBegun:
    """The model starts to write a call."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPiece:
    """A few more characters of a call's arguments."""

    id: str
    json: str


@dataclass(frozen=True, slots=True)
class CallDone:
    """A call, complete; it may be judged and asked about, and not run yet."""

    call: WantedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The whole turn, as the last piece; nothing before it may be trusted to have happened."""

    content: Sequence[Block]
    """What goes back to the model unchanged."""
    stop_reason: str
    calls: tuple[WantedCall, ...]
    broken: tuple[str, ...] = ()
    """The tools that were called with arguments nobody can read."""
    usage: Usage


Piece = TextPiece | ThinkingPiece | TextDone | CallBegun | CallPiece | CallDone | Answer


class ModelFailed(AssentError):
    """The model gave no answer that can be trusted; nothing of it was run."""

    code = "model_failed"

    def __init__(self, reason: str, *, again: bool, usage: Usage | None = None) -> None:
        self.again = again
        """Whether the same request may well be answered the next time."""
        self.usage = usage or Usage(requests=1)
        super().__init__(reason)


class Model(Protocol):
    """Whoever answers: the real API, or a stand-in."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def stream(self, request: ModelRequest, /) -> AsyncGenerator[Piece]:
        """The answer in pieces, an `Answer` last.

        Raises:
            ModelFailed: there is none.
        """
        ...

    async def close(self) -> None:
        """Let go of connections; it may be asked again later."""
        ...
