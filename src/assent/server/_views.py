"""What the HTTP API answers: our values, and how long they still stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import Field

from assent.model import ApprovalDecision, Grant, JournalEntry, Pending, Ruling, Run, wire
from assent.server.messages import PermissionMode, request_id, shown_digest

_STRICT: Final = {"extra": "forbid", "strict": True}
_EXACT: Final = {"extra": "forbid"}
MOST_ANSWERS: Final = 200
PendingName = Annotated[str, Field(max_length=64)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something was not done; the message says why and what to do."""

    error: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A question in the list."""

    id: str
    request_id: str
    digest: str
    """What an answer must name: exactly what was seen."""
    tool_name: str
    description: str
    reason: str
    run: str
    agents: tuple[str, ...]
    group_id: str | None
    created: float
    expires: float | None
    seconds_left: float | None
    """How long it still waits, as the server's clock has it; none if it waits without end."""
    presentation: str
    """The type of what is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """What waits, oldest first."""

    now: float
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """All of a question, and how it ended."""

    item: Item
    pending: Pending
    message: Mapping[str, object]
    """The same as the WebSocket sends it."""
    ruling: Ruling | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An answer, and the digest of what was seen; whose it is, the server knows."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    digest: str
    decision: ApprovalDecision
    redrawn: str | None = None
    """With other arguments: the digest of how they were drawn, if that was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDecision:
    """One answer of several."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    id: PendingName
    digest: str
    decision: ApprovalDecision
    redrawn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Answers to several questions, each with the digest of what was seen of it."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    answers: Annotated[tuple[ItemDecision, ...], Field(min_length=1, max_length=MOST_ANSWERS)]

    def __post_init__(self) -> None:
        if len({each.id for each in self.answers}) < len(self.answers):
            message = "a question is answered twice; give one answer for each"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """How the question ended."""

    ruling: Ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDecided:
    """What came of one answer of several: the ruling, or why it does not count."""

    id: str
    status: int
    """As it would have been alone: 200, 404, 409, 422."""
    ruling: Ruling | None = None
    error: str | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllDecided:
    """What came of each, in the order in which they were sent."""

    results: tuple[ItemDecided, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """What is remembered, oldest first."""

    grants: tuple[Grant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """Some entries of the journal, oldest first."""

    entries: tuple[JournalEntry, ...]
    next: int | None
    """What to give as `after` for the entries that follow; none if these were the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Whether the journal is what was written."""

    whole: bool
    broken_at: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Every run in which somebody was asked, the latest first."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """It was done."""

    done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Trade this for a session."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _EXACT

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLink:
    """A link that is good once."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Who you are here, and what this server allows."""

    name: str
    permission_modes: Mapping[PermissionMode, str]
    allow_bypass: bool
    running: bool


def item(pending: Pending, now: float) -> Item:
    """The question as it stands in the list."""
    return Item(
        id=pending.id,
        request_id=request_id(pending),
        digest=shown_digest(pending),
        tool_name=pending.call.tool_name,
        description=pending.request.description,
        reason=pending.request.reason,
        run=pending.call.run,
        agents=pending.call.agents,
        group_id=pending.group_id,
        created=pending.created,
        expires=pending.expires,
        seconds_left=None if pending.expires is None else max(0.0, pending.expires - now),
        presentation=pending.preview.presentation.type,
    )


def read_decision(body: bytes) -> Decision:
    """The answer in the body of a request.

    Raises:
        pydantic.ValidationError: it is no answer.
    """
    return wire.load(Decision, body)


def read_decisions(body: bytes) -> Decisions:
    """The answers in the body of a request.

    Raises:
        pydantic.ValidationError: they are none, or one question has two.
    """
    return wire.load(Decisions, body)
