"""New questions: drawn and put on the desk, or approved before anybody could see them there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from assent.errors import AssentError, ConflictingCall
from assent.gate._answers import plain_approval
from assent.gate._clerk import GateClerk
from assent.gate._desk import Desk, Given
from assent.gate._settle import question
from assent.model import ApprovalRequest, Asked, Clock, Pending, Permit, Policy, Store, ToolCall

Stand = Callable[[Asked, Policy], Awaitable[Permit | None]]
"""A permit whose start is written before anybody has it; None where the desk must say what the answer means."""


class Intake:
    """Makes a question of a call that must be asked about."""

    def __init__(self, store: Store, clock: Clock, *, clerk: GateClerk, desk: Desk, stand: Stand) -> None:
        self._store = store
        self._clock = clock
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
        if ruling is not None:
            permit: Permit | None = None
            # What refuses it here refuses it on the desk too, and is put on the record there.
            with suppress(AssentError):
                permit = await self._stand(Asked(pending=pending, ruling=ruling), policy)
            if permit is not None and self._store.start_at_once(pending, ruling, permit=permit):
                return permit, None
        return self._park(pending, policy), given

    def _park(self, pending: Pending, policy: Policy) -> Pending:
        (parked,) = self._store.park([pending])
        if parked.digest != pending.digest:
            raise ConflictingCall(pending.call.tool_name, pending.call.id)
        self._clerk.take(parked, policy)
        return parked
