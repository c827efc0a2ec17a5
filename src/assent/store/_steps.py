"""The steps of a question's life, each within a transaction that somebody else begins and ends."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from assent.errors import AlreadySpent, AssentError, Stopped, StoreFailed, UnknownPending
from assent.model import EffectState, Grant, Outcome, Pending, PendingId, Permit, Ruling, Stop, wire
from assent.store import _entries as entries
from assent.store import _rows as rows
from assent.store._database import Database
from assent.store._questions import Questions

RULING = f"SELECT {rows.RULING} FROM decisions d WHERE d.pending = ?"  # noqa: S608 — made of constants


class NotAtOnce(Exception):
    """What was to be written in one step cannot be: all of it is taken back."""


class Steps:
    """Asked, answered, started, finished: the rows and the journal's entries of each."""

    def __init__(self, database: Database, questions: Questions, owner: str) -> None:
        self._db = database
        self._questions = questions
        self._owner = owner

    def park(self, connection: sqlite3.Connection, pending: Pending) -> Pending:
        """Put a question on the desk, and return it as it stands."""
        written = self._write(connection, pending, waits=True)
        if written is None:
            return self._questions.find(connection, pending.id) or pending
        pending, stop = written
        if stop is not None:
            # It was judged before somebody stopped the run: it must not be left for another to approve.
            self.end(connection, pending, rows.cancelled(pending, stop))
        return pending

    def start_at_once(
        self, connection: sqlite3.Connection, pending: Pending, ruling: Ruling, permit: Permit
    ) -> Pending:
        """Write a question, the approval it had before anybody else could see it, and the start of its call.

        Raises:
            NotAtOnce: it was asked before, or its run was stopped.
        """
        written = self._write(connection, pending, waits=False)
        if written is None:
            raise NotAtOnce
        question, stop = written
        if stop is not None or not self.end(connection, question, ruling):
            raise NotAtOnce
        self.start(connection, question, ruling.at, permit)
        return question

    def _write(
        self, connection: sqlite3.Connection, pending: Pending, *, waits: bool
    ) -> tuple[Pending, Stop | None] | None:
        """Write a question, and return who has stopped its run; None if it is there already."""
        written = rows.park(connection, pending, waits=waits)
        if written is None:
            return None
        body, is_new_run = written
        if pending.preview.contents:
            # Whole files stay on the disk, where every reader of the desk finds them.
            pending = replace(pending, preview=replace(pending.preview, contents={}))
        self._questions.read_as(body, pending)
        self._db.entries.append(entries.parked(pending))
        return pending, None if is_new_run else rows.stop(connection, pending.call.run)

    def decide(self, connection: sqlite3.Connection, given: Ruling, grant: Grant | None) -> Ruling | None:
        """Write the first answer, or return the one that was there."""
        ruling = given
        pending = self._questions.find(connection, ruling.pending)
        if pending is None:
            raise UnknownPending(ruling.pending)
        if pending.expires is not None and pending.expires <= ruling.at and ruling.outcome is not Outcome.EXPIRED:
            ruling, grant = rows.expired(pending, ruling.at), None
        if grant is not None and grant.run is not None and rows.has_ended(connection, pending):
            grant = None
        if not self.end(connection, pending, ruling, grant):
            return rows.ruling(connection.execute(RULING, (ruling.pending,)).fetchone())
        if ruling.outcome is Outcome.STOPPED:
            self.stop_run(connection, pending.call.run, Stop(by=ruling.by, at=ruling.at))
        return None if ruling is given else ruling

    def end(self, connection: sqlite3.Connection, pending: Pending, ruling: Ruling, grant: Grant | None = None) -> bool:
        """Write how the question ended and what is remembered of it; False if it had ended before."""
        words = None if ruling.decision is None else wire.dump_decision(ruling.decision)
        written = connection.execute(
            "INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (ruling.pending, str(ruling.outcome), ruling.by, ruling.at, words, ruling.detail, grant is not None),
        )
        if not written.rowcount:
            return False
        if grant is not None:
            rows.insert_grant(connection, grant)
        self._db.entries.append(entries.decided(pending, ruling, grant))
        return True

    def end_all(self, connection: sqlite3.Connection, now: float) -> None:
        """End every question whose time is over."""
        for (body,) in connection.execute(rows.OVERDUE, (now,)).fetchall():
            pending = self._questions.read(body)
            self.end(connection, pending, rows.expired(pending, now))

    def stop_run(self, connection: sqlite3.Connection, run: str, stop: Stop) -> bool:
        """Write who stopped the run, and end what it waits for; False if nobody knows it."""
        first = "UPDATE runs SET stopped_by = ?, stopped_at = ? WHERE id = ?"
        if not connection.execute(first, (stop.by, stop.at, run)).rowcount:
            return False
        for (body,) in connection.execute(f"{rows.WAITING} AND p.run = ?", (run,)).fetchall():
            pending = self._questions.read(body)
            self.end(connection, pending, rows.cancelled(pending, stop))
        return True

    def start(self, connection: sqlite3.Connection, question: Pending, at: float, permit: Permit | None) -> None:
        """Write that the approved call starts; once."""
        if not connection.execute(rows.START, (question.id, self._owner, at, question.call.run)).rowcount:
            raise self._no_start(connection, question)
        call, request = (question.call, None) if permit is None else (permit.call, permit.request)
        self._db.entries.append(entries.started(question, at, call, request))

    def _no_start(self, connection: sqlite3.Connection, question: Pending) -> AssentError:
        stop = rows.stop(connection, question.call.run)
        if stop is not None:
            return Stopped(by=stop.by)
        if connection.execute("SELECT 1 FROM effects WHERE pending = ?", (question.id,)).fetchone():
            return AlreadySpent(question.call.tool_name)
        return StoreFailed(f"no approval of {question.call.tool_name} is on the record, so it does not start")

    def finish(
        self,
        connection: sqlite3.Connection,
        pending: PendingId,
        state: EffectState,
        at: float,
        detail: str,
        *,
        owner: str | None,
    ) -> None:
        """End an effect that runs, of this owner if one is named; what ended before stays as it is."""
        question = self._questions.find(connection, pending)
        if question is None:
            raise UnknownPending(pending)
        ended = connection.execute(
            "UPDATE effects SET state = ?, ended = ?, detail = ?"
            " WHERE pending = ? AND state = 'started' AND owner = ifnull(?, owner)",
            (str(state), at, detail, pending, owner),
        )
        if ended.rowcount:
            self._db.entries.append(entries.effect(pending, question.call.run, state, at, detail))
