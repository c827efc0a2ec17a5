"""Values to rows and back."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from assent.model import Asked, Effect, EffectState, Grant, JournalEntry, Outcome, Pending, Ruling, Run, Stop, wire
from assent.store._plain import is_plain

RULING = "d.pending, d.outcome, d.by, d.at, d.decision, d.detail"
ASKED = (
    f"SELECT p.body, {RULING}, e.pending, e.state, e.started, e.ended, e.detail FROM pending p"  # noqa: S608 — made of constants
    " LEFT JOIN decisions d ON d.pending = p.id LEFT JOIN effects e ON e.pending = p.id"
)
# Nothing to be before is the largest number there is, so that the rows behind it are found and not passed by.
RECENT = (
    f"{ASKED} WHERE p.rowid < CASE WHEN ?1 IS NULL THEN 9223372036854775807"  # noqa: S608 — made of constants
    " ELSE (SELECT rowid FROM pending WHERE id = ?1) END ORDER BY p.rowid DESC LIMIT ?2"
)
# To SQLite, a limit below zero is none.
JOURNAL = "SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?"
# An answer leaves the question among the waiting ones until the next is parked: one page less to sync.
WAITING = (
    "SELECT p.body FROM waiting w JOIN pending p ON p.id = w.pending"
    " WHERE NOT EXISTS (SELECT 1 FROM decisions d WHERE d.pending = w.pending)"
)
OVERDUE = f"{WAITING} AND w.expires <= ?"
# A row without a call says that something is remembered for this run alone.
HISTORY = (
    "SELECT call_id, id FROM pending WHERE run = ?1"
    " UNION ALL SELECT NULL, NULL WHERE EXISTS (SELECT 1 FROM grants WHERE run = ?1)"
)
# The runs of the questions behind that one, and those for which something is remembered.
ASKED_IN = (
    "SELECT max(rowid), run FROM pending WHERE rowid > ?1 GROUP BY run"
    " UNION ALL SELECT ?1, run FROM (SELECT DISTINCT run FROM grants WHERE run IS NOT NULL) LIMIT ?2"
)
STOP = "SELECT stopped_by, stopped_at FROM runs WHERE id = ? AND stopped_by IS NOT NULL"
# Once, and not in a run that somebody stopped; and whoever asks, not without an approval on the record.
START = (
    "INSERT INTO effects SELECT ?1, 'started', ?2, ?3, NULL, ''"
    " WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = ?4 AND stopped_by IS NOT NULL)"
    " AND EXISTS (SELECT 1 FROM decisions WHERE pending = ?1 AND outcome = 'approved') ON CONFLICT DO NOTHING"
)
# Whether something is remembered for the run alone; whether it waits for an answer, or was stopped.
LEFT_OF = (
    "SELECT EXISTS (SELECT 1 FROM grants WHERE run = ?1),"  # noqa: S608 — made of constants
    f" EXISTS ({WAITING} AND p.run = ?1) OR EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND stopped_by IS NOT NULL)"
)
# A run that ended and goes on later, as a conversation does, is not stopped any more.
END = "UPDATE runs SET ended = ?, stopped_by = NULL, stopped_at = NULL WHERE id = ?"
# Written a moment later: who has stopped it meanwhile has stopped what goes on.
ENDED = "UPDATE runs SET ended = ? WHERE id = ?"
# What another process remembered meanwhile of a question that was asked before the end goes with the run.
LEFT_LATE = (
    "DELETE FROM grants WHERE run = ?1"
    " AND NOT EXISTS (SELECT 1 FROM pending WHERE run = ?1 AND created > ?2) RETURNING id"
)
RUNS = (
    "SELECT r.id, r.started, r.ended, r.stopped_by, r.stopped_at, count(p.id),"
    " count(w.pending) FILTER (WHERE d.pending IS NULL),"
    " count(e.pending) FILTER (WHERE e.state = 'started'), count(e.pending) FILTER (WHERE e.state = 'unknown'),"
    " (SELECT json_extract(body, '$.call.agents') FROM pending l WHERE l.run = r.id ORDER BY l.rowid DESC LIMIT 1)"
    " FROM runs r JOIN pending p ON p.run = r.id LEFT JOIN waiting w ON w.pending = p.id"
    " LEFT JOIN decisions d ON d.pending = p.id LEFT JOIN effects e ON e.pending = p.id"
    " GROUP BY r.id ORDER BY max(p.rowid) DESC"
)


def tidy(connection: sqlite3.Connection) -> None:
    """Take what was answered off the desk."""
    # Not `IN (SELECT ...)`: SQLite would go through all decisions there ever were, and not through what waits.
    answered = connection.execute(
        "DELETE FROM waiting WHERE EXISTS (SELECT 1 FROM decisions d WHERE d.pending = waiting.pending)"
    )
    if answered.rowcount:
        # The whole contents are for whoever must answer: once that is over, they go.
        connection.execute("DELETE FROM contents WHERE pending NOT IN (SELECT pending FROM waiting)")


def park(connection: sqlite3.Connection, pending: Pending, *, waits: bool) -> tuple[str, bool] | None:
    """Write the question; its text, and whether it is the first of its run. None if it is there already."""
    call, body = pending.call, wire.dump(pending)
    # A question that nobody can read back could never be answered, nor expire.
    if not is_plain(pending) and wire.load(Pending, body) != pending:
        message = "the question cannot be read back as it was written"
        raise ValueError(message)
    written = connection.execute(
        "INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (pending.id, call.run, call.id, body, pending.created, pending.expires),
    )
    if not written.rowcount:
        return None
    run = connection.execute(
        "INSERT INTO runs (id, started) VALUES (?, ?) ON CONFLICT DO NOTHING", (call.run, pending.created)
    )
    if waits:
        _wait(connection, pending)
    return body, run.rowcount == 1


def _wait(connection: sqlite3.Connection, pending: Pending) -> None:
    """Put it where whoever may answer finds it."""
    connection.execute("INSERT INTO waiting VALUES (?, ?)", (pending.id, pending.expires))
    for sha256, content in pending.preview.contents.items():
        # Fast rather than small: somebody waits for the question.
        packed = zlib.compress(content, 1)
        connection.execute("INSERT INTO contents VALUES (?, ?, ?)", (pending.id, sha256, packed))


def moment(at: float) -> float:
    """A time that can be written; what is queued must not fail later, with all that is written then."""
    if not isfinite(moment := float(at)):
        message = f"{at!r} is no time"
        raise ValueError(message)
    return moment


def has_ended(connection: sqlite3.Connection, pending: Pending) -> bool:
    """Whether the run ended after the question was asked: nothing is remembered for it any more."""
    (ended,) = connection.execute("SELECT ended FROM runs WHERE id = ?", (pending.call.run,)).fetchone()
    return ended is not None and ended >= pending.created


def stop(connection: sqlite3.Connection, run: str) -> Stop | None:
    """Who stopped the run; None if nobody did."""
    found = connection.execute(STOP, (run,)).fetchone()
    return None if found is None else Stop(by=found[0], at=found[1])


def insert_grant(connection: sqlite3.Connection, grant: Grant) -> None:
    connection.execute("DELETE FROM grants WHERE json_extract(body, '$.expires') <= ?", (grant.at,))
    connection.execute(
        "INSERT INTO grants VALUES (?, ?, ?, ?)", (grant.id, grant.operation, grant.run, wire.dump(grant))
    )


def use(connection: sqlite3.Connection, grant: Grant, left: int) -> None:
    """Write how many calls a grant still lets through; one that lets none through is gone."""
    if left:
        body = wire.dump(replace(grant, calls=left))
        connection.execute("UPDATE grants SET body = ? WHERE id = ?", (body, grant.id))
    else:
        connection.execute("DELETE FROM grants WHERE id = ?", (grant.id,))


def run(row: Sequence[Any]) -> Run:
    name, started, ended, stopped_by, stopped_at, asked, waiting, running, unknown, agents = row
    return Run(
        id=name,
        started=started,
        ended=ended,
        stopped=None if stopped_by is None else Stop(by=stopped_by, at=stopped_at),
        agents=tuple(json.loads(agents)),
        asked=asked,
        waiting=waiting,
        running=running,
        unknown=unknown,
    )


def cancelled(pending: Pending, stop: Stop) -> Ruling:
    return Ruling(pending=pending.id, outcome=Outcome.CANCELLED, by=stop.by, at=stop.at, detail="the run was stopped")


def expired(pending: Pending, at: float) -> Ruling:
    return Ruling(pending=pending.id, outcome=Outcome.EXPIRED, by="time", at=at, detail="nobody answered in time")


def ruling(row: Sequence[Any]) -> Ruling:
    pending, outcome, by, at, decision, detail = row
    return Ruling(
        pending=pending,
        outcome=Outcome(outcome),
        by=by,
        at=at,
        decision=None if decision is None else wire.load_decision(decision),
        detail=detail,
    )


def effect(row: Sequence[Any]) -> Effect:
    pending, state, started, ended, detail = row
    return Effect(
        pending=pending,
        state=EffectState(state),
        started=started,
        ended=ended,
        detail=detail,
    )


def journal_entry(row: Sequence[Any]) -> JournalEntry:
    seq, kind, at, run, body, previous, digest = row
    words = wire.load(dict[str, object], body)
    return JournalEntry(seq=seq, kind=kind, at=at, run=run, body=words, previous=previous, hash=digest)


def is_running(row: Sequence[Any]) -> bool:
    return bool(row[8] == EffectState.STARTED)


def asked(pending: Pending, row: Sequence[Any]) -> Asked:
    return Asked(
        pending=pending,
        ruling=None if row[1] is None else ruling(row[1:7]),
        effect=None if row[7] is None else effect(row[7:]),
    )
