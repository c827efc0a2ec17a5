"""What SQLite or a text says is wrong, as the store's failure."""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Final

from assent.errors import StoreFailed

UNWRITABLE: Final = (sqlite3.Error, ValueError)
"""What says that something cannot be written or read, also a text or JSON that is none."""


def not_opened(path: str, error: Exception) -> StoreFailed:
    """Why the file cannot be opened; where none can be, what to do."""
    no_file = bool(error.errno) if isinstance(error, OSError) else _code(error) == sqlite3.SQLITE_CANTOPEN
    hint = "; give store= another path, or set XDG_STATE_HOME for the default one" if no_file else ""
    return StoreFailed(f"cannot open {path or 'nothing'}: {error}{hint}")


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


class _StoreErrors:
    """Made once, as every read needs it."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, UNWRITABLE):
            raise StoreFailed(str(error)) from error


as_store_error: Final = _StoreErrors()
"""Whatever cannot be written or read is the store's failure."""
