"""The desk as the server sees it: what waits, under which id it was shown, and how it ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from assent.errors import UnknownPending
from assent.gate import Gate, StoreClerk
from assent.model import ApprovalDecision, Pending, PendingId, Ruling
from assent.server._log import Entry, EventLog
from assent.server.messages import Message, approval_ended, approval_request, details, shown_digest, spelled

TICK_SECONDS: Final = 0.02
"""How soon a question of any process is shown, and an answer given elsewhere is seen."""
_KEPT: Final = 10_000


class Stale(Exception):
    """The answer is for something else than what is on the desk."""

    code = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that waits, as it was shown."""

    pending: Pending
    request_id: str
    message: Message
    """For clients that know only the plain messages."""
    entry: Entry

    def plain_text(self) -> str:
        """The question as a plain client reads it."""
        return spelled(self.message)


class ServedDesk:
    """Watches the record while somebody looks, and takes answers; safe only on the server's loop."""

    def __init__(self, gate: Gate, log: EventLog) -> None:
        self.gate = gate
        self._log = log
        self._clerk = StoreClerk(gate.store)
        self._open: dict[PendingId, Question] = {}
        self._shown: dict[str, tuple[PendingId, str]] = {}
        self._looking = asyncio.Lock()
        self._seen: object = None

    def waiting(self) -> Sequence[Question]:
        """What waits, oldest first, as far as it was looked at."""
        return [*self._open.values()]

    def waits(self, request: str) -> bool:
        """Whether the question shown under this id still waits."""
        shown = self._shown.get(request)
        return shown is not None and shown[0] in self._open

    async def watch(self) -> None:
        """Look again whenever anybody wrote; until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(TICK_SECONDS)

    async def look(self) -> None:
        """See what is new and what has ended, and say it."""
        async with self._looking:
            store = self.gate.store
            now = time.time()
            if any(each.pending.expires is not None and each.pending.expires <= now for each in self._open.values()):
                await asyncio.to_thread(store.expire, now)
            version = store.version()
            if version == self._seen:
                return
            pendings = await asyncio.to_thread(store.desk)
            waiting = {each.id for each in pendings}
            for question in [each for known, each in self._open.items() if known not in waiting]:
                await self._end(question)
            for pending in pendings:
                if pending.id not in self._open:
                    await self._show(pending)
            self._seen = version

    async def _show(self, pending: Pending) -> None:
        message = await asyncio.to_thread(approval_request, pending, partial(self._clerk.content, pending))
        name = str(message["request_id"])
        entry = self._log.publish({**message, **details(pending)})
        if len(self._shown) >= _KEPT:
            kept = {each.request_id for each in self._open.values()}
            self._shown = {each: found for each, found in self._shown.items() if each in kept}
        self._shown[name] = pending.id, shown_digest(pending)
        self._open[pending.id] = Question(pending=pending, request_id=name, message=message, entry=entry)

    async def _end(self, question: Question) -> None:
        ruling = await asyncio.to_thread(self.gate.store.ruling, question.pending.id)
        del self._open[question.pending.id]
        self._log.let_go(question.entry)
        if ruling is not None:
            self._log.publish(approval_ended(question.pending, ruling))

    async def answer_shown(self, request: str, decision: ApprovalDecision) -> Ruling:
        """Answer the question that was shown under this id.

        Raises:
            UnknownPending: nothing was shown under it.
            AlreadyDecided: another answer was first.
            GateFailed: it is no answer to this question.
        """
        if request not in self._shown:
            raise UnknownPending(request)
        pending, seen = self._shown[request]
        ruling = await asyncio.to_thread(self.answer, pending, decision, seen=seen)
        await self.look()
        return ruling

    def answer(self, pending: PendingId, decision: ApprovalDecision, *, seen: str) -> Ruling:
        """Answer a question by the digest of what was seen of it; from any thread.

        Raises:
            UnknownPending: there is no such question.
            AlreadyDecided: another answer was first.
            GateFailed: it is no answer to this question.
            Stale: something else was seen.
        """
        store = self.gate.store
        asked = store.asked(pending)
        if asked is None:
            raise UnknownPending(pending)
        if shown_digest(asked.pending) != seen:
            raise Stale("what was seen is not what is on the desk; look at it again")
        self.gate.answer(pending, decision)
        ruling = store.ruling(pending)
        if ruling is None:
            raise UnknownPending(pending)
        return ruling
