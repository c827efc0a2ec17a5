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
from assent.store._spelling import whole, whole_json

_RULING = "a.pending, a.outcome, a.by, a.at, a.decision, a.detail"
RULING = f"SELECT {_RULING} FROM answers a WHERE a.pending = ?"  # noqa: S608 — made of constants
ASKED = (
    f"SELECT p.body, {_RULING}, a.effect, a.started, a.ended, a.effect_detail"  # noqa: S608 — made of constants
    " FROM pending p LEFT JOIN answers a ON a.pending = p.id"
)
# Nothing to be before is the largest number there is, so that the rows behind it are found and not passed by.
RECENT = (
    f"{ASKED} WHERE p.rowid < CASE WHEN ?1 IS NULL THEN 9223372036854775807"  # noqa: S608 — made of constants
    " ELSE (SELECT rowid FROM pending WHERE id = ?1) END ORDER BY p.rowid DESC LIMIT ?2"
)
# To SQLite, a limit below zero is none.
JOURNAL = "SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?"
# An answer leaves the question among the waiting ones until the next is parked: one page less to sync.
# A cross join goes through what waits; SQLite might go through all questions there ever were.
_WAITING = (
    "SELECT p.body FROM waiting w CROSS JOIN pending p ON p.id = w.pending"
    " WHERE NOT EXISTS (SELECT 1 FROM answers a WHERE a.pending = w.pending)"
)
DESK = f"{_WAITING} ORDER BY p.rowid"
DESK_OF_RUN = f"{_WAITING} AND p.run = ? ORDER BY p.rowid"
OVERDUE = f"{_WAITING} AND w.expires <= ? ORDER BY p.rowid"
# A row without a call says that something is remembered for this run alone.
HISTORY = (
    "SELECT call_id, id FROM pending WHERE run = ?1"
    " UNION ALL SELECT NULL, NULL WHERE EXISTS (SELECT 1 FROM grants WHERE run = ?1)"
)
# The runs of the questions behind that one, and those for which something is remembered.
ASKED_SINCE = (
    "SELECT max(rowid), run FROM pending NOT INDEXED WHERE rowid > ?1 GROUP BY run"
    " UNION ALL SELECT ?1, run FROM (SELECT DISTINCT run FROM grants WHERE run IS NOT NULL) LIMIT ?2"
)
# Of all questions: from the index, which is far shorter than they are.
ASKED_EVER = ASKED_SINCE.replace("NOT INDEXED ", "")
# A run is known by its questions.
_WAS_ASKED = "WHERE EXISTS (SELECT 1 FROM pending WHERE run = ?1)"
STOP_RUN = (
    f"INSERT INTO runs (id, stopped_by, stopped_at) SELECT ?1, ?2, ?3 {_WAS_ASKED}"
    " ON CONFLICT DO UPDATE SET stopped_by = ?2, stopped_at = ?3"
)
STOP = "SELECT stopped_by, stopped_at FROM runs WHERE id = ? AND stopped_by IS NOT NULL"
_STOPPED = "EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND stopped_by IS NOT NULL)"
ANSWER = "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL, NULL) ON CONFLICT DO NOTHING"
ANSWER_AND_START = (
    "INSERT INTO answers SELECT ?2, ?3, ?4, ?5, ?6, ?7, 0, 'started', ?8, ?5, NULL, ''"
    f" WHERE ?3 = 'approved' AND NOT {_STOPPED} ON CONFLICT DO NOTHING"
)
# Once, or again after an unknown end, and not in a run that somebody stopped; whoever asks, not without an approval
# on the record.
START = (
    "UPDATE answers SET effect = 'started', owner = ?3, started = ?4, ended = NULL, effect_detail = ''"  # noqa: S608 — made of constants
    f" WHERE pending = ?2 AND outcome = 'approved' AND (effect IS NULL OR ?5 AND effect = 'unknown') AND NOT {_STOPPED}"
)
STARTED = "SELECT pending, owner, started FROM answers WHERE effect = 'started'"
# Whether something is remembered for the run alone; whether it waits for an answer, or was stopped.
LEFT_OF = (
    "SELECT EXISTS (SELECT 1 FROM grants WHERE run = ?1),"  # noqa: S608 — made of constants
    f" EXISTS ({_WAITING} AND p.run = ?1) OR {_STOPPED}"
)
# Written a moment later: who has stopped it meanwhile has stopped what goes on.
ENDED = f"INSERT INTO runs (id, ended) SELECT ?1, ?2 {_WAS_ASKED} ON CONFLICT DO UPDATE SET ended = ?2"
# Who stopped a conversation stopped what it was at: the next prompt goes on.
END_OF_TURN = f"{ENDED}, stopped_by = NULL, stopped_at = NULL"
GRANTED_TO = "SELECT 1 FROM grants WHERE run = ?"
# What another process remembered meanwhile of a question that was asked before the end goes with the run.
LEFT_LATE = (
    "DELETE FROM grants WHERE run = ?1"
    " AND NOT EXISTS (SELECT 1 FROM pending WHERE run = ?1 AND created > ?2) RETURNING id"
)
RUNS = (
    "SELECT p.run, min(p.created), r.ended, r.stopped_by, r.stopped_at, count(*),"
    " count(w.pending) FILTER (WHERE a.pending IS NULL),"
    " count(*) FILTER (WHERE a.effect = 'started'), count(*) FILTER (WHERE a.effect = 'unknown'),"
    " (SELECT json_extract(body, '$.call.agents') FROM pending l WHERE l.run = p.run ORDER BY l.rowid DESC LIMIT 1)"
    " FROM pending p LEFT JOIN runs r ON r.id = p.run LEFT JOIN waiting w ON w.pending = p.id"
    " LEFT JOIN answers a ON a.pending = p.id GROUP BY p.run ORDER BY max(p.rowid) DESC"
)


