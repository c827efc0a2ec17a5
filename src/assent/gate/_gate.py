"""The gate: every call is judged, asked about, settled and spent here."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Literal, ParamSpec, TypeVar

from assent.errors import (
    AlreadyDecided,
    AlreadySpent,
    ConflictingCall,
    GateFailed,
    OutcomeUnknown,
    Refused,
    UnknownPending,
)
from assent.gate._bridge import run_sync
from assent.gate._desk import Desk
from assent.gate._judge import Judge, Mode
from assent.gate._rulings import grant_from, refusal, ruling_of
from assent.gate._spend import Spending
from assent.gate._wrap import wrap
from assent.model import (
    Answered,
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Approver,
    Asked,
    Clock,
    EffectState,
    Grant,
    Outcome,
    Pending,
    PendingId,
    Permit,
    Policy,
    Preview,
    Previews,
    Reject,
    Respond,
    Ruling,
    Store,
    ToolCall,
    Validates,
    arguments_preview,
    canonical,
    operation,
    pending_id,
)

P = ParamSpec("P")
R = TypeVar("R")

Timeout = float | Literal["default"] | None
"""Seconds a question may wait; None: for ever; "default": as the gate says."""

_EDITED = "A person changed this call before it ran. It ran with: "


class Gate:
    """Decides about every call: safe from any thread and any event loop.

    `interactive` asks; `approve_all` approves what would ask; `strict` denies what would ask.
    What a policy denies stays denied in every mode. Without a store, the record is kept in the
    user's state directory.
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
    ) -> None:
        self.store = store if store is not None else _default_store()
        self.timeout = timeout
        self.park_timeout = park_timeout
        self.run = secrets.token_hex(8)
        """The run that calls belong to which name none."""
        self._approver = approver
        self._clock = clock
        self._judge = Judge(self.store, clock, mode)
        self._desk = Desk(self.store, clock, approver, post=self._answer, reconsider=self._reconsider)

    @property
    def mode(self) -> Mode:
        """What happens to a call that would ask."""
        return self._judge.mode

    # The four primitives

    async def judge(self, call: ToolCall, policy: Policy, *, timeout: Timeout = "default") -> Permit | Pending:
        """A permit, or the question that a person must answer first.

        Raises:
            Refused: policy, mode, a remembered refusal or an earlier answer says no.
        """
        ruled = self._judge.rule(call, policy)
        return ruled if isinstance(ruled, Permit) else await self._look_closer(ruled, call, policy, timeout)

    async def ask(self, pending: Pending) -> ApprovalDecision:
        """Wait for the first answer, wherever it is given.

        Raises:
            Refused: the question ended without a person's answer.
        """
        (answer,) = await self.ask_all([pending])
        if isinstance(answer, Refused):
            raise answer
        return answer

    async def ask_all(self, pendings: Sequence[Pending]) -> list[ApprovalDecision | Refused]:
        """Ask about several calls at once, as one batch; each has its own answer."""
        if self._approver is None and not self.store.shared:
            raise GateFailed(
                "approver", "nobody can be asked: the gate has no approver, and no one else can open its store"
            )
        return [
            refusal(ruling, pending.call.tool_name) if ruling.decision is None else ruling.decision
            for pending, ruling in zip(pendings, await self._rulings(pendings), strict=True)
        ]

    async def settle(self, pending: Pending, decision: ApprovalDecision, policy: Policy) -> Permit:
        """Turn an answer into a permit; edited arguments are judged again.

        Raises:
            AlreadyDecided: another answer was first, and stands.
            Refused: the answer is no, or policy denies what was approved.
        """
        ruling = self.store.ruling(pending.id)
        if ruling is None:
            ruling = self._answer(pending, decision)
        elif ruling.decision != decision:
            raise AlreadyDecided(outcome=ruling.outcome, by=ruling.by, at=ruling.at)
        # What became of it is asked when the permit is spent: that is where one of several wins.
        return await self._stand(Asked(pending=pending, ruling=ruling), ruling, policy, pending.call)

    def spend(self, permit: Permit) -> Spending:
        """The time in which the permitted call runs; a permit is spent once."""
        return Spending(permit, self.store, self._clock)

    # On top of them

    async def admit(self, call: ToolCall, policy: Policy, *, timeout: Timeout = "default") -> Permit:
        """Judge, ask and settle in a row.

        Raises:
            Refused: the call may not run.
        """
        ruled = self._judge.rule(call, policy)
        return ruled if isinstance(ruled, Permit) else await self._admit_slowly(ruled, call, policy, timeout)

    def admit_sync(self, call: ToolCall, policy: Policy, *, timeout: Timeout = "default") -> Permit:
        """`admit` for synchronous code, also inside a running loop."""
        ruled = self._judge.rule(call, policy)
        return ruled if isinstance(ruled, Permit) else run_sync(self._admit_slowly(ruled, call, policy, timeout))

    def wrap(self, function: Callable[P, R], *, name: str = "", policy: Policy | None = None) -> Callable[P, R]:
        """The function behind this gate: it is called as before, and runs only if the gate agrees."""
        return wrap(self, function, name=name, policy=policy)

    def answer(self, pending: PendingId, decision: ApprovalDecision) -> None:
        """Answer a question on the desk, from any process that shares the store.

        Raises:
            AlreadyDecided: another answer was first, and stands.
            UnknownPending: there is no such question.
        """
        asked = self.store.asked(pending)
        if asked is None:
            raise UnknownPending(pending)
        self._answer(asked.pending, decision)

    def _answer(self, pending: Pending, decision: ApprovalDecision) -> Ruling:
        if not isinstance(decision, (Approve, Reject, Respond)):
            raise GateFailed("approver", f"{decision!r} is not an answer; Approve, Reject and Respond are")
        ruling = ruling_of(pending, decision, self._clock())
        edited = isinstance(decision, Approve) and decision.override_args is not None
        # What an edited call is remembered as, only its policy knows: `settle` does that.
        grant = None if edited else self._grant(pending.call, pending.request, ruling)
        self.store.decide(ruling, grant=grant)
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

    def end(self, run: str) -> None:
        """The run is over: what was remembered for it alone is forgotten."""
        self.store.end_run(run, self._clock())

    # Asking

    async def _look_closer(
        self, ruled: ApprovalRequest | Asked, call: ToolCall, policy: Policy, timeout: Timeout
    ) -> Permit | Pending:
        if isinstance(ruled, ApprovalRequest):
            return await self._put(call, ruled, policy, timeout)
        if ruled.ruling is None:
            return await self._remind(ruled, call, policy)
        return await self._stand(ruled, ruled.ruling, policy, call)

    async def _admit_slowly(
        self, ruled: ApprovalRequest | Asked, call: ToolCall, policy: Policy, timeout: Timeout
    ) -> Permit:
        judged = await self._look_closer(ruled, call, policy, timeout)
        return judged if isinstance(judged, Permit) else await self.settle(judged, await self.ask(judged), policy)

    async def _put(self, call: ToolCall, request: ApprovalRequest, policy: Policy, timeout: Timeout) -> Pending:
        """Draw what would happen and put the question on the desk."""
        seconds = self.timeout if timeout == "default" else timeout
        now = self._clock()
        pending = Pending(
            id=pending_id(call),
            call=call,
            request=request,
            preview=await _preview(call, request, policy),
            digest=call.digest,
            created=now,
            expires=None if seconds is None else now + seconds,
        )
        (parked,) = self.store.park([pending])
        if parked.digest != pending.digest:
            raise ConflictingCall(call.tool_name, call.id)
        return parked

    async def _remind(self, asked: Asked, call: ToolCall, policy: Policy) -> Permit | Pending:
        """A question that waits, asked again: what was remembered since, or the mode, may answer it."""
        pending = asked.pending
        if call.digest != pending.digest:
            raise ConflictingCall(call.tool_name, call.id)
        self._reconsider(pending)
        if self._judge.by_mode(call, pending.request) is not None:
            self._answer_if_open(pending, Approve(by="mode approve_all"))
        answered = self.store.asked(pending.id) or asked
        return pending if answered.ruling is None else await self._stand(answered, answered.ruling, policy, call)

    async def _rulings(self, pendings: Sequence[Pending]) -> list[Ruling]:
        futures = self._desk.wait_for(pendings)
        try:
            return [await asyncio.wrap_future(future) for future in futures]
        except asyncio.CancelledError:
            for pending, future in zip(pendings, futures, strict=True):
                self._give_up(pending, future)
            raise

    def _give_up(self, pending: Pending, future: Future[Ruling]) -> None:
        """The caller is gone: nobody else in this process waits, so the question ends."""
        if not future.done() and self._desk.forget(pending.id, future):
            reason = "the caller stopped waiting"
            self._desk.end(pending, Outcome.CANCELLED, by="caller", detail=reason)

    def _reconsider(self, pending: Pending) -> None:
        """A question that waits, after something was remembered: the memory may answer it."""
        grant = self.store.remembered(pending.call, operation(pending.call, pending.request))
        if grant is not None:
            by = f"remembered answer {grant.id} of {grant.by}"
            self._answer_if_open(pending, Approve(by=by) if grant.allow else Reject(note=grant.note, by=by))

    def _answer_if_open(self, pending: Pending, decision: ApprovalDecision) -> None:
        with suppress(AlreadyDecided):
            self._answer(pending, decision)

    # Settling

    async def _stand(self, asked: Asked, ruling: Ruling, policy: Policy, call: ToolCall) -> Permit:
        """What a given answer means now for this call; policy may have become stricter since."""
        pending = asked.pending
        edit = ruling.decision.override_args if isinstance(ruling.decision, Approve) else None
        final = pending.call if edit is None else replace(pending.call, args=_validated(edit, policy))
        if call.digest not in (pending.digest, final.digest):
            raise ConflictingCall(call.tool_name, call.id)
        if not isinstance(ruling.decision, Approve):
            raise refusal(ruling, call.tool_name)
        again = _may_run(asked, idempotent=getattr(policy, "idempotent", False))
        request = self._judge.check(final, policy)
        preview = pending.preview
        if edit is not None:
            preview = await _preview(final, pending.request, policy)
            if isinstance(request, ApprovalRequest):
                self._remember_edited(final, request, ruling)
        answered = Answered(
            pending=pending.id,
            evidence=preview.evidence,
            announcement="" if edit is None else _EDITED + canonical(final.args),
            again=again,
        )
        return Permit(final, f"approved by {ruling.by}", answered)

    def _remember_edited(self, call: ToolCall, request: ApprovalRequest, ruling: Ruling) -> None:
        grant = self._grant(call, request, ruling)
        if grant is not None and self.store.remembered(call, grant.operation) is None:
            self.store.remember(grant)
            self._desk.look()

    def _grant(self, call: ToolCall, request: ApprovalRequest, ruling: Ruling) -> Grant | None:
        if ruling.decision is None:
            return None
        return grant_from(ruling.decision, call, request, by=ruling.by, at=ruling.at)


