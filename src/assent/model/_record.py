"""What the store keeps: questions, rulings, grants, effects and the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from assent.model._call import ToolCall
from assent.model._decision import ApprovalDecision, Outcome, Scope
from assent.model._frozen import canonical, canonical_call, digest, freeze
from assent.model._preview import Preview
from assent.model._verdict import ApprovalRequest, Wider

PendingId = NewType("PendingId", str)
GrantId = NewType("GrantId", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A question on the desk: all that an approver sees."""

    id: PendingId
    call: ToolCall
    request: ApprovalRequest
    preview: Preview
    digest: str
    created: float
    expires: float | None = None
    """When it expires unanswered; never, if nothing is said."""

    @property
    def group_id(self) -> str | None:
        """The batch it belongs to: the tool's word, else the call's."""
        return self.request.group_id or self.call.group_id


def pending_id(call: ToolCall) -> PendingId:
    """The same question for the same run and call id, in every process."""
    return PendingId(digest((call.run, call.id))[:32])


def operation(call: ToolCall, request: ApprovalRequest) -> str:
    """What a remembered answer is filed under: the tool and the fingerprint."""
    return canonical_call(call.tool_name, request.fingerprint or request.same(call))


def wider_operation(wider: Wider) -> str:
    """The same for a larger set of operations, whichever tool; never the name of a single one."""
    return canonical(("wider", wider.name, wider.fingerprint))


def operations(call: ToolCall, request: ApprovalRequest) -> Iterator[str]:
    """Everything an answer to this question may be filed under, narrowest first."""
    yield operation(call, request)
    yield from map(wider_operation, request.wider)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """How a question ended, by whom and when."""

    pending: PendingId
    outcome: Outcome
    by: str
    at: float
    decision: ApprovalDecision | None = None
    """The person's own words; none if time, a crash or the caller ended it."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A remembered answer; `allow=False` is a remembered refusal."""

    id: GrantId
    operation: str
    tool_name: str
    description: str
    allow: bool
    scope: Scope
    run: str | None
    """The run it ends with; none if it stands until revoked."""
    agents: tuple[str, ...] | None
    """The chain of agents it holds for; none for all of them."""
    by: str
    at: float
    note: str = ""
    pattern: str = ""
    """What it covers, as a person would write it down; nothing, where it covers one operation."""
    expires: float | None = None
    """When it ends by itself; none if it does not."""
    calls: int | None = None
    """How many more calls it lets through; none if it does not count."""

    def holds_for(self, call: ToolCall, at: float) -> bool:
        """Whether its run, its agents and its time are those of the call."""
        return (
            self.run in (None, call.run)
            and self.agents in (None, call.agents)
            and (self.expires is None or at < self.expires)
        )


class EffectState(StrEnum):
    """How far the running of an approved call got."""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """It was started and nobody saw it end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The one run an approval was good for."""

    pending: PendingId
    state: EffectState
    started: float
    ended: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A person stopped a run."""

    by: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run in which somebody was asked."""

    id: str
    started: float
    """When its first question was asked."""
    ended: float | None
    stopped: Stop | None
    agents: tuple[str, ...]
    """The chain of agents of its latest question."""
    asked: int
    """How many questions it has asked."""
    waiting: int
    """How many of them wait for an answer."""
    running: int
    """How many approved calls run now, as far as the record knows."""
    unknown: int
    """How many approved calls have an unknown end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """Which calls of a run were asked about, and whether a person stopped it."""

    calls: Mapping[str, PendingId]
    """The question each call id was asked in."""
    stopped: Stop | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """All that is known of a call that was asked about before."""

    pending: Pending
    ruling: Ruling | None = None
    effect: Effect | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One link of the journal's hash chain."""

    seq: int
    kind: str
    at: float
    run: str
    body: Mapping[str, object]
    previous: str
    hash: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "body", freeze(self.body, "journal"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The first place where the journal is not what was written."""

    seq: int
    reason: str
