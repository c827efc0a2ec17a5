"""The steps of a question's life, each within a transaction that somebody else begins and ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from assent.errors import AlreadySpent, AssentError, Stopped, StoreFailed, UnknownPending
from assent.model import EffectState, Grant, GrantId, Outcome, Pending, PendingId, Permit, Ruling, Stop, wire
from assent.store import _entries as entries
from assent.store import _rows as rows
from assent.store._database import Database
from assent.store._questions import Questions
from assent.store._spelling import whole


class NotAtOnce(Exception):
    """What was to be written in one step cannot be: all of it is taken back."""


class Steps:
    """Asked, answered, started, finished: the rows and the journal's entries of each."""

    def __init__(self, database: Database, questions: Questions, owner: str) -> None:
        self._db = database
        self._questions = questions
        self._owner = owner

    def park_all(self, connection: sqlite3.Connection, pendings: Sequence[Pending]) -> list[Pending]:
        """Put questions on the desk, which is tidied first, and return them as they stand."""
        rows.tidy(connection)
        return [self._park(connection, pending) for pending in pendings]

    def _park(self, connection: sqlite3.Connection, given: Pending) -> Pending:
        pending = self._write(connection, given, waits=True)
        if pending is None:
            return self._questions.find(connection, given.id) or given
        stop = rows.stop(connection, pending.call.run)
        if stop is not None:
            # It was judged before somebody stopped the run: it must not be left for another to approve.
            self.end(connection, pending, rows.cancelled(pending, stop))
        return pending

    def start_at_once(self, connection: sqlite3.Connection, given: Pending, ruling: Ruling, permit: Permit) -> Pending:
        """Write a question, the approval it had before anybody else could see it, and the start of its call.

        Raises:
            NotAtOnce: it was asked before, its run was stopped, or the answer is no approval of it.
        """
        pending = self._write(connection, given, waits=False)
        if pending is None or pending.id != ruling.pending:
            raise NotAtOnce
        run = pending.call.run
        if not connection.execute(rows.ANSWER_AND_START, (run, *rows.of_ruling(ruling), self._owner)).rowcount:
            raise NotAtOnce
        self._db.entries.append(entries.decided(pending, ruling, None))
        self._db.entries.append(entries.started(pending, ruling.at, permit.call, permit.request))
        return pending

    def _write(self, connection: sqlite3.Connection, pending: Pending, *, waits: bool) -> Pending | None:
        """Write a question, and return it as readers of the desk see it; None if it is there already."""
        body = rows.park(connection, pending, waits=waits)
        if body is None:
            return None
        if pending.preview.contents:
            # Whole files stay on the disk, where every reader of the desk finds them.
            pending = replace(pending, preview=replace(pending.preview, contents={}))
        self._questions.read_as(body, pending)
        self._db.entries.append(entries.parked(pending))
        return pending

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
            return rows.ruling(connection.execute(rows.RULING, (ruling.pending,)).fetchone())
        if ruling.outcome is Outcome.STOPPED:
            self.stop_run(connection, pending.call.run, Stop(by=ruling.by, at=ruling.at))
        return None if ruling is given else ruling

    def decide_all(
        self, connection: sqlite3.Connection, answers: Sequence[tuple[Ruling, Grant | None]]
    ) -> list[Ruling | None]:
        """Write the first answers to several questions, or return those that were there."""
        return [self.decide(connection, ruling, grant) for ruling, grant in answers]

    def end(self, connection: sqlite3.Connection, pending: Pending, ruling: Ruling, grant: Grant | None = None) -> bool:
        """Write how the question ended and what is remembered of it; False if it had ended before."""
        if not connection.execute(rows.ANSWER, (*rows.of_ruling(ruling), grant is not None)).rowcount:
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
        if not connection.execute(rows.STOP_RUN, (run, stop.by, stop.at)).rowcount:
            return False
        for (body,) in connection.execute(rows.DESK_OF_RUN, (run,)).fetchall():
            pending = self._questions.read(body)
            self.end(connection, pending, rows.cancelled(pending, stop))
        return True

    def stop(self, connection: sqlite3.Connection, run: str, stop: Stop) -> bool:
        """The same for somebody who stops it without answering a question."""
        known = self.stop_run(connection, run, stop)
        if known:
            self._db.entries.append(entries.stopped(run, stop))
        return known

    def resume(self, connection: sqlite3.Connection, run: str, *, by: str, at: float) -> bool:
        """Write that a stopped run goes on; False if it was not stopped."""
        goes_on = "UPDATE runs SET stopped_by = NULL, stopped_at = NULL WHERE id = ? AND stopped_by IS NOT NULL"
        resumed = bool(connection.execute(goes_on, (run,)).rowcount)
        if resumed:
            self._db.entries.append(entries.resumed(run, by, at))
        return resumed

    def end_run(self, connection: sqlite3.Connection, run: str, at: float, goes_on: bool) -> list[str]:  # noqa: FBT001 — handed on by `write`
        """Write that the run is over, and return what was remembered for it alone and is forgotten."""
        connection.execute(rows.END_OF_TURN if goes_on else rows.ENDED, (run, at))
        left = connection.execute("DELETE FROM grants WHERE run = ? RETURNING id", (run,)).fetchall()
        forgotten = sorted(grant for (grant,) in left)
        self._db.entries.append(entries.ended(run, at, forgotten))
        return forgotten

    def remember(self, connection: sqlite3.Connection, grant: Grant, of: PendingId | None) -> bool:
        """Write what is remembered; of a question, once."""
        if of is not None:
            first = "UPDATE answers SET remembered = 1 WHERE pending = ? AND remembered = 0"
            if not connection.execute(first, (of,)).rowcount:
                return False
        rows.insert_grant(connection, grant)
        self._db.entries.append(entries.remembered(grant))
        return True

    def use(self, connection: sqlite3.Connection, grant: GrantId, at: float) -> bool:
        """Count a call; False if the grant lets no more through."""
        row = connection.execute("SELECT body FROM grants WHERE id = ?", (grant,)).fetchone()
        found = None if row is None else wire.load(Grant, row[0])
        if found is None or (found.expires is not None and at >= found.expires):
            return False
        if found.calls is not None:
            rows.use(connection, found, found.calls - 1)
            if found.calls == 1:
                self._db.entries.append(entries.used_up(found, at))
        return True

    def revoke(self, connection: sqlite3.Connection, grant: GrantId, *, by: str, at: float) -> bool:
        """Forget what was remembered; False if it did not stand."""
        row = connection.execute("DELETE FROM grants WHERE id = ? RETURNING body", (grant,)).fetchone()
        if row is not None:
            self._db.entries.append(entries.revoked(wire.load(Grant, row[0]), by, at))
        return row is not None

    def start_approved(
        self, connection: sqlite3.Connection, pending: PendingId, at: float, permit: Permit | None, *, again: bool
    ) -> None:
        """Write that the call of an approved question starts; once, or `again` after an unknown end."""
        question = self._questions.find(connection, pending)
        if question is None:
            raise UnknownPending(pending)
        if not connection.execute(rows.START, (question.call.run, pending, self._owner, at, again)).rowcount:
            raise self._no_start(connection, question)
        call, request = (question.call, None) if permit is None else (permit.call, permit.request)
        self._db.entries.append(entries.started(question, at, call, request))

    def _no_start(self, connection: sqlite3.Connection, question: Pending) -> AssentError:
        stop = rows.stop(connection, question.call.run)
        if stop is not None:
            return Stopped(by=stop.by)
        started = "SELECT 1 FROM answers WHERE pending = ? AND effect IS NOT NULL"
        if connection.execute(started, (question.id,)).fetchone():
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
        owner: str | None = None,
    ) -> None:
        """End an effect that runs, of this owner if one is named; what ended before stays as it is."""
        question = self._questions.find(connection, pending)
        if question is None:
            raise UnknownPending(pending)
        ended = connection.execute(
            "UPDATE answers SET effect = ?, ended = ?, effect_detail = ?"
            " WHERE pending = ? AND effect = 'started' AND owner = ifnull(?, owner)",
            (str(state), at, whole(detail), pending, owner),
        )
        if ended.rowcount:
            self._db.entries.append(entries.effect(pending, question.call.run, state, at, detail))

    def bury(self, connection: sqlite3.Connection, orphans: Sequence[tuple[PendingId, str, float]]) -> None:
        """Write that nobody saw how these effects of these owners ended."""
        for pending, owner, at in orphans:
            detail = "the process that ran it ended before it did"
            # Another process may have seen it first, and even have started it again.
            self.finish(connection, pending, EffectState.UNKNOWN, at, detail, owner=owner)
