"""The desk as the server sees it: what waits, under which id it was shown, and how it ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from assent.errors import AssentError, UnknownPending
from assent.gate import Gate
from assent.model import ApprovalDecision, Approve, Pending, PendingId, Ruling
from assent.server._blocks import blocks_of
from assent.server._edits import Edits
from assent.server._log import Entry, EventLog
from assent.server.messages import Message, approval_ended, approval_request, details, shown_digest, spelled

TICK_SECONDS: Final = 0.02
"""How soon a question of any process is shown, and an answer given elsewhere is seen."""
_KEPT: Final = 10_000


class Stale(Exception):
    """The answer is for something else than what is on the desk."""

    code = "stale"

    def __init__(self) -> None:
        super().__init__("what was seen is not what is on the desk; look at it again")


class WrongAnswer(Exception):
    """The answer contradicts itself."""

    code = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An answer, and what was seen by who gave it."""

    decision: ApprovalDecision
    digest: str
    redrawn: str | None = None
    """Of an answer with other arguments: how they were drawn, if that was seen."""


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
        self.edits = Edits(gate.clerk)
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
        message = await asyncio.to_thread(approval_request, pending, partial(self.gate.clerk.content, pending))
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
        pending, digest = self._shown[request]
        ruling = await asyncio.to_thread(self.answer, pending, Seen(decision=decision, digest=digest))
        await self.look()
        return ruling

    def answer(self, pending: PendingId, seen: Seen) -> Ruling:
        """Answer a question by the digest of what was seen of it; from any thread.

        Raises:
            UnknownPending: there is no such question.
            AlreadyDecided: another answer was first.
            GateFailed: it is no answer to this question.
            Stale: something else was seen.
            WrongAnswer: it contradicts itself.
        """
        self._check(pending, seen)
        self.gate.answer(pending, seen.decision, drawn=seen.redrawn)
        ruling = self.gate.store.ruling(pending)
        if ruling is None:
            raise UnknownPending(pending)
        return ruling

    def answer_all(self, answers: Mapping[PendingId, Seen]) -> dict[PendingId, Ruling | Exception]:
        """Answer several questions, each by itself; from any thread."""
        ended: dict[PendingId, Ruling | Exception] = {}
        for pending, seen in answers.items():
            try:
                self._check(pending, seen)
            except (AssentError, Stale, WrongAnswer) as wrong:
                ended[pending] = wrong
        given = {pending: seen for pending, seen in answers.items() if pending not in ended}
        drawn = {pending: seen.redrawn for pending, seen in given.items() if seen.redrawn is not None}
        ended.update(self.gate.answer_all({pending: seen.decision for pending, seen in given.items()}, drawn=drawn))
        return {pending: ended[pending] for pending in answers}

    def _check(self, pending: PendingId, seen: Seen) -> None:
        """That what was seen is what is on the desk."""
        asked = self.gate.store.asked(pending)
        if asked is None:
            raise UnknownPending(pending)
        if shown_digest(asked.pending) != seen.digest:
            raise Stale
        self._check_hunks(asked.pending, seen.decision)
        self._check_covers(asked.pending, seen.decision)
        if seen.redrawn is None:
            return
        edit = seen.decision.override_args if isinstance(seen.decision, Approve) else None
        if edit is None:
            raise WrongAnswer("`redrawn` names the drawing of an edit; give it with `override_args`, or not at all")
        if not self.edits.pin(pending, edit, seen.redrawn):
            raise Stale

    def _check_hunks(self, pending: Pending, decision: ApprovalDecision) -> None:
        """That there is such a part, while the question still waits; later, its call could only fail."""
        if not isinstance(decision, Approve) or decision.hunks is None:
            return
        found = blocks_of(pending, self.gate.clerk)
        if not found.narrows:
            raise WrongAnswer("it can be approved as a whole or not at all: there are no hunks to choose")
        if max(decision.hunks) >= len(found.blocks):
            last = len(found.blocks) - 1
            raise WrongAnswer(f"there is no hunk {max(decision.hunks)}; they are counted from 0 to {last}")

    def _check_covers(self, pending: Pending, decision: ApprovalDecision) -> None:
        """That a changed call may be remembered for that, while the question still waits."""
        if not isinstance(decision, Approve) or not decision.covers:
            return
        if decision.override_args is None and decision.hunks is None:
            return  # the gate knows the request
        offered = self.edits.offers(pending, decision)
        if decision.covers not in offered:
            names = ", ".join(map(repr, offered)) or "nothing wider than the call itself"
            raise WrongAnswer(f"the changed call cannot be remembered for {decision.covers!r}; offered: {names}")
