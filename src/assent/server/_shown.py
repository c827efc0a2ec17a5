"""What the HTTP API answers about what a question shows, and about its past."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from assent.diff import Block, Line, Page
from assent.model import Shown, freeze, wire

_STRICT: Final = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The blocks of a change; a block's place is its number in `hunks`."""

    blocks: tuple[Block, ...]
    narrows: bool
    """Whether some of them can be approved without the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLines:
    """Lines of a whole version of a file."""

    path: str
    rows: tuple[Line, ...]
    offset: int
    total: int
    ends_with_newline: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WouldAlso:
    """What an answer would have covered, had it stood all the time."""

    of: int
    """How many of the last questions have ended."""
    matches: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """Something an answer may be remembered for."""

    index: int
    name: str
    """What to give as `covers`; empty for the operation itself."""
    label: str
    pattern: str
    would_also: WouldAlso


@dataclass(frozen=True, slots=True, kw_only=True)
class WiderAnswers:
    """All that an answer may be remembered for, narrowest first."""

    wider: tuple[Covered, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """The JSON Schema of a tool's arguments; none where the tool is in another process."""

    schema: Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Other arguments for a question, and the digest of what was seen of it."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    digest: str
    args: Mapping[str, object]

    def __post_init__(self) -> None:
        object.__setattr__(self, "args", freeze(self.args, "args"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Redraw:
    """A question with other arguments: judged, and drawn where it could run."""

    verdict: Literal["allow", "ask", "deny"]
    reason: str
    problem: str | None = None
    """What is wrong with the arguments, or why nobody here can tell."""
    digest: str | None = None
    """Names exactly what is shown; an approval may name it as `redrawn`."""
    message: Mapping[str, object] | None = None
    """As the WebSocket would send it."""
    presentation: Shown | None = None
    """As `pending.preview.presentation` of a question has it."""
    wider: tuple[Covered, ...] = ()
    """What an approval of it may be remembered for; nothing, if nobody would be asked about it."""
    rows: Page | None = None
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDecision:
    """How a question ended."""

    kind: str
    """The person's answer (approve, reject, respond); where there was none, the outcome."""
    outcome: str
    note: str
    by: str
    at: float
    scope: str | None = None
    hunks: tuple[int, ...] | None = None
    """Which blocks were approved, counted from 0; none where it was all or nothing."""
    of: int | None = None
    """How many blocks there were to choose from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """How far the running of it got."""

    state: str
    at: float
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A question and what became of it."""

    id: str
    tool_name: str
    description: str
    run: str
    agents: tuple[str, ...]
    created: float
    proposed: Mapping[str, object]
    approved: Mapping[str, object] | None
    """The arguments that were approved; none where they were not, or only some `hunks` of what they do."""
    decision: PastDecision | None
    executed: Executed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Questions, the latest first."""

    items: tuple[Past, ...]
    next: str | None
    """What to give as `before` for those that came before; none if these were the first."""


def read_edit(body: bytes) -> Edit:
    """The edit in the body of a request.

    Raises:
        pydantic.ValidationError: it is none.
    """
    return wire.load(Edit, body)
