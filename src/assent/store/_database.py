"""One SQLite file: a writing connection, a reading one, and the journal's queue."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assent.errors import StoreFailed
from assent.store._entries import Entry
from assent.store._journal import Head, Row, link
from assent.store._schema import migrate

FLUSH_SECONDS = 0.05
_QUEUE_LIMIT = 20_000
_BUSY_SECONDS = 10.0
MEMORY = ":memory:"

Queued = Callable[[], Entry]


class Database:
    """Transactions on one file, safe from any thread; `:memory:` is one that nobody shares."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._write_lock = threading.RLock()
        self._read_lock = threading.Lock()
        self._queue: deque[Queued] = deque()
        self._queued = threading.Event()
        self._closing = threading.Event()
        self._flusher: threading.Thread | None = None
        self._broken: BaseException | None = None
        self._sync = ""
        try:
            self._writer = self._open()
            self._reader = self._writer if path == MEMORY else self._open()
            if path == MEMORY:
                self._read_lock = self._write_lock  # type: ignore[assignment]
        except (sqlite3.Error, OSError) as error:
            message = f"cannot open the store {path}: {error}"
            raise StoreFailed(message) from error

    def _open(self) -> sqlite3.Connection:
        if self.path != MEMORY:
            # Only the owner reads it: the record holds what was proposed, word for word.
            Path(self.path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            Path(self.path).touch(mode=0o600)
        connection = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS, cached_statements=256
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
        return connection

    def enqueue(self, entry: Queued) -> None:
        """Take a journal entry to be written within 50 ms; made when it is written."""
        if self._broken is not None:
            message = f"the journal cannot be written: {self._broken}"
            raise StoreFailed(message)
        self._queue.append(entry)
        if not self._queued.is_set():
            self._queued.set()
            self._ensure_flusher()
        elif len(self._queue) > _QUEUE_LIMIT:
            self.flush()

    @contextmanager
    def transaction(self, *, durable: bool) -> Generator[sqlite3.Connection]:
        """One write, whole or not at all; `durable` also survives the loss of power."""
        with self._write_lock, _as_store_error():
            self._synchronise("FULL" if durable else "NORMAL")
            self._writer.execute("BEGIN IMMEDIATE")
            taken: list[Queued] = []
            try:
                taken = self._write_queue()
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                self._queue.extendleft(reversed(taken))
                self._writer.execute("ROLLBACK")
                raise

    def append(self, *entries: Entry) -> None:
        """Chain entries to the journal; inside a transaction."""
        head = self.head(self._writer)
        rows: list[Row] = []
        for entry in entries:
            rows.append(link(head, entry.kind, entry.at, entry.run, entry.body))
            head = Head(rows[-1][0], rows[-1][-1])
        self._writer.executemany("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._writer.execute("UPDATE journal_head SET seq = ?, hash = ?", (head.seq, head.hash))

    @staticmethod
    def head(connection: sqlite3.Connection) -> Head:
        """Where the journal ends now."""
        return Head(*connection.execute("SELECT seq, hash FROM journal_head").fetchone())

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a query finds, as of now."""
        with self._read_lock, _as_store_error():
            return self._reader.execute(query, values).fetchall()

    @contextmanager
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """A connection on which several reads see the same moment."""
        with self._read_lock, _as_store_error():
            self._reader.execute("BEGIN")
            try:
                yield self._reader
            finally:
                self._reader.execute("COMMIT")

    def version(self) -> object:
        """A number that moves when another process (or this one) wrote."""
        return self.rows("PRAGMA data_version")[0][0]

    def flush(self) -> None:
        """Write what is queued, now."""
        if self._queue:
            with self.transaction(durable=False):
                pass

    def close(self) -> None:
        """Write what is queued and let go of the file."""
        self._closing.set()
        self._queued.set()
        if self._flusher is not None and self._flusher is not threading.current_thread():
            self._flusher.join()
        with self._write_lock, self._read_lock:
            self._writer.close()
            self._reader.close()

    def _synchronise(self, wanted: str) -> None:
        if self._sync != wanted:
            self._writer.execute(f"PRAGMA synchronous = {wanted}")
            self._sync = wanted

    def _write_queue(self) -> list[Queued]:
        taken: list[Queued] = []
        while self._queue:
            taken.append(self._queue.popleft())
        if taken:
            self.append(*_made(taken))
        return taken

    def _ensure_flusher(self) -> None:
        with self._write_lock:
            if self._flusher is None:
                self._flusher = threading.Thread(target=self._flush_forever, name="assent-journal", daemon=True)
                self._flusher.start()

    def _flush_forever(self) -> None:
        closing = False
        while not closing:
            self._queued.wait()
            closing = self._closing.wait(FLUSH_SECONDS)
            self._queued.clear()
            try:
                self.flush()
            except StoreFailed as error:
                # A call whose record cannot be written must not run: `enqueue` refuses from now on.
                self._broken = error


def _made(queued: Iterable[Queued]) -> Iterator[Entry]:
    return (entry() for entry in queued)


@contextmanager
def _as_store_error() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        message = f"the store could not be used: {error}"
        raise StoreFailed(message) from error