def tidy(connection: sqlite3.Connection) -> None:
    """Take what was answered off the desk."""
    # Not `IN (SELECT ...)`: SQLite would go through all answers there ever were, and not through what waits.
    answered = connection.execute(
        "DELETE FROM waiting WHERE EXISTS (SELECT 1 FROM answers a WHERE a.pending = waiting.pending)"
    )
    if answered.rowcount:
        # The whole contents are for whoever must answer: once that is over, they go.
        connection.execute("DELETE FROM contents WHERE pending NOT IN (SELECT pending FROM waiting)")


def park(connection: sqlite3.Connection, pending: Pending, *, waits: bool) -> str | None:
    """Write the question, and return its text; None if it is there already."""
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
    if waits:
        _wait(connection, pending)
    return body


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
    after = "SELECT 1 FROM runs WHERE id = ? AND ended >= ?"
    return connection.execute(after, (pending.call.run, pending.created)).fetchone() is not None


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


def of_ruling(ruling: Ruling) -> tuple[object, ...]:
    words = None if ruling.decision is None else wire.dump_decision(ruling.decision)
    return ruling.pending, str(ruling.outcome), ruling.by, ruling.at, words, whole(ruling.detail)


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


def journal_entry(row: Sequence[Any]) -> JournalEntry:
    seq, kind, at, run, body, previous, digest = row
    try:
        words = wire.load(dict[str, object], body)
    except ValueError:
        # An earlier assent wrote half a character as it was.
        words = wire.load(dict[str, object], whole_json(body))
    return JournalEntry(seq=seq, kind=kind, at=at, run=run, body=words, previous=previous, hash=digest)


def is_running(row: Sequence[Any]) -> bool:
    return bool(row[7] == EffectState.STARTED)


def asked(pending: Pending, row: Sequence[Any]) -> Asked:
    return Asked(
        pending=pending,
        ruling=None if row[1] is None else ruling(row[1:7]),
        effect=None if row[7] is None else _effect(pending, row[7:]),
    )


def _effect(pending: Pending, row: Sequence[Any]) -> Effect:
    state, started, ended, detail = row
    return Effect(pending=pending.id, state=EffectState(state), started=started, ended=ended, detail=detail)
