"""The gate: every call is judged, asked about, settled and spent here."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, ParamSpec, Self, TypeVar

from assent.config import Mode
from assent.errors import (
    AlreadyDecided,
    AlreadySpent,
    AssentError,
    ConflictingCall,
    GateFailed,
    OutcomeUnknown,
    Refused,
    StoreFailed,
    ToolError,
    UnknownPending,
)
from assent.gate._answers import answer_all, answer_of, remember_later
from assent.gate._bridge import run_sync
from assent.gate._clerk import GateClerk
from assent.gate._desk import Desk, Given
from assent.gate._intake import Intake
from assent.gate._judge import Judge
from assent.gate._options import Timeout, check_options, check_parts, check_timeout, default_store
from assent.gate._rulings import refusal
from assent.gate._settle import on_the_desk, stand
from assent.gate._spend import Spender, Spending
from assent.gate._wrap import wrap
from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Approver,
    Asked,
    Clock,
    EffectState,
    Outcome,
    Pending,
    PendingId,
    Permit,
    Policy,
    Reject,
    Ruling,
    Store,
    ToolCall,
)

if TYPE_CHECKING:
    from assent.config import Settings

P = ParamSpec("P")
R = TypeVar("R")

_GONE: Final = "the caller stopped waiting"


class Gate:
    """Decides about every call: safe from any thread and any event loop.

    `interactive` asks; `approve_all` approves what would ask; `strict` denies what would ask.
    What a policy denies stays denied in every mode. Without a store, the record is kept in the
    user's state directory.

    A call that asks waits for the first answer: the approver's, or anybody's who opens the same record
    (`assent inbox`, `assent serve`). Without an approver only they can answer, and it waits for them.
    After `timeout` seconds (None: never) it is refused with `Expired`. Where a framework parks the
    question and ends, it stays on the desk for `park_timeout` seconds.

    `with Gate(…) as gate` closes it at the end, and its store.
    """

    def __init__(
        self,
        *,
        approver: Approver | None = None,
        store: Store | None = None,
        mode: Mode = "interactive",
        timeout: float | None = 300.0,
        park_timeout: float | None = None,
        clock: Clock = time.time,
        clerk: GateClerk | None = None,
    ) -> None:
        check_options(mode, timeout, park_timeout)
        check_parts(approver, store)
        self.store: Store = store if store is not None else default_store()
        """The record; other processes may have it open too."""
        self.timeout = timeout
        self.park_timeout = park_timeout
        self.run: str = secrets.token_hex(8)
        """The run that calls belong to which name none."""
        self._approver = approver
        self._clock = clock
        self.spender: Spender = Spender(self.store, clock)
        """Who lets each permit be spent once; `spend` and `execute` ask it."""
        self._judge = Judge(self.store, clock, mode)
        self.clerk: GateClerk = GateClerk(self.store, self._judge) if clerk is None else clerk
        """Who knows more of the questions than they say; gates of several modes may share one."""
        self._desk = Desk(self.store, clock, approver, clerk=self.clerk, post=self._post, reconsider=self._reconsider)
        remember = partial(remember_later, store=self.store, desk=self._desk)
        self._stand = partial(stand, judge=self._judge, remember=remember, seen=self.clerk.seen)
        self._intake = Intake(
            self.store, clock, judge=self._judge, clerk=self.clerk, desk=self._desk, stand=self._stand
        )

    @classmethod
    def from_settings(cls, settings: Settings, *, approver: Approver | None = None) -> Gate:
        """A gate as `assent.yaml` wants it."""
        from assent.store import SQLiteStore

        approvals = settings.approvals
        return cls(
            approver=approver,
            store=SQLiteStore(settings.store),
            mode=approvals.mode,
            timeout=approvals.timeout,
            park_timeout=approvals.park_timeout,
        )

    @property
    def mode(self) -> Mode:
        """What happens to a call that would ask."""
        return self._judge.mode

    # The four primitives

    async def judge(self, call: ToolCall, policy: Policy, *, timeout: Timeout = "default") -> Permit | Pending:
        """A permit, or the question that a person must answer first.

        Raises:
            Refused: policy, mode, a remembered refusal or an earlier answer says no.
            ToolError: it could not work, so nobody is asked.
        """
        if hasattr(policy, "prepare"):
            await self._judge.prepare(call, policy)
        ruled = self._judge.rule(call, policy)
        return ruled if isinstance(ruled, Permit) else (await self._look_closer(ruled, call, policy, timeout))[0]

    async def ask(self, pending: Pending) -> ApprovalDecision:
        """Wait for the first answer, wherever it is given.

        Raises:
            Refused: the question ended without a person's answer.
        """
        (answer,) = await self.ask_all([pending])
        if isinstance(answer, Refused):
            raise answer
        return answer

    async def ask_all(self, pendings: Sequence[Pending], *, cancel: bool = False) -> list[ApprovalDecision | Refused]:
        """Ask about several calls at once, as one batch; each has its own answer.

        Whoever stops waiting leaves the questions on the desk, or with `cancel` takes them back.
        """
        return [
            refusal(ruling, pending.call.tool_name) if ruling.decision is None else ruling.decision
            for pending, ruling in zip(pendings, await self._rulings(pendings, cancel=cancel), strict=True)
        ]

    async def settle(self, pending: Pending, decision: ApprovalDecision, policy: Policy) -> Permit:
        """Turn an answer into a permit; edited arguments are judged again.

        Raises:
            AlreadyDecided: another answer was first, and stands.
            Refused: the answer is no, or policy denies what was approved.
        """
        asked = on_the_desk(pending, self.store, ours=self.clerk.knows(pending))
        if asked.ruling is None:
            asked = replace(asked, ruling=self._answer(asked.pending, decision))
        elif asked.ruling.decision != decision:
            raise AlreadyDecided(outcome=asked.ruling.outcome, by=asked.ruling.by, at=asked.ruling.at)
        return await self._stand(asked, policy, asked.pending.call)

    def spend(self, permit: Permit) -> Spending:
        """The time in which the permitted call runs; a permit is spent once."""
        return Spending(permit, self.spender)

    # On top of them

    async def admit(
        self, call: ToolCall, policy: Policy, *, timeout: Timeout = "default", starts: bool = False
    ) -> Permit:
        """Judge, ask and settle in a row.

        Whoever spends the permit before anything else says that it `starts`: an approval that is given
        at once is then written together with the start of the call.

        Raises:
            Refused: the call may not run.
            ToolError: it could not work, so nobody was asked.
        """
        admitted = self.admitting(call, policy, timeout=timeout, starts=starts)
        return admitted if isinstance(admitted, Permit) else await admitted

    def admit_sync(
        self, call: ToolCall, policy: Policy, *, timeout: Timeout = "default", starts: bool = False
    ) -> Permit:
        """`admit` for synchronous code, also inside a running loop."""
        admitted = self.admitting(call, policy, timeout=timeout, starts=starts)
        return admitted if isinstance(admitted, Permit) else run_sync(admitted, abandon=self.spender.abandon)

    def admitting(
        self, call: ToolCall, policy: Policy, *, timeout: Timeout = "default", starts: bool = True
    ) -> Permit | Coroutine[object, object, Permit]:
        """For whoever spends it at once: the permit where nobody must be waited for, else what to await for it."""
        if hasattr(policy, "prepare"):
            return self._admit_prepared(call, policy, timeout)
        ruled = self._judge.rule(call, policy)
        if isinstance(ruled, Permit):
            return ruled
        return self._admit_slowly(ruled, call, policy, timeout, starts=starts)

    def wrap(self, function: Callable[P, R], *, name: str = "", policy: Policy | None = None) -> Callable[P, R]:
        """The function behind this gate: it is called as before, and runs only if the gate agrees.

        Answers are remembered for its `name`; by default that is its own. `policy` judges its calls in
        place of what the function says itself.

        Raises:
            Refused: from each call that does not run, as the function's own errors are.
        """
        return wrap(self, function, name=name, policy=policy)

    def answer(self, pending: PendingId, decision: ApprovalDecision, *, drawn: str | None = None) -> None:
        """Answer a question on the desk, from any process that shares the store.

        `drawn` names the drawing of an edited call that the clerk has pinned: it runs as drawn, or not at all.

        Raises:
            AlreadyDecided: another answer was first, and stands.
            UnknownPending: there is no such question.
        """
        asked = self.store.asked(pending)
        if asked is None:
            raise UnknownPending(pending)
        self._answer(asked.pending, decision, drawn=drawn)

    def answer_all(
        self, decisions: Mapping[PendingId, ApprovalDecision], *, drawn: Mapping[PendingId, str] | None = None
    ) -> dict[PendingId, Ruling | AssentError]:
        """Answer several questions, each by itself: how each ended, or why its answer does not count.

        They are written in one step. `drawn` names drawings of edited calls, as in `answer`.
        """
        return answer_all(decisions, self.store, self._desk, at=self._clock(), drawn=drawn or {})

    def _post(self, pending: Pending, decision: ApprovalDecision) -> None:
        """What our own approver answered: who waits for it here knows at once."""
        self._answer(pending, decision, starts=self._desk.starts(pending.id))

    def _answer(
        self, pending: Pending, decision: ApprovalDecision, *, starts: bool = False, drawn: str | None = None
    ) -> Ruling:
        ruling, grant = answer_of(pending, decision, self._clock(), drawn=drawn)
        starts = starts and grant is None and ruling.outcome is Outcome.APPROVED
        self.store.decide(ruling, grant=grant, starts=starts)
        self._desk.ended(ruling)
        if grant is not None or ruling.outcome is Outcome.STOPPED:
            self._desk.look()
        return ruling

    def hand_over(self, permit: Permit, *, to: str) -> None:
        """Spend a permit on a call that somebody else runs, whose end will not be seen here."""
        self.spend(permit).__enter__()
        if permit.answered is not None:
            detail = f"handed over to {to}"
            self.store.finish(permit.answered.pending, EffectState.UNKNOWN, self._clock(), detail=detail)

    def end(self, run: str, *, goes_on: bool = False) -> None:
        """The run is over: what was remembered for it alone is forgotten.

        A person's stop holds: others may work in it. Where a conversation `goes_on` later, the stop was for this turn.
        """
        self.store.end_run(run, self._clock(), goes_on=goes_on)

    def withdraw(self, pending: Pending) -> None:
        """Take back a question whose call will not come any more, unless another one here waits for it."""
        if not self._desk.awaits(pending.id):
            self._desk.end(pending, Outcome.CANCELLED, by="caller", detail=_GONE)

    def close(self) -> None:
        """End the gate's own run, write what is queued, and let go of the store."""
        try:
            self.end(self.run)
        finally:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refused(self, call: ToolCall, refusal: Refused | ToolError) -> None:
        """Put a refusal on the record that is neither a policy's nor a person's."""
        if not isinstance(refusal, StoreFailed):
            self.store.note("refused", self._clock(), call, f"{refusal.code}: {refusal}")

    # Asking

    async def _look_closer(
        self, ruled: ApprovalRequest | Asked, call: ToolCall, policy: Policy, timeout: Timeout, *, starts: bool = False
    ) -> tuple[Permit | Pending, Given | None]:
        """A permit or the question; if the call `starts` then, also what the approver said of it at once."""
        seconds = self.timeout if timeout == "default" else timeout
        check_timeout(seconds)
        try:
            if isinstance(ruled, ApprovalRequest):
                if starts:
                    return await self._intake.at_once(call, ruled, policy, seconds)
                return await self._intake.put(call, ruled, policy, seconds), None
            if ruled.ruling is None:
                return await self._remind(ruled, call, policy), None
            return await self._stand(ruled, policy, call), None
        except (AlreadySpent, ConflictingCall, GateFailed, OutcomeUnknown, ToolError) as refusal:
            self.refused(call, refusal)
            raise

    async def _admit_prepared(self, call: ToolCall, policy: Policy, timeout: Timeout) -> Permit:
        await self._judge.prepare(call, policy)
        ruled = self._judge.rule(call, policy)
        return ruled if isinstance(ruled, Permit) else await self._admit_slowly(ruled, call, policy, timeout)

    async def _admit_slowly(
        self, ruled: ApprovalRequest | Asked, call: ToolCall, policy: Policy, timeout: Timeout, *, starts: bool = False
    ) -> Permit:
        judged, given = await self._look_closer(ruled, call, policy, timeout, starts=starts)
        if isinstance(judged, Permit):
            return judged
        (ruling,) = await self._rulings([judged], cancel=True, starts=True, given=given)
        return await self._stand(Asked(pending=judged, ruling=ruling), policy, judged.call)

    async def _remind(self, asked: Asked, call: ToolCall, policy: Policy) -> Permit | Pending:
        """A question that waits, asked again: what was remembered since, or the mode, may answer it."""
        pending = asked.pending
        if call.digest != pending.digest:
            raise ConflictingCall(call.tool_name, call.id)
        self._reconsider(pending)
        if self.mode == "approve_all":
            self._answer_if_open(pending, Approve(by="mode approve_all"))
        else:
            self._judge.by_mode(call, pending.request)
        answered = self.store.asked(pending.id) or asked
        return pending if answered.ruling is None else await self._stand(answered, policy, call)

    async def _rulings(
        self, pendings: Sequence[Pending], *, cancel: bool, starts: bool = False, given: Given | None = None
    ) -> list[Ruling]:
        if self._approver is None and not self.store.shared:
            raise GateFailed(
                "approver", "nobody can be asked: the gate has no approver, and no one else can open its store"
            )
        # Whether our own was answered meanwhile, the desk looks before it shows it, and at every tick.
        known = [
            Asked(pending=each) if self.clerk.knows(each) else on_the_desk(each, self.store, ours=False)
            for each in pendings
        ]
        approver = self._desk.asks_here(pendings)
        here = approver is not None or given is not None
        futures = self._desk.wait_for([asked.pending for asked in known], here=here, starts=starts)
        for asked in known:
            if asked.ruling is not None:
                self._desk.ended(asked.ruling)
        try:
            unanswered = [asked.pending for asked in known if asked.ruling is None]
            if unanswered and given is not None:
                self._desk.take(unanswered, given)
            elif unanswered and approver is not None:
                await self._desk.show_here(unanswered, approver, fresh=starts)
            return [future.result() if future.done() else await asyncio.wrap_future(future) for future in futures]
        except asyncio.CancelledError:
            for pending, future in zip(pendings, futures, strict=True):
                self._give_up(pending, future, cancel=cancel)
            raise

    def _give_up(self, pending: Pending, future: Future[Ruling], *, cancel: bool) -> None:
        """The caller is gone; what it alone wanted ends with it."""
        if not future.done() and self._desk.forget(pending.id, future) and cancel:
            self._desk.end(pending, Outcome.CANCELLED, by="caller", detail=_GONE)

    def _reconsider(self, pending: Pending) -> None:
        """A question that waits, after something was remembered: the memory may answer it."""
        grant = self._judge.remembered(pending.call, pending.request)
        if grant is not None and (not grant.allow or self._judge.may_use(grant)):
            by = f"remembered answer {grant.id} of {grant.by}"
            self._answer_if_open(pending, Approve(by=by) if grant.allow else Reject(note=grant.note, by=by))

    def _answer_if_open(self, pending: Pending, decision: ApprovalDecision) -> None:
        with suppress(AlreadyDecided):
            self._answer(pending, decision)