def _may_run(asked: Asked, *, idempotent: bool) -> bool:
    """Whether it runs again after an unknown end; raises if it may not run at all."""
    if asked.effect is None:
        return False
    if asked.effect.state is not EffectState.UNKNOWN:
        raise AlreadySpent(asked.pending.call.tool_name)
    if not idempotent:
        raise OutcomeUnknown(asked.pending.call.tool_name)
    return True


def _validated(edited: Mapping[str, object], policy: Policy) -> Mapping[str, object]:
    """Edited arguments as the tool would take them."""
    if not isinstance(policy, Validates):
        return edited
    try:
        return policy.validate(edited)
    except Exception as error:
        raise GateFailed("edit", f"{error}") from error


async def _preview(call: ToolCall, request: ApprovalRequest, policy: Policy) -> Preview:
    if not isinstance(policy, Previews):
        return arguments_preview(call, request.description)
    try:
        preview = await policy.preview(call)
    except Exception as error:
        raise GateFailed("preview", f"{type(error).__name__}: {error}") from error
    if not isinstance(preview, Preview):
        raise GateFailed("preview", f"it returned {preview!r}, which is no preview")
    return preview


def _default_store() -> Store:
    from assent.config import default_store_path
    from assent.store import SQLiteStore

    return SQLiteStore(default_store_path())
