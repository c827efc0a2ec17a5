"""Opening the file: for its owner alone, with a write-ahead log, at the newest schema."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from assent.store._schema import migrate

MEMORY = ":memory:"
_BUSY_SECONDS = 10.0
_BUSY_PAUSE_SECONDS = 0.002
_PAGE_BYTES = 2048
_LOG_BYTES = 4 * 1024 * 1024
_ADDRESSES = ("file:", "sqlite:")
"""What other libraries take for an address; SQLite itself may open something else than is named."""


class Log:
    """The file of the write-ahead log, which is the same as long as a connection is open."""

    def __init__(self, path: str) -> None:
        # As SQLite finds it: beside the file itself, not beside a link to it.
        self._file = os.open(f"{os.path.realpath(path)}-wal", os.O_RDWR)
        self.close = weakref.finalize(self, os.close, self._file)

    def fileno(self) -> int:
        return self._file


sync_file: Callable[[Log], None] = getattr(os, "fdatasync", os.fsync)
"""Returns when the disk has what was written to the file."""


def opened(path: str) -> sqlite3.Connection:
    """A connection to the file, which is made if there is none."""
    if not path or "\0" in path or path.startswith(_ADDRESSES):
        message = "that is no path of a file; give one, such as assent.sqlite3"
        raise OSError(message)
    if path != MEMORY:
        # Only the owner reads it: the record holds what was proposed, word for word.
        Path(path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        Path(path).touch(mode=0o600)
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS, cached_statements=256
    )
    try:
        # For a new file: a change is written by the page, and ours are small.
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        _use_wal(connection)
        connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; unlike all else, SQLite does not wait here for who does the same."""
    end = monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > end:
                raise
            sleep(_BUSY_PAUSE_SECONDS)
        else:
            return
