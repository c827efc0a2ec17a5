"""The seams: what the gate needs of tools, of people and of the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from assent.model._call import ToolCall
from assent.model._decision import ApprovalDecision
from assent.model._permit import Permit
from assent.model._preview import Preview
from assent.model._record import (
    Asked,
    Broken,
    EffectState,
    Grant,
    GrantId,
    JournalEntry,
    Pending,
    PendingId,
    Ruling,
    Run,
    RunHistory,
)
from assent.model._verdict import ApprovalRequest, Verdict

Clock = Callable[[], float]
"""Seconds since 1970, UTC."""


class Policy(Protocol):
    """All the gate needs of a tool, ours or anyone's."""

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        """None allows, an `ApprovalRequest` asks, `PermissionError` denies; no side effects."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """A policy that must look around first: at the disk, or at another program."""

    async def prepare(self, call: ToolCall, /) -> None:
        """Called before every `check_approval`, which waits for nothing."""
        ...


@runtime_checkable
class Previews(Protocol):
    """A policy that draws what would happen; asked only when a person must look."""

    async def preview(self, call: ToolCall, /) -> Preview:
        """What is shown, and what it was drawn from."""
        ...


@runtime_checkable
class Validates(Protocol):
    """A policy that knows which arguments fit; edited ones pass here before they are judged."""

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """The arguments as they would run; raises if they do not fit."""
        ...


@runtime_checkable
class Narrows(Protocol):
    """A policy that can do a part of what a call asks for."""

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        """The arguments for these of the hunks that were shown, counted from 0.

        Raises:
            ToolError: there are no such hunks, or they are not what was shown any more.
        """
        ...


@runtime_checkable
class Tool(Policy, Protocol):
    """A policy that can also do it."""

    @property
    def name(self) -> str:
        """What the model calls it."""
        ...

    async def run(self, permit: Permit, /) -> object:
        """Do exactly what was permitted, or raise `ToolError`."""
        ...


class Approver(Protocol):
    """Somebody who answers; sees whole batches and answers every item.

    It has a thread and an event loop of its own, so it may block, as a person at a terminal does. One
    that never does says `blocks = False`: it is asked on the loop of the call, several times at once if
    several calls wait.

    One that can answer some calls without any waiting may have `at_once(pending)`, which gives the same
    answer as `decide` would, or None. It is a shortcut, asked in the thread of the call: not every
    question comes by it, those of a group never do.
    """

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        """An answer for each question, by its id."""
        ...


class Clerk(Protocol):
    """Whom an approver may ask for more than the question itself says."""

    def content(self, pending: Pending, sha256: str, /) -> bytes | None:
        """The whole of a version that the question speaks of; None if it is not at hand."""
        ...

    def covered(self, grant: Grant, /, *, last: int) -> tuple[int, int]:
        """How many of the last questions this would have answered, and of how many."""
        ...

    async def redraw(self, pending: Pending, args: Mapping[str, object], /) -> Pending | None:
        """The question as it would be with other arguments; None where only its run can tell.

        Raises:
            Refused: they are denied, or do not fit.
            ToolError: it could not work.
        """
        ...


@runtime_checkable
class Reviews(Protocol):
    """An approver that looks closer; it is asked this way where a clerk is at hand."""

    async def review(self, batch: Sequence[Pending], clerk: Clerk, /) -> Mapping[PendingId, ApprovalDecision]:
        """As `Approver.decide`."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """A policy with one answer for every call."""

    verdict: Verdict

    def check_approval(self, _call: ToolCall, /) -> Verdict:
        """The same verdict, always."""
        return self.verdict


class Store(Protocol):
    """The durable record: one truth for every process that opens it."""

    @property
    def shared(self) -> bool:
        """Whether another process could read this desk and answer."""
        ...

    def note(self, kind: str, at: float, call: ToolCall, why: str, request: ApprovalRequest | None = None, /) -> None:
        """Queue a journal entry about a call nobody is asked about; written within 50 ms."""
        ...

    def park(self, pendings: Sequence[Pending], /) -> Sequence[Pending]:
        """Put questions on the desk, and return them as they stand: one already there stays."""
        ...

    def history(self, run: str, /) -> RunHistory:
        """Which calls of the run were asked about; answered from memory, as every call needs it."""
        ...

    def asked(self, pending: PendingId, /) -> Asked | None:
        """All that is known of a question: how it ended and what became of it."""
        ...

    def desk(self) -> Sequence[Pending]:
        """Every question that waits for an answer, oldest first."""
        ...

    def recent(self, last: int, /, *, before: PendingId | None = None) -> Sequence[Asked]:
        """The last questions, newest first, and what became of them; the last ones before that one, if named."""
        ...

    def content(self, pending: PendingId, sha256: str, /) -> bytes | None:
        """The whole of a version that a waiting question speaks of; None once it has ended."""
        ...

    def ruling(self, pending: PendingId, /) -> Ruling | None:
        """How the question ended; None while it waits."""
        ...

    def decide(self, ruling: Ruling, /, *, grant: Grant | None = None, starts: bool = False) -> None:
        """Record the end of a question and what is remembered of it, durably.

        Where the approved call `starts` right after, both are durable with its start, before the tool
        runs; within 50 ms, if it does not start after all.

        Raises:
            AlreadyDecided: another answer was first, and stands.
            UnknownPending: there is no such question.
        """
        ...

    def decide_all(self, answers: Sequence[tuple[Ruling, Grant | None]], /) -> Sequence[Ruling | None]:
        """As `decide`, all of them or none; for each, the end that was first and stands, if there was one."""
        ...

    def expire(self, now: float, /) -> bool:
        """End every question whose time is over; whether there was one."""
        ...

    def remember(self, grant: Grant, /, *, of: PendingId | None = None) -> bool:
        """Add a remembered answer, durably; of a question, once. Whether it was added."""
        ...

    def remembered(self, call: ToolCall, request: ApprovalRequest, at: float, /) -> Grant | None:
        """What was remembered for the operation or anything wider; a refusal before a grant."""
        ...

    def grants(self) -> Sequence[Grant]:
        """Every remembered answer that nobody revoked; the time of one may be over."""
        ...

    def use(self, grant: GrantId, at: float, /) -> bool:
        """Count a call that a counting grant lets through; False if it lets no more through."""
        ...

    def revoke(self, grant: GrantId, /, *, by: str, at: float) -> bool:
        """Forget a remembered answer; False if it did not stand."""
        ...

    def start(self, pending: PendingId, at: float, /, *, permit: Permit | None = None, again: bool = False) -> None:
        """Record durably that the approved call starts; what is run is the permit's, else what was asked about.

        Raises:
            AlreadySpent: it was started before, and not `again` after an unknown end.
            Stopped: a person stopped the run meanwhile.
            StoreFailed: no approval of it is on the record.
        """
        ...

    def start_at_once(self, pending: Pending, ruling: Ruling, /, *, permit: Permit) -> bool:
        """Record a question, the approval it had at once and the start of its call, durably and in one step.

        False, and nothing is written, where it cannot be so: it was asked before, its run was stopped, its
        time is over.
        """
        ...

    def finish(self, pending: PendingId, state: EffectState, at: float, /, *, detail: str = "") -> None:
        """Record how the call ended; lost with the power, it reads unknown, never as not run."""
        ...

    def end_run(self, run: str, at: float, /, *, goes_on: bool = False) -> None:
        """Forget what was remembered for this run only; of a conversation that goes on, a person's stop too."""
        ...

    def stop_run(self, run: str, /, *, by: str, at: float) -> bool:
        """End every question of the run and refuse its later calls; False if nobody knows the run."""
        ...

    def resume_run(self, run: str, /, *, by: str, at: float) -> bool:
        """Let a stopped run go on; False if it was not stopped."""
        ...

    def runs(self) -> Sequence[Run]:
        """Every run in which somebody was asked, the latest first."""
        ...

    def version(self) -> object:
        """A value that differs once anybody wrote."""
        ...

    def journal(self, *, after: int = 0, limit: int | None = None) -> Iterator[JournalEntry]:
        """The journal behind this entry, oldest first: all of it, or so many entries."""
        ...

    def verify(self) -> Broken | None:
        """None if the journal is whole, else the first entry that is not."""
        ...

    def close(self) -> None:
        """Write what is queued and let go of the file."""
        ...
