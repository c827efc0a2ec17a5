"""One write, and what goes into it from the queue."""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Literal, NamedTuple, Protocol

from assent.errors import StoreFailed
from assent.model import ApprovalRequest, ToolCall
from assent.store._failures import UNWRITABLE

Note = tuple[str, float, ToolCall, str, ApprovalRequest | None]
"""kind, time, call, why, request: what `noted` makes an entry of when it is written."""


class Ended(NamedTuple):
    """A run that is over, and left nothing open or remembered."""

    run: str
    at: float


Queued = Note | Ended
Sync = Literal["before", "after", "soon", "no"]
"""When the disk has what is written: before anybody sees it; before whoever writes it goes on; with the next
sync or within 50 ms; or when SQLite needs it."""


class _Database(Protocol):
    """What a write is made on; others wait from `begin` until the end."""

    def begin(self, taken: list[Queued], sync: Sync) -> sqlite3.Connection: ...
    def commit(self, taken: list[Queued], sync: Sync) -> None: ...
    def roll_back(self, taken: list[Queued]) -> None: ...


class Transaction:
    """One write, whole or not at all; what is synced survives the loss of power."""

    # No generator, and few steps: every write takes one.
    __slots__ = ("_database", "_sync", "_taken")

    def __init__(self, database: _Database, *, sync: Sync) -> None:
        self._database = database
        self._sync: Sync = sync
        self._taken: list[Queued] = []

    def __enter__(self) -> sqlite3.Connection:
        try:
            return self._database.begin(self._taken, self._sync)
        except UNWRITABLE as error:
            raise StoreFailed(str(error)) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._database.commit(self._taken, self._sync)
            else:
                self._database.roll_back(self._taken)
        except UNWRITABLE as failure:
            raise StoreFailed(str(failure)) from failure
        if isinstance(error, UNWRITABLE):
            raise StoreFailed(str(error)) from error
