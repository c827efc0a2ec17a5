"""Values to rows and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from assent.model import Asked, Effect, EffectState, Grant, Outcome, Pending, Ruling, wire

RULING = "d.pending, d.outcome, d.by, d.at, d.decision, d.detail"
ASKED = (
    f"SELECT p.body, {RULING}, e.pending, e.state, e.started, e.ended, e.detail FROM pending p"  # noqa: S608 — made of constants
    " LEFT JOIN decisions d ON d.pending = p.id LEFT JOIN effects e ON e.pending = p.id WHERE p.id = ?"
)


def park(connection: sqlite3.Connection, pending: Pending) -> str:
    """Write the question; its text."""
    call, body = pending.call, wire.dump(pending)
    # A question that nobody can read back could never be answered, nor expire.
    if wire.load(Pending, body) != pending:
        message = "the question cannot be read back as it was written"
        raise ValueError(message)
    connection.execute("INSERT INTO runs VALUES (?, ?, NULL, NULL) ON CONFLICT DO NOTHING", (call.run, pending.created))
    connection.execute(
        "INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?)",
        (pending.id, call.run, call.id, body, pending.created, pending.expires),
    )
    connection.execute("INSERT INTO waiting VALUES (?, ?)", (pending.id, pending.expires))
    return body


def insert_grant(connection: sqlite3.Connection, grant: Grant) -> None:
    connection.execute(
        "INSERT INTO grants VALUES (?, ?, ?, ?)", (grant.id, grant.operation, grant.run, wire.dump(grant))
    )


def cancelled(pending: Pending, stop: Ruling) -> Ruling:
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


def is_running(row: Sequence[Any]) -> bool:
    return bool(row[8] == EffectState.STARTED)


def asked(pending: Pending, row: Sequence[Any]) -> Asked:
    return Asked(
        pending=pending,
        ruling=None if row[1] is None else ruling(row[1:7]),
        effect=None if row[7] is None else effect(row[7:]),
    )
