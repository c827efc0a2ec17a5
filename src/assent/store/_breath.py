"""Questions that are answered in the breath in which they are asked, written in one step."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from assent.errors import AlreadyDecided, AssentError, ConflictingCall
from assent.model import Grant, Pending, PendingId, Ruling
from assent.store._database import Database
from assent.store._questions import Questions

_KEPT = 1024


@dataclass(slots=True, kw_only=True, eq=False)
class Unwritten:
    """A question on its way to the desk, and the answer if there is one already."""

    pending: Pending
    body: str
    ruling: Ruling | None = None


class Park(Protocol):
    """Writes a question, and returns the one that stands there then."""

    def __call__(self, connection: sqlite3.Connection, pending: Pending, body: str, *, waits: bool) -> Pending: ...


Decide = Callable[[sqlite3.Connection, Ruling, Grant | None], Ruling | None]
"""Writes the first answer, or returns the one that was there."""


class Breath:
    """What was asked here and is not on the desk yet, where nobody else can have seen it.

    An answer that comes before is queued with it, and the start of the call writes all three. If no answer
    comes, the question is on the desk within 50 ms, for everybody to see.
    """

    def __init__(self, database: Database, questions: Questions, *, park: Park, decide: Decide) -> None:
        self._database = database
        self._questions = questions
        self._park = park
        self._decide = decide
        self._unwritten: dict[PendingId, Unwritten] = {}
        self._void: dict[PendingId, AssentError] = {}

    def ask(self, pending: Pending, body: str) -> None:
        """Put the question on the desk soon."""
        asked = self._unwritten[pending.id] = Unwritten(pending=pending, body=body)
        self._database.write_soon(partial(self._write, asked), run=pending.call.run)

    def _write(self, asked: Unwritten, connection: sqlite3.Connection) -> None:
        pending, ruling = asked.pending, asked.ruling
        self._unwritten.pop(pending.id, None)
        standing = self._park(connection, pending, asked.body, waits=ruling is None)
        if standing.digest != pending.digest:
            self._refuse(pending, ConflictingCall(pending.call.tool_name, pending.call.id))
            return
        self._questions.know(standing)
        late = None if ruling is None else self._decide(connection, ruling, None)
        if late is not None:
            self._refuse(pending, AlreadyDecided(outcome=late.outcome, by=late.by, at=late.at))

    def _refuse(self, pending: Pending, why: AssentError) -> None:
        """Somebody was first with the same elsewhere: what was asked or answered here does not count."""
        if len(self._void) >= _KEPT:
            self._void.clear()
        self._void[pending.id] = why

    def answer(self, ruling: Ruling) -> bool:
        """Write this answer with its question; False if that is on the desk already."""

        def change() -> bool:
            # Whatever is written, is written under the lock that is held here.
            asked = self._unwritten.get(ruling.pending)
            if asked is None or asked.ruling is not None:
                return False
            asked.ruling = ruling
            return True

        return ruling.pending in self._unwritten and self._database.change_queued(change)

    def check(self, pending: PendingId) -> None:
        """Raise why a question or its answer does not count, if somebody was first with the same."""
        void = self._void.get(pending)
        if void is not None:
            raise void
