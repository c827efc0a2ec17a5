"""New questions: drawn and put on the desk, or approved before anybody could see them there."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from assent.errors import AssentError, ConflictingCall
from assent.gate._answers import plain_approval
from assent.gate._clerk import GateClerk
from assent.gate._desk import Desk, Given
from assent.gate._judge import Judge
from assent.gate._settle import question
from assent.model import ApprovalRequest, Asked, Clock, Pending, Permit, Policy, Store, ToolCall


class Stand(Protocol):
    """What a given answer means now for the call."""

    def __call__(self, asked: Asked, policy: Policy, call: ToolCall, *, started: bool) -> Awaitable[Permit]: ...


class Intake:
    """Makes a question of a call that must be asked about."""

    def __init__(self, store: Store, clock: Clock, *, judge: Judge, clerk: GateClerk, desk: Desk, stand: Stand) -> None:
        self._store = store
        self._clock = clock
        self._judge = judge
        self._clerk = clerk
        self._desk = desk
        self._stand = stand

    async def put(self, call: ToolCall, request: ApprovalRequest, policy: Policy, seconds: float | None) -> Pending:
        """Draw what would happen and put the question on the desk."""
        return self._park(await question(call, request, policy, now=self._clock(), seconds=seconds), policy)

    async def at_once(
        self, call: ToolCall, request: ApprovalRequest, policy: Policy, seconds: float | None
    ) -> tuple[Permit | Pending, Given | None]:
        """The question, and what the approver said of it without being waited for.

        An approval of exactly this call is one step on the record, with the question and the start: then
        there is only a permit. Whatever else was said, or stands against it, is for the desk.
        """
        pending = await question(call, request, policy, now=self._clock(), seconds=seconds)
        given = self._desk.at_once(pending)
        ruling = plain_approval(pending, given, self._clock())
        permit = None if ruling is None else await self._permit(Asked(pending=pending, ruling=ruling), policy)
        if ruling is not None and permit is not None and self._store.start_at_once(pending, ruling, permit=permit):
            return permit, None
        return self._park(pending, policy), given

    async def _permit(self, asked: Asked, policy: Policy) -> Permit | None:
        """The permit that the answer gives; None where the desk must say what it means."""
        call = asked.pending.call
        try:
            # Remembered while it was drawn or answered: that comes first.
            if self._judge.remembered(call, asked.pending.request) is None:
                return await self._stand(asked, policy, call, started=True)
        except AssentError:
            pass  # what refuses it here refuses it there too, and is put on the record there
        return None

    def _park(self, pending: Pending, policy: Policy) -> Pending:
        (parked,) = self._store.park([pending])
        if parked.digest != pending.digest:
            raise ConflictingCall(pending.call.tool_name, pending.call.id)
        self._clerk.take(parked, policy)
        return parked
