"""The desk of one gate: who waits, who is shown what, and when time is over."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial

from assent.errors import AlreadyDecided, AssentError, GateFailed, described
from assent.gate._bridge import start
from assent.gate._rulings import posting_order
from assent.gate._screen import Screen
from assent.model import ApprovalDecision, Approve, Approver, Clerk, Clock, Outcome, Pending, PendingId, Ruling, Store

POLL_SECONDS = 0.05
"""How soon an answer given in another process, or the end of a question's time, is seen."""
GATHER_SECONDS = 0.02
"""How long a group may still grow after its last question before it is shown."""
_LINGER_SECONDS = 1.0
_IDLE_TICKS = round(_LINGER_SECONDS / POLL_SECONDS)

Post = Callable[[Pending, ApprovalDecision], object]
Reconsider = Callable[[Pending], None]
_Answers = Mapping[PendingId, ApprovalDecision]
Given = _Answers | Exception
"""The answers that were given, or why there are none."""
Review = Callable[[Sequence[Pending], Clerk], Coroutine[object, object, _Answers]]
_BatchKey = tuple[str, str, str]


@dataclass(slots=True, kw_only=True, eq=False)
class _Waiting:
    """A caller in this process that waits for an answer."""

    pending: Pending
    batch: _BatchKey
    starts: bool
    """Whether it starts the call as soon as it is approved."""
    shown: bool = False
    ruling: Future[Ruling] = field(default_factory=Future[Ruling])

    def __post_init__(self) -> None:
        # A running future cannot be cancelled under us: who gives up calls `forget`.
        self.ruling.set_running_or_notify_cancel()


