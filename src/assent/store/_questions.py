"""Questions of late, at hand: one never changes once it is on the desk, and never leaves the record."""

from __future__ import annotations

import sqlite3

from assent.model import Pending, PendingId, wire

_MOST = 1024
_MOST_CHARACTERS = 32_000_000
"""A question may hold a whole file, and two versions of it."""


class Questions:
    """What was read or written of late, by its text and, if it was asked here, by its id."""

    def __init__(self) -> None:
        self._read: dict[str, Pending] = {}
        self._asked_here: dict[PendingId, Pending] = {}
        self._characters = 0

    def read(self, body: str) -> Pending:
        """The question that this text spells."""
        known = self._read.get(body)
        if known is None:
            known = wire.load(Pending, body)
            self.read_as(body, known)
        return known

    def find(self, connection: sqlite3.Connection, pending: PendingId) -> Pending | None:
        """The question of this id; None if it was never on the desk."""
        known = self._asked_here.get(pending)
        if known is not None:
            return known
        row = connection.execute("SELECT body FROM pending WHERE id = ?", (pending,)).fetchone()
        return None if row is None else self.read(row[0])

    def read_as(self, body: str, pending: Pending) -> None:
        """This text was made of this question: it need not be read."""
        if len(self._read) >= _MOST or self._characters + len(body) > _MOST_CHARACTERS:
            self._read.clear()
            self._asked_here.clear()
            self._characters = 0
        self._read[body] = pending
        self._characters += len(body)

    def know(self, pending: Pending) -> None:
        """The question was asked here, and is on the desk."""
        if len(self._asked_here) >= _MOST:
            self._asked_here.clear()
        self._asked_here[pending.id] = pending
