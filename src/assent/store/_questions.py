"""Questions of late, at hand: one never changes once it is on the desk, and never leaves the record."""

from __future__ import annotations

import sqlite3
from typing import TypeVar

from assent.model import Pending, PendingId, wire

_KEPT = 1024

K = TypeVar("K")


class Questions:
    """What was read or written of late, by its text and, if it was asked here, by its id."""

    def __init__(self) -> None:
        self._read: dict[str, Pending] = {}
        self._asked_here: dict[PendingId, Pending] = {}

    def read(self, body: str) -> Pending:
        """The question that this text spells."""
        return self._read.get(body) or _keep(self._read, body, wire.load(Pending, body))

    def find(self, connection: sqlite3.Connection, pending: PendingId) -> Pending | None:
        """The question of this id; None if it was never on the desk."""
        known = self._asked_here.get(pending)
        if known is not None:
            return known
        row = connection.execute("SELECT body FROM pending WHERE id = ?", (pending,)).fetchone()
        return None if row is None else self.read(row[0])

    def read_as(self, body: str, pending: Pending) -> None:
        """This text was made of this question: it need not be read."""
        _keep(self._read, body, pending)

    def know(self, pending: Pending) -> None:
        """The question was asked here, and is on the desk."""
        _keep(self._asked_here, pending.id, pending)


def _keep(kept: dict[K, Pending], key: K, pending: Pending) -> Pending:
    if len(kept) >= _KEPT:
        kept.clear()
    kept[key] = pending
    return pending