class Desk:
    """Waits for answers, wherever they come from; two threads, both gone when nobody waits."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        approver: Approver | None,
        *,
        clerk: Clerk,
        post: Post,
        reconsider: Reconsider,
    ) -> None:
        self._store = store
        self._clock = clock
        self._approver = approver
        self._clerk = clerk
        self._post = post
        self._reconsider = reconsider
        # Taken as a lock, not as the condition: that is done in Python, and an interrupt just then leaves it locked.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._waiting: dict[PendingId, list[_Waiting]] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._numbers = itertools.count()
        self._screen = Screen()
        self._answered: set[PendingId] = set()
        """What a person has answered, and is being posted: the memory does not answer it meanwhile."""

    def wait_for(self, pendings: Sequence[Pending], *, here: bool, starts: bool) -> list[Future[Ruling]]:
        """How each of these questions will end; they are shown together, by the caller itself if `here`."""
        number = next(self._numbers)
        waiting = [_Waiting(pending=each, batch=_batch(each, number), starts=starts, shown=here) for each in pendings]
        with self._lock:
            for each in waiting:
                self._waiting.setdefault(each.pending.id, []).append(each)
        try:
            self._attend(shows=not here)
        except GateFailed as failure:
            self._fail(pendings, f"{failure.part}: {failure.reason}")
        return [each.ruling for each in waiting]

    def _attend(self, *, shows: bool) -> None:
        with self._lock:
            self._ensure("watch", self._watch)
            if self._approver is not None and shows:
                self._ensure("show", partial(self._show, self._approver))
                self._changed.notify_all()

    def asks_here(self, pendings: Sequence[Pending]) -> Approver | None:
        """The approver, if it never blocks: whoever waits asks it, without a hop to a thread and back."""
        # A group may still grow by questions of other callers.
        alone = getattr(self._approver, "blocks", True) is False and not any(each.group_id for each in pendings)
        return self._approver if alone else None

    def at_once(self, pending: Pending) -> Given | None:
        """What the approver says without being waited for; None if it must be asked."""
        # A group is one question, of which this is only a part.
        if self._approver is None or pending.group_id:
            return None
        try:
            ask: Callable[[Pending], ApprovalDecision | None] | None = getattr(self._approver, "at_once", None)
            # In a context of its own: an agent that answers must not inherit the gate it answers for.
            answer = None if ask is None else Context().run(ask, pending)
        except asyncio.CancelledError:
            return GateFailed("approver", "it gave up")
        except Exception as error:  # noqa: BLE001 — whatever it is, it is no answer
            return error
        if answer is None:
            return None
        if type(answer) is not Approve:
            _close(answer)
        return {pending.id: answer}

    def take(self, batch: Sequence[Pending], given: Given) -> None:
        """What the approver said of them at once."""
        if isinstance(given, Exception):
            self._fail(batch, _failed(given))
            return
        try:
            # What was remembered while it was drawn, or answered, comes first.
            for each in batch:
                self._reconsider(each)
        except AssentError as error:
            self._fail(batch, _failed(error))
        else:
            self._take_all(batch, given)

    def awaits(self, pending: PendingId) -> bool:
        """Whether somebody here waits for its answer."""
        return pending in self._waiting

    def starts(self, pending: PendingId) -> bool:
        """Whether somebody here waits to start the call as soon as it is approved."""
        return any(each.starts for each in self._waiting.get(pending, ()))

    def ended(self, ruling: Ruling) -> None:
        """Wake everybody who waits for this question."""
        with self._lock:
            wakes = [partial(each.ruling.set_result, ruling) for each in self._waiting.pop(ruling.pending, [])]
            if self._screen.closes_with(ruling.pending, self._waiting):
                self._screen.hold(wakes)
                wakes = []
            self._changed.notify_all()
        for wake in wakes:
            wake()

    def forget(self, pending: PendingId, ruling: Future[Ruling]) -> bool:
        """One caller no longer waits; True if nobody else here does."""
        with self._lock:
            rest = [each for each in self._waiting.pop(pending, []) if each.ruling is not ruling]
            if rest:
                self._waiting[pending] = rest
            self._changed.notify_all()
            return not rest

    def look(self) -> None:
        """See which questions ended elsewhere, and which the memory can answer now."""
        for pending in self.waiting():
            self._still_waits(pending)

    def end(self, pending: Pending, outcome: Outcome, *, by: str, detail: str) -> None:
        """End a question without a person's answer; the callers wake even if it cannot be written."""
        ruling = Ruling(pending=pending.id, outcome=outcome, by=by, at=self._clock(), detail=detail)
        try:
            self._store.decide(ruling)
        except AlreadyDecided:
            with suppress(AssentError):
                ruling = self._store.ruling(pending.id) or ruling
        except AssentError:
            pass
        self.ended(ruling)

    def waiting(self) -> list[Pending]:
        """What callers in this process wait for, oldest first."""
        with self._lock:
            return [each[0].pending for each in self._waiting.values()]

    def _ensure(self, name: str, work: Callable[[], None]) -> None:
        running = self._threads.get(name)
        if running is None or not running.is_alive():
            thread = self._threads[name] = threading.Thread(target=work, name=f"assent-{name}", daemon=True)
            start(thread)

    # Watching: answers from elsewhere, and time

    def _watch(self) -> None:
        """Looks at every tick: being woken by each question would cost every question a hop."""
        seen: object = None
        idle = 0
        while True:
            time.sleep(POLL_SECONDS)
            with self._lock:
                idle = 0 if self._waiting or self._screen.is_held() else idle + 1
                if idle == _IDLE_TICKS:
                    del self._threads["watch"]
                    return
                overdue = self._screen.overdue()
            for wake in overdue:
                wake()
            if not idle:
                seen = self._tick(seen)

    def _tick(self, seen: object) -> object:
        try:
            expired = self._store.expire(self._clock())
            version = self._store.version()
            if expired or version != seen:
                self.look()
        except GateFailed as failure:
            self._fail(self.waiting(), f"{failure.part}: {failure.reason}")
            return None
        except Exception as error:  # noqa: BLE001 — the watcher must live, or nothing expires any more
            self._fail(self.waiting(), f"gate: {described(error)}")
            return None
        return version

    def _fail(self, pendings: Sequence[Pending], detail: str) -> None:
        for pending in pendings:
            self.end(pending, Outcome.FAILED, by="gate", detail=detail)

    # Showing: one batch at a time

    def _show(self, approver: Approver) -> None:
        try:
            asyncio.run(self._show_batches(approver))
        except BaseException as error:  # noqa: BLE001 — even an exit of the approver leaves nobody waiting
            with self._lock:
                self._threads.pop("show", None)
            self._free_screen()
            self._fail(self.waiting(), _failed(error))

    async def _show_batches(self, approver: Approver) -> None:
        # The loop is the approver's alone: it may stand still while nobody is asked.
        while (batch := self._next_batch()) is not None:
            await self._show_batch(batch, approver)
            self._free_screen()

    def _free_screen(self) -> None:
        with self._lock:
            wakes = self._screen.free()
        for wake in wakes:
            wake()

    async def show_here(self, batch: Sequence[Pending], approver: Approver, *, fresh: bool) -> None:
        """Show a batch on the loop of whoever waits for it; `fresh`, if it was put on the desk just now."""
        try:
            await (self._show_these if fresh else self._show_batch)(batch, approver)
        except Exception as error:  # noqa: BLE001 — whatever it is, nobody is left waiting
            self._fail(batch, _failed(error))

    async def _show_batch(self, batch: Sequence[Pending], approver: Approver) -> None:
        # What happened while they were put on the desk may have answered some of them.
        if unanswered := [pending for pending in batch if self._still_waits(pending)]:
            await self._show_these(unanswered, approver)

    async def _show_these(self, batch: Sequence[Pending], approver: Approver) -> None:
        self._take(batch, await self._present(batch, approver))

    def _still_waits(self, pending: Pending) -> bool:
        """Whether nobody has answered it, and nothing remembered does."""
        if (ruling := self._store.ruling(pending.id)) is not None:
            self.ended(ruling)
        elif pending.id not in self._answered:
            self._reconsider(pending)
        return pending.id in self._waiting

    def _next_batch(self) -> list[Pending] | None:
        with self._lock:
            first = self._first_unseen()
            if first is None:
                if self._changed.wait(_LINGER_SECONDS) or self._waiting:
                    return []
                del self._threads["show"]
                return None
            if first.batch[0] == "group":
                self._gather(first.batch)
            chosen = [each for each in self._unseen() if each.batch == first.batch]
            for each in chosen:
                each.shown = True
            batch = {each.pending.id: each.pending for each in chosen}
            self._screen.show(batch)
            return list(batch.values())

    def _gather(self, batch: _BatchKey) -> None:
        size = 0
        while size < (now := sum(each.batch == batch for each in self._unseen())):
            size = now
            self._changed.wait(GATHER_SECONDS)

    def _unseen(self) -> list[_Waiting]:
        return [each for waiting in self._waiting.values() for each in waiting if not each.shown]

    def _first_unseen(self) -> _Waiting | None:
        return next(iter(self._unseen()), None)

    async def _present(self, batch: Sequence[Pending], approver: Approver) -> asyncio.Future[_Answers]:
        """Show a batch; take the question back once every item was answered elsewhere."""
        # Asking a protocol takes as long as all the rest: the name is enough.
        review: Review | None = getattr(approver, "review", None)

        async def answers() -> _Answers:
            return await (approver.decide(batch) if review is None else review(batch, self._clerk))

        # In a context of its own: an agent that answers must not inherit the gate it answers for.
        asking = asyncio.get_running_loop().create_task(answers(), context=Context())
        try:
            await asyncio.sleep(0)
            while not asking.done() and not (await asyncio.wait({asking}, timeout=POLL_SECONDS))[0]:
                if not any(pending.id in self._waiting for pending in batch):
                    asking.cancel(self._who_was_first(batch))
        except asyncio.CancelledError:
            asking.cancel()  # it was asked by a caller who is gone
            raise
        return asking

    def _who_was_first(self, batch: Sequence[Pending]) -> str | None:
        """For the approver whose question is taken back; nothing, where nobody answered."""
        with suppress(AssentError):
            rulings = (self._store.ruling(each.id) for each in batch)
            people = {f"Answered: {each.outcome} by {each.by}" for each in rulings if each and each.decision}
            return "; ".join(sorted(people)) or None
        return None

    def _take(self, batch: Sequence[Pending], asking: asyncio.Future[_Answers]) -> None:
        """What came of a batch that was shown."""
        if asking.cancelled():
            self._fail([each for each in batch if each.id in self._waiting], "approver: it gave up")
        elif (error := asking.exception()) is not None:
            self._fail(batch, _failed(error))
        else:
            self._take_all(batch, asking.result())

    def _take_all(self, batch: Sequence[Pending], answers: _Answers) -> None:
        """Post every answer; nothing that one of them leaves behind answers another."""
        these = {pending.id for pending in batch}
        with self._lock:
            self._answered |= these
        try:
            for pending in sorted(batch, key=partial(_order, answers)):
                self._take_one(pending, answers)
        finally:
            with self._lock:
                self._answered -= these

    def _take_one(self, pending: Pending, answers: _Answers) -> None:
        # Only what was asked: an answer to anything else was not seen by whoever gave it.
        try:
            self._post(pending, answers[pending.id])
        except AlreadyDecided as late:
            self._tell(pending, late)
            # It may have ended before anybody waited here: then no tick of the watcher wakes them.
            with suppress(AssentError):
                self._still_waits(pending)
        except (KeyError, TypeError):
            self._fail([pending], "approver: it gave no answer")
        except Exception as error:  # noqa: BLE001 — one odd answer must not end the other questions
            self._fail([pending], _failed(error))

    def _tell(self, pending: Pending, late: AlreadyDecided) -> None:
        lost = getattr(self._approver, "lost", None)
        if lost is not None:
            with suppress(Exception):  # whoever cannot be told has lost all the same
                lost(pending, late)


def _close(answer: object) -> None:
    """An answer that would have to be waited for is none; nothing complains that nobody waited."""
    if isinstance(answer, Coroutine):
        answer.close()


def _failed(error: BaseException) -> str:
    return f"{error.part}: {error.reason}" if isinstance(error, GateFailed) else f"approver: {described(error)}"


def _order(answers: _Answers, pending: Pending) -> int:
    # An approver may have returned anything.
    with suppress(KeyError, TypeError):
        return posting_order(answers[pending.id])
    return 0


def _batch(pending: Pending, number: int) -> _BatchKey:
    return ("group", pending.call.run, pending.group_id) if pending.group_id else ("asked", "", str(number))
