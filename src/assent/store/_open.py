"""Opening the file: with a write-ahead log, at the newest schema."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable
from time import monotonic, sleep
from typing import NamedTuple

from assent.errors import StoreFailed
from assent.store._failures import not_opened
from assent.store._place import Place
from assent.store._schema import migrate

MEMORY = ":memory:"
_BUSY_SECONDS = 10.0
_BUSY_PAUSE_SECONDS = 0.002
_PAGE_BYTES = 2048
_LOG_BYTES = 4 * 1024 * 1024


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


class Files(NamedTuple):
    """What is open of a record; in memory it is one connection, and no file."""

    place: Place | None
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    log: Log | None


def open_files(path: str) -> Files:
    """Open the record, and make it if there is none.

    Raises:
        StoreFailed: it cannot be opened, or not in this process.
    """
    try:
        if path == MEMORY:
            connection = _connected(path)
            return Files(None, connection, connection, None)
        place = Place(path)
        files = Files(place, _connected(path), _connected(path), Log(path))
        place.keep_private()
    except StoreFailed:
        raise
    except (sqlite3.Error, OSError) as error:
        raise not_opened(path, error) from error
    return files


def _connected(path: str) -> sqlite3.Connection:
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
