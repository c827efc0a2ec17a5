"""One SQLite file: a writing connection, a reading one, and the journal's queue."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain
from os import getpid
from threading import get_ident
from time import monotonic, sleep
from typing import Any, Concatenate, ParamSpec, TypeVar

from assent.errors import StoreFailed
from assent.model import ApprovalRequest, ToolCall
from assent.store import _forks
from assent.store._entries import ended, noted
from assent.store._failures import UNWRITABLE, as_store_error
from assent.store._flusher import Flusher
from assent.store._journal import Entry, Head, Row, chained
from assent.store._open import MEMORY, open_files, sync_file
from assent.store._queued import Ended, Queued, Sync
from assent.store._rows import ENDED, GRANTED_TO, LEFT_LATE

_PATIENCE_SECONDS = 0.005
_QUEUE_LIMIT = 20_000
_AT_ONCE = 50
"""How many entries one statement writes: at each, a thread lets go of Python and must wait to get it back."""


P = ParamSpec("P")
R = TypeVar("R")


class Database:
    """Transactions on one file, safe from any thread; `:memory:` is one that nobody shares."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._process = getpid()
        _forks.watch()
        self._forks = _forks.count
        self._write_lock = threading.RLock()
        self._read_lock = self._write_lock if path == MEMORY else threading.RLock()
        self._queue: deque[Queued] = deque()
        self.entries: list[Entry] = []
        """What the transaction adds to the journal when it is committed."""
        self._flusher = Flusher(self._flush_queued, at_exit=self._flush_at_exit)
        self._queued = self._flusher.woken
        self._broken: StoreFailed | None = None
        self._lost = ""
        """Why nothing more is written: what was, the disk may not have."""
        self._level = ""
        self._writing = False
        self._writers: set[int] = set()
        """The threads that write, or wait to."""
        self._syncing = threading.Lock()
        # How many transactions were committed; up to which one they are to be synced, and are.
        self._commits = self._owed = self._synced = 0
        self._forgotten = 0
        self._head = Head(0, "")
        self._place, self._writer, self._reader, self._log = open_files(path)

    def note(self, kind: str, at: float, call: ToolCall, why: str, request: ApprovalRequest | None = None, /) -> None:
        """Queue a journal entry about a call nobody is asked about, to be written within 50 ms."""
        if self._broken is not None or self._forks != _forks.count:
            self._refuse()
        # The entry is made when it is written.
        self._queue.append((kind, at, call, why, request))
        if self._queued.empty():
            self._wake()
        elif len(self._queue) > _QUEUE_LIMIT:
            self.flush()

    def end_later(self, run: Ended) -> bool:
        """Queue the end of a run, to be written within 50 ms; False if the queue waits for what broke."""
        if self._forks != _forks.count:
            self.refuse_fork()
        if self._broken is not None:
            return False
        self._queue.append(run)
        if self._queued.empty():
            self._wake()
        return True

    def _wake(self) -> None:
        if not self._flusher.wake():
            self.flush()

    def _refuse(self) -> None:
        """Take nothing that cannot be written, or not from here."""
        if self._lost:
            raise StoreFailed(self._lost)
        if self._broken is not None:
            message = f"the journal cannot be written: {self._broken.reason}"
            raise StoreFailed(message)
        self.refuse_fork()

    def write(
        self, sync: Sync, work: Callable[Concatenate[sqlite3.Connection, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Do the work in one transaction, whole or not at all, and write what is queued with it.

        A function and no `with`: an interrupt could come between a lock and whoever is to let go of it.
        """
        if getpid() != self._process:
            self.refuse_fork()
        self._writers.add(me := get_ident())
        try:
            with self._write_lock:
                self._prepare("FULL" if sync == "before" else "NORMAL")
                head = self._head
                result = self._transact(work, *args, **kwargs)
                self._commits = commit = self._commits + 1
                if sync in ("after", "soon"):
                    self._owed = commit
                elif sync == "before" and self._head is not head:
                    self._synced = commit  # where nothing was written, SQLite syncs nothing
        except UNWRITABLE as error:
            raise StoreFailed(str(error)) from error
        finally:
            self._writers.discard(me)
        try:
            if sync == "after":
                self._sync(commit)
        finally:
            if self._owes_sync and self._queued.empty():
                self._wake()
        return result

    def _prepare(self, level: str) -> None:
        """Say how SQLite syncs: with every commit, or only where the file would be damaged otherwise."""
        if self._lost:
            self._refuse()
        if self._place is not None:
            self._place.check()
        if self._writing:
            message = "something else is being written in this very thread, as by a handler of a signal"
            raise StoreFailed(message)
        if self._writer.in_transaction:
            self._undo([])  # an interrupt came while one was undone
        if self._level != level:
            # Unknown, should an interrupt come in between.
            self._level = ""
            self._writer.execute(f"PRAGMA synchronous = {level}")
            self._level = level

    def _transact(
        self, work: Callable[Concatenate[sqlite3.Connection, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        taken: list[Queued] = []
        try:
            self._writing = True
            self._writer.execute("BEGIN IMMEDIATE")
            if self._queue:
                self._write_queue(taken)
            result = work(self._writer, *args, **kwargs)
            if self.entries:
                self._continue_journal()
            self._writer.execute("COMMIT")
        except BaseException:
            if not self._is_committed():
                self._undo(taken)
            raise
        finally:
            self._writing = False
        return result

    @property
    def _owes_sync(self) -> bool:
        return self._owed > self._synced

    def _sync(self, commit: int) -> None:
        """Wait until the disk has this transaction, and all before it; others may write meanwhile."""
        with self._syncing:
            if self._synced >= commit:
                return
            if self._lost:
                self._refuse()
            written = self._commits
            if self._log is not None:
                try:
                    sync_file(self._log)
                except OSError as error:
                    # What a failed sync has let go of, no later one brings back: nothing more is taken.
                    self._lost = f"the disk did not take what was written to {self.path}: {error}"
                    self._broken = StoreFailed(self._lost)
                    raise self._broken from error
            self._synced = max(self._synced, written)

    def _is_committed(self) -> bool:
        """Whether it was written although somebody was interrupted: then nothing is written again."""
        if self.entries or self._writer.in_transaction:
            return False
        with suppress(sqlite3.Error):
            return self.head(self._writer) == self._head
        return False

    def _undo(self, taken: list[Queued]) -> None:
        self.entries.clear()
        self._owed = min(self._owed, self._commits)
        self._put_back(taken)
        # A full disk has rolled back already: asking again would hide what happened.
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")

    def _continue_journal(self) -> None:
        """Write all entries of a transaction, at once."""
        rows = chained(self._head, self.entries)
        if not self._move_head(self._head, rows[-1]):
            # Another process wrote, or what was written last was taken back: the file knows where it ends.
            head = self.head(self._writer)
            if head is None:
                message = "the journal does not say where it ends: nothing can continue it"
                raise StoreFailed(message)
            rows = chained(head, self.entries)
            self._move_head(head, rows[-1])
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            self._writer.execute(_insert(len(some)), [*chain.from_iterable(some)])
        self._head = Head(rows[-1][0], rows[-1][-1])
        self.entries.clear()

    def _move_head(self, start: Head, last: Row) -> bool:
        """Say that the journal ends with this entry; False if it does not start there."""
        moved = "UPDATE journal_head SET seq = ?, hash = ? WHERE seq = ? AND hash = ?"
        return self._writer.execute(moved, (last[0], last[-1], *start)).rowcount == 1

    @staticmethod
    def head(connection: sqlite3.Connection) -> Head | None:
        """Where the journal ends now; None if somebody removed that."""
        found = connection.execute("SELECT seq, hash FROM journal_head").fetchone()
        return Head(*found) if found else None

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a query finds, as of now."""
        self.refuse_fork()
        with self._read_lock, as_store_error:
            return self._reader.execute(query, values).fetchall()

    def few(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a short query finds; it may hold up a write for that long."""
        self.refuse_fork()
        # The writing connection has at hand what it wrote; the reading one must fetch it from the file again. Looked
        # at, and not tried: an interrupt could come between a lock that is tried and whoever is to let go of it.
        if not self._writers:
            with self._write_lock, as_store_error:
                if not self._writer.in_transaction:
                    return self._writer.execute(query, values).fetchall()
        return self.rows(query, values)

    @contextmanager
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """A connection on which several reads see the same moment, and any bytes are a text."""
        self.refuse_fork()
        with self._read_lock, as_store_error:
            try:
                self._reader.execute("BEGIN")
                self._reader.text_factory = _any_text
                yield self._reader
            finally:
                self._reader.text_factory = str
                if self._reader.in_transaction:
                    self._reader.execute("COMMIT")

    def version(self) -> object:
        """A number that moves when another process (or this one) wrote."""
        self.refuse_fork()
        if self.path != MEMORY:
            return self.rows("PRAGMA data_version")[0][0]
        # That pragma counts the writes of other connections, and memory has no other.
        with self._read_lock, as_store_error:
            return self._reader.total_changes

    def foreign_version(self) -> object:
        """A value that moves when another process wrote, and not by what is written here and told at once."""
        self.refuse_fork()
        # The writing connection counts the writes of all others, but tells nobody while it writes itself: that is
        # mostly short, and to read everything again takes longer.
        end = monotonic() + _PATIENCE_SECONDS
        while self._writers:
            if monotonic() > end:
                return object()
            sleep(_PATIENCE_SECONDS / 20)
        with self._write_lock, as_store_error:
            return self._writer.execute("PRAGMA data_version").fetchone()[0], self._forgotten

    def flush(self) -> None:
        """Write what is queued, now, and sync what was to be synced soon."""
        self.refuse_fork()
        self._writers.add(me := get_ident())
        try:
            # Under the lock: what another thread has taken from the queue is written when this returns.
            with self._write_lock:
                if self._queue:
                    self.write("no", _nothing)
        finally:
            self._writers.discard(me)
        if self._owes_sync:
            self._sync(self._owed)

    def close(self) -> None:
        """Write what is queued and let go of the file.

        Raises:
            StoreFailed: what was queued could not be written; it is lost.
        """
        if getpid() != self._process:
            return
        self._flusher.close()
        with self._write_lock, self._read_lock:
            self._broken = StoreFailed("it is closed")
            try:
                self.flush()
            except Exception:
                self._let_go()
                raise
            # Whoever is interrupted before this can close it once more.
            self._let_go()

    def _let_go(self) -> None:
        self._queue.clear()
        self._owed = self._synced
        if self._log is not None:
            with self._syncing:
                self._log.close()
        self._writer.close()
        self._reader.close()
        if self._place is not None:
            self._place.leave()

    def refuse_fork(self) -> None:
        """SQLite's connections and our locks do not survive a fork; the parent writes the queue."""
        if getpid() != self._process:
            raise _forks.refusal(self.path)

    def _flush_at_exit(self) -> None:
        if getpid() == self._process:
            self.flush()

    def _write_queue(self, taken: list[Queued]) -> None:
        """Write what is queued; `taken` knows what to put back, also when this fails halfway."""
        while self._queue:
            taken.append(self._queue.popleft())
        for each in taken:
            if isinstance(each, Ended):
                self._writer.execute(ENDED, (each.run, each.at))
                self.entries.append(ended(each.run, each.at, self._forget_late(each)))
            else:
                self.entries.append(noted(*each))

    def _forget_late(self, run: Ended) -> list[str]:
        """Forget what somebody remembered for the run since it ended."""
        # Mostly there is nothing: to look for it takes a fifth of the time that a deletion takes to find none.
        if self._writer.execute(GRANTED_TO, (run.run,)).fetchone() is None:
            return []
        late = sorted(grant for (grant,) in self._writer.execute(LEFT_LATE, (run.run, run.at)))
        if late:
            self._owed = self._commits + 1
            self._forgotten += 1
        return late

    def _put_back(self, taken: list[Queued]) -> None:
        if taken:
            self._queue.extendleft(reversed(taken))
            # It was woken for these before, and may sleep again.
            self._flusher.wake_again()

    def _flush_queued(self) -> bool:
        """What the journal's thread does; False if it must be tried again."""
        try:
            self.flush()
        except Exception as error:  # noqa: BLE001 — whatever it is, it is tried again
            # A call whose record cannot be written must not run: `note` refuses until it can.
            self._broken = error if isinstance(error, StoreFailed) else StoreFailed(repr(error))
            return False
        self._broken = StoreFailed(self._lost) if self._lost else None
        return True


@cache
def _insert(rows: int) -> str:
    return f"INSERT INTO journal VALUES {', '.join(['(?, ?, ?, ?, ?, ?, ?)'] * rows)}"  # noqa: S608 — made of constants


def _any_text(content: bytes) -> str:
    return content.decode(errors="surrogateescape")


def _nothing(_connection: sqlite3.Connection) -> None:
    pass
