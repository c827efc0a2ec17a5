"""A question from the desk on this terminal: shown, watched while it is open, and its answer posted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from assent.cli.inbox._answers import told
from assent.cli.inbox._wanted import line
from assent.config import Settings
from assent.errors import AlreadyDecided
from assent.gate import Gate, StoreClerk, posting_order
from assent.model import ApprovalDecision, Outcome, Pending, PendingId, Store
from assent.ui import TerminalApprover, visible

_POLL_SECONDS: Final = 0.05
_STILL_THERE: Final = "Closed: no answer was given, and the question still waits."


@dataclass(frozen=True, slots=True)
class Said:
    """What became of a question, in a line."""

    text: str
    left: bool = False
    """Whether nobody answered it: the person went away from it."""


class Asking:
    """Shows questions of any run with the terminal's own screens."""

    def __init__(self, store: Store, settings: Settings, *, by: str, plain: bool) -> None:
        self._store = store
        self._by = by
        self._gate = Gate(store=store)
        self._clerk = StoreClerk(store)
        self._approver = TerminalApprover(by=by, display=settings.display, where=str(settings.store), plain=plain)

    async def ask(self, batch: Sequence[Pending]) -> list[Said]:
        """Ask about questions of one run; what became of each."""
        if not batch:
            return []
        showing = asyncio.ensure_future(self._approver.review(batch, self._clerk))
        seen: object = None
        try:
            while not showing.done():
                await asyncio.wait({showing}, timeout=_POLL_SECONDS)
                self._store.expire(time.time())
                version = self._store.version()
                if version != seen and all(self._store.ruling(each.id) is not None for each in batch):
                    showing.cancel()
                seen = version
        finally:
            # Whoever leaves takes the question from the screen, not from the desk.
            showing.cancel(_STILL_THERE)
            with suppress(asyncio.CancelledError):
                await showing
        answers: Mapping[PendingId, ApprovalDecision] = {} if showing.cancelled() else showing.result()
        order = sorted(batch, key=lambda each: posting_order(answers.get(each.id)))
        said = {each.id: self._post(each, answers.get(each.id)) for each in order}
        return [said[each.id] for each in batch]

    def _post(self, pending: Pending, decision: ApprovalDecision | None) -> Said:
        """Give the answer; what came of no person stays on the desk for one."""
        ruling = self._store.ruling(pending.id)
        if ruling is not None:
            return self._late(pending, AlreadyDecided(outcome=ruling.outcome, by=ruling.by, at=ruling.at))
        # The end of the input is no answer here: closing this window must not reject for everybody.
        if decision is None or decision.by != self._by:
            return Said(f"Left unanswered: {visible(line(pending), keep='')}", left=True)
        try:
            self._gate.answer(pending.id, decision)
        except AlreadyDecided as late:
            return self._late(pending, late)
        return Said(told(pending, decision))

    def _late(self, pending: Pending, first: AlreadyDecided) -> Said:
        what = visible(line(pending), keep="")
        if (first.outcome, first.by) == (Outcome.CANCELLED, self._by):
            return Said(f"Ended with its run: {what}")
        return Said(f"{what}: {visible(str(first), keep='')}")
