"""The record in one SQLite file, shared by every process that opens it."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from os import PathLike, fspath

from assent.errors import AlreadyDecided, StoreFailed, UnknownPending
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
from assent.store import _entries as entries
from assent.store import _rows as rows
from assent.store._database import Database
from assent.store._failures import as_store_error
from assent.store._journal import first_broken
from assent.store._memory import Remembered
from assent.store._open import MEMORY
from assent.store._owner import is_gone, this_process
from assent.store._questions import Questions
from assent.store._steps import RULING, NotAtOnce, Steps
from assent.store._transaction import Ended


class SQLiteStore:
    """`Store` on SQLite: WAL, full sync for decisions and effects; safe from any thread."""

    def __init__(self, path: str | PathLike[str] = MEMORY) -> None:
        self._db = Database(fspath(path))
        self.shared = self._db.path != MEMORY
        self._memory = Remembered(
            version=self._db.foreign_version if self.shared else None,
            load_grants=self._load_grants,
            load_wider=self._load_wider,
            load_history=self._load_history,
            load_runs=self._load_runs,
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
        with self._db.transaction(sync="no") as connection:
            rows.tidy(connection)
            standing = [self._steps.park(connection, pending) for pending in pendings]
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
        found = self._db.few(rows.ASKED_IN, (after, limit + 1))
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
        found = self._db.rows(f"{rows.WAITING} ORDER BY p.rowid")
        with as_store_error:
            return [self._questions.read(body) for (body,) in found]

    def content(self, pending: PendingId, sha256: str, /) -> bytes | None:
        """The whole of a version that a waiting question speaks of; None once it has ended."""
        found = self._db.rows("SELECT body FROM contents WHERE pending = ? AND sha256 = ?", (pending, sha256))
        return zlib.decompress(found[0][0]) if found else None

    def ruling(self, pending: PendingId, /) -> Ruling | None:
        """How the question ended; None while it waits."""
        found = self._db.few(RULING, (pending,))
        with as_store_error:
            return rows.ruling(found[0]) if found else None

    def decide(self, ruling: Ruling, /, *, grant: Grant | None = None, starts: bool = False) -> None:
        """Record the end of a question and what is remembered of it, durably; with the call's start, if it `starts`."""
        with self._db.transaction(sync="soon" if starts else "before") as connection:
            late = self._steps.decide(connection, ruling, grant)
        if grant is not None or ruling.outcome is Outcome.STOPPED:
            self._memory.forget()
        if late is not None:
            raise AlreadyDecided(outcome=late.outcome, by=late.by, at=late.at)

    def decide_all(self, answers: Sequence[tuple[Ruling, Grant | None]], /) -> Sequence[Ruling | None]:
        """As `decide`, all of them or none; for each, the end that was first and stands, if there was one."""
        with self._db.transaction(sync="before") as connection:
            before = [self._steps.decide(connection, ruling, grant) for ruling, grant in answers]
        self._memory.forget()
        return before

    def expire(self, now: float, /) -> bool:
        """End every question whose time is over; whether there was one."""
        if not self._db.rows(rows.OVERDUE, (now,)):
            return False
        with self._db.transaction(sync="before") as connection:
            self._steps.end_all(connection, now)
        return True

    # What is remembered

    def remember(self, grant: Grant, /, *, of: PendingId | None = None) -> bool:
        """Add a remembered answer, durably; of a question, once: a revoked one does not come back."""
        with self._db.transaction(sync="before") as connection:
            if of is not None:
                first = "UPDATE decisions SET remembered = 1 WHERE pending = ? AND remembered = 0"
                if not connection.execute(first, (of,)).rowcount:
                    return False
            rows.insert_grant(connection, grant)
            self._db.entries.append(entries.remembered(grant))
        self._memory.forget()
        return True

    def use(self, grant: GrantId, at: float, /) -> bool:
        """Count a call that a counting grant lets through; False if it lets no more through."""
        with self._db.transaction(sync="before") as connection:
            row = connection.execute("SELECT body FROM grants WHERE id = ?", (grant,)).fetchone()
            found = None if row is None else wire.load(Grant, row[0])
            usable = found is not None and (found.expires is None or at < found.expires)
            if usable and found is not None and found.calls is not None:
                rows.use(connection, found, found.calls - 1)
                if found.calls == 1:
                    self._db.entries.append(entries.used_up(found, at))
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
        with self._db.transaction(sync="before") as connection:
            row = connection.execute("DELETE FROM grants WHERE id = ? RETURNING body", (grant,)).fetchone()
            if row is not None:
                self._db.entries.append(entries.revoked(wire.load(Grant, row[0]), by, at))
        self._memory.forget()
        return row is not None

    def end_run(self, run: str, at: float, /) -> None:
        """Forget what was remembered for this run only."""
        if self._memory.is_untouched(run):
            return
        # What another process remembered a moment ago may not be known yet: it must go too, and durably.
        ((is_granted, is_open),) = self._db.few(rows.LEFT_OF, (run,))
        with as_store_error:
            ended = Ended(run, rows.moment(at))
        if not is_granted and not is_open and self._db.end_later(ended):
            self._memory.forget(run)
            return
        with self._db.transaction(sync="before" if is_granted else "no") as connection:
            connection.execute(rows.END, (at, run))
            forgotten = connection.execute("DELETE FROM grants WHERE run = ? RETURNING id", (run,)).fetchall()
            self._db.entries.append(entries.ended(run, at, sorted(grant for (grant,) in forgotten)))
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
        stop = Stop(by=by, at=at)
        with self._db.transaction(sync="before") as connection:
            known = self._steps.stop_run(connection, run, stop)
            if known:
                self._db.entries.append(entries.stopped(run, stop))
        self._memory.forget()
        return known

    def resume_run(self, run: str, /, *, by: str, at: float) -> bool:
        """Let a stopped run go on; False if it was not stopped."""
        with self._db.transaction(sync="before") as connection:
            goes_on = "UPDATE runs SET stopped_by = NULL, stopped_at = NULL WHERE id = ? AND stopped_by IS NOT NULL"
            resumed = bool(connection.execute(goes_on, (run,)).rowcount)
            if resumed:
                self._db.entries.append(entries.resumed(run, by, at))
        self._memory.forget()
        return resumed

    # Effects

    def start(self, pending: PendingId, at: float, /, *, permit: Permit | None = None, again: bool = False) -> None:
        """Record durably that the approved call starts; once."""
        with self._db.transaction(sync="after") as connection:
            question = self._questions.find(connection, pending)
            if question is None:
                raise UnknownPending(pending)
            if again:
                connection.execute("DELETE FROM effects WHERE pending = ? AND state = 'unknown'", (pending,))
            self._steps.start(connection, question, at, permit)

    def start_at_once(self, pending: Pending, ruling: Ruling, /, *, permit: Permit) -> bool:
        """Record a question, the approval it had at once and the start of its call, durably and in one step."""
        if pending.expires is not None and pending.expires <= ruling.at:
            return False
        try:
            with self._db.transaction(sync="after") as connection:
                question = self._steps.start_at_once(connection, pending, ruling, permit)
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
        with self._db.transaction(sync="no") as connection:
            self._steps.finish(connection, pending, state, at, detail, owner=None)

    def _bury_orphans(self) -> bool:
        """An effect whose process is gone ended unseen: say so; whether there was one."""
        started = self._db.rows("SELECT pending, owner, started FROM effects WHERE state = 'started'")
        with as_store_error:
            orphans = [(pending, owner, at) for pending, owner, at in started if is_gone(owner)]
        if orphans:
            with self._db.transaction(sync="before") as connection:
                for pending, owner, at in orphans:
                    detail = "the process that ran it ended before it did"
                    # Another process may have seen it first, and even have started it again.
                    self._steps.finish(connection, pending, EffectState.UNKNOWN, at, detail, owner=owner)
        return bool(orphans)

    # The file

    def version(self) -> object:
        """A value that differs once anybody wrote."""
        return self._db.version()

    def close(self) -> None:
        """Write what is queued and let go of the file; raises `StoreFailed` if that was lost."""
        self._db.close()
