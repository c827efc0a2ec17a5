"""The record in one SQLite file, shared by every process that opens it."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from os import PathLike, fspath

from assent.errors import AlreadyDecided, StoreFailed
from assent.model import (
    Asked,
    Broken,
    EffectState,
    Grant,
    GrantId,
    JournalEntry,
    Outcome,
    Pending,
    PendingId,
    Permit,
    Ruling,
    Run,
    RunHistory,
    Stop,
    wire,
)
from assent.store import _rows as rows
from assent.store._database import Database
from assent.store._failures import as_store_error
from assent.store._journal import first_broken
from assent.store._memory import Remembered
from assent.store._open import MEMORY
from assent.store._owner import is_gone, this_process
from assent.store._questions import Questions
from assent.store._queued import Ended
from assent.store._steps import NotAtOnce, Steps


class SQLiteStore:
    """`Store` on SQLite: WAL, full sync for decisions and effects; safe from any thread.

    Without a path it lies in memory: nobody else sees it, and it ends with the program. A file is not used by a process
    that was forked while it was open: open it only after forking.
    """

    def __init__(self, path: str | PathLike[str] = MEMORY) -> None:
        self._db = Database(fspath(path))
        self.shared = self._db.path != MEMORY
        self._memory = Remembered(
            version=self._db.foreign_version if self.shared else None,
            load_grants=self._load_grants,
            load_wider=self._load_wider,
            load_history=self._load_history,
            load_runs=self._load_runs,
            refuse_fork=self._db.refuse_fork,
        )
        # Every call comes by these three: no step lies between.
        self.note = self._db.note
        self.history = self._memory.history
        self.remembered = self._memory.grant
        self._questions = Questions()
        self._steps = Steps(self._db, self._questions, this_process())
        self._bury_orphans()

    # The journal

    def journal(self, *, after: int = 0, limit: int | None = None) -> Iterator[JournalEntry]:
        """The journal behind this entry, oldest first: all of it, or so many entries."""
        self._db.flush()
        for row in self._db.rows(rows.JOURNAL, (after, -1 if limit is None else limit)):
            with as_store_error:
                entry = rows.journal_entry(row)
            yield entry

    def verify(self) -> Broken | None:
        """None if the journal is whole, else the first entry that is not."""
        self._db.flush()
        with self._db.snapshot() as connection:
            return first_broken(connection.execute("SELECT * FROM journal ORDER BY seq"), self._db.head(connection))

    # The desk

    def park(self, pendings: Sequence[Pending], /) -> Sequence[Pending]:
        """Put questions on the desk, and return them as they stand: one already there stays."""
        standing = self._db.write("no", self._steps.park_all, pendings)
        self._know(standing)
        return standing

    def _know(self, standing: Sequence[Pending]) -> None:
        """They are on the record."""
        self._memory.add(standing)
        for pending in standing:
            self._questions.know(pending)

    def _load_history(self, run: str) -> tuple[RunHistory, bool]:
        found = self._db.few(rows.HISTORY, (run,))
        calls = {call_id: pending for call_id, pending in found if call_id is not None}
        stops = self._db.few(rows.STOP, (run,)) if calls else []
        stopped = Stop(by=stops[0][0], at=stops[0][1]) if stops else None
        return RunHistory(calls=calls, stopped=stopped), len(calls) < len(found)

    def _load_runs(self, after: int, limit: int) -> tuple[int, set[str]]:
        found = self._db.few(rows.ASKED_SINCE if after else rows.ASKED_EVER, (after, limit + 1))
        return max((last for last, _ in found), default=after), {run for _, run in found}

    def asked(self, pending: PendingId, /) -> Asked | None:
        """All that is known of a question."""
        query = f"{rows.ASKED} WHERE p.id = ?"
        found = self._db.rows(query, (pending,))
        if found and rows.is_running(found[0]) and self._bury_orphans():
            found = self._db.rows(query, (pending,))
        with as_store_error:
            return rows.asked(self._questions.read(found[0][0]), found[0]) if found else None

    def recent(self, last: int, /, *, before: PendingId | None = None) -> Sequence[Asked]:
        """The last questions, newest first, and what became of them; the last ones before that one, if named."""
        self._bury_orphans()
        found = self._db.rows(rows.RECENT, (before, last))
        with as_store_error:
            return [rows.asked(self._questions.read(row[0]), row) for row in found]

    def desk(self) -> Sequence[Pending]:
        """Every question that waits for an answer, oldest first."""
        found = self._db.rows(rows.DESK)
        with as_store_error:
            return [self._questions.read(body) for (body,) in found]

    def content(self, pending: PendingId, sha256: str, /) -> bytes | None:
        """The whole of a version that a waiting question speaks of; None once it has ended."""
        found = self._db.rows("SELECT body FROM contents WHERE pending = ? AND sha256 = ?", (pending, sha256))
        return zlib.decompress(found[0][0]) if found else None

    def ruling(self, pending: PendingId, /) -> Ruling | None:
        """How the question ended; None while it waits."""
        found = self._db.few(rows.RULING, (pending,))
        with as_store_error:
            return rows.ruling(found[0]) if found else None

    def decide(self, ruling: Ruling, /, *, grant: Grant | None = None, starts: bool = False) -> None:
        """Record the end of a question and what is remembered of it, durably; with the call's start, if it `starts`."""
        late = self._db.write("soon" if starts else "before", self._steps.decide, ruling, grant)
        if grant is not None or ruling.outcome is Outcome.STOPPED:
            self._memory.forget()
        if late is not None:
            raise AlreadyDecided(outcome=late.outcome, by=late.by, at=late.at)

    def decide_all(self, answers: Sequence[tuple[Ruling, Grant | None]], /) -> Sequence[Ruling | None]:
        """As `decide`, all of them or none; for each, the end that was first and stands, if there was one."""
        before = self._db.write("before", self._steps.decide_all, answers)
        self._memory.forget()
        return before

    def expire(self, now: float, /) -> bool:
        """End every question whose time is over; whether there was one."""
        if not self._db.rows(rows.OVERDUE, (now,)):
            return False
        self._db.write("before", self._steps.end_all, now)
        return True

    # What is remembered

    def remember(self, grant: Grant, /, *, of: PendingId | None = None) -> bool:
        """Add a remembered answer, durably; of a question, once: a revoked one does not come back."""
        is_new = self._db.write("before", self._steps.remember, grant, of)
        self._memory.forget()
        return is_new

    def use(self, grant: GrantId, at: float, /) -> bool:
        """Count a call that a counting grant lets through; False if it lets no more through."""
        usable = self._db.write("before", self._steps.use, grant, at)
        self._memory.forget()
        return usable

    def grants(self) -> Sequence[Grant]:
        """Every remembered answer that nobody revoked; the time of one may be over."""
        found = self._db.rows("SELECT body FROM grants ORDER BY id")
        with as_store_error:
            return [wire.load(Grant, body) for (body,) in found]

    def _load_grants(self, operation: str) -> list[Grant]:
        found = self._db.few("SELECT body FROM grants WHERE operation = ?", (operation,))
        with as_store_error:
            return [wire.load(Grant, body) for (body,) in found]

    def _load_wider(self) -> frozenset[str]:
        found = self._db.rows("SELECT DISTINCT operation ->> '$[1]' FROM grants WHERE operation ->> '$[0]' = 'wider'")
        return frozenset(name for (name,) in found)

    def revoke(self, grant: GrantId, /, *, by: str, at: float) -> bool:
        """Forget a remembered answer; False if it did not stand."""
        stood = self._db.write("before", self._steps.revoke, grant, by=by, at=at)
        self._memory.forget()
        return stood

    def end_run(self, run: str, at: float, /, *, goes_on: bool = False) -> None:
        """Forget what was remembered for this run only; of a conversation that goes on, a person's stop too."""
        if self._memory.is_untouched(run):
            return
        # What another process remembered a moment ago may not be known yet: it must go too, and durably.
        ((is_granted, is_open),) = self._db.few(rows.LEFT_OF, (run,))
        with as_store_error:
            ended = Ended(run, rows.moment(at))
        if not is_granted and not is_open and self._db.end_later(ended):
            self._memory.forget(run)
            return
        forgotten = self._db.write("before" if is_granted else "no", self._steps.end_run, run, at, goes_on)
        self._memory.forget(None if forgotten else run)

    # Runs

    def runs(self) -> Sequence[Run]:
        """Every run in which somebody was asked, the latest first."""
        self._db.flush()
        self._bury_orphans()
        found = self._db.rows(rows.RUNS)
        with as_store_error:
            return [rows.run(row) for row in found]

    def stop_run(self, run: str, /, *, by: str, at: float) -> bool:
        """End every question of the run and refuse its later calls; False if nobody knows the run."""
        known = self._db.write("before", self._steps.stop, run, Stop(by=by, at=at))
        self._memory.forget()
        return known

    def resume_run(self, run: str, /, *, by: str, at: float) -> bool:
        """Let a stopped run go on; False if it was not stopped."""
        resumed = self._db.write("before", self._steps.resume, run, by=by, at=at)
        self._memory.forget()
        return resumed

    # Effects

    def start(self, pending: PendingId, at: float, /, *, permit: Permit | None = None, again: bool = False) -> None:
        """Record durably that the approved call starts; once."""
        self._db.write("after", self._steps.start_approved, pending, at, permit, again=again)

    def start_at_once(self, pending: Pending, ruling: Ruling, /, *, permit: Permit) -> bool:
        """Record a question, the approval it had at once and the start of its call, durably and in one step."""
        if pending.expires is not None and pending.expires <= ruling.at:
            return False
        try:
            question = self._db.write("after", self._steps.start_at_once, pending, ruling, permit)
        except NotAtOnce:
            return False
        except StoreFailed as failure:
            if isinstance(failure.__cause__, (sqlite3.Error, OSError)):
                raise
            return False  # it cannot be spelled, as the desk will say
        self._know([question])
        return True

    def finish(self, pending: PendingId, state: EffectState, at: float, /, *, detail: str = "") -> None:
        """Record how the call ended; after a loss of power it may read unknown, never as not run."""
        self._db.write("no", self._steps.finish, pending, state, at, detail)

    def _bury_orphans(self) -> bool:
        """An effect whose process is gone ended unseen: say so; whether there was one."""
        started = self._db.rows(rows.STARTED)
        with as_store_error:
            orphans = [(pending, owner, at) for pending, owner, at in started if is_gone(owner)]
        if orphans:
            self._db.write("before", self._steps.bury, orphans)
        return bool(orphans)

    # The file

    def version(self) -> object:
        """A value that differs once anybody wrote."""
        return self._db.version()

    def close(self) -> None:
        """Write what is queued and let go of the file; raises `StoreFailed` if that was lost."""
        self._db.close()
