"""Values to rows and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from assent.model import Effect, EffectState, Grant, Outcome, Pending, Ruling, wire


def park(connection: sqlite3.Connection, pending: Pending) -> None:
    call = pending.call
    connection.execute("INSERT INTO runs VALUES (?, ?, NULL) ON CONFLICT DO NOTHING", (call.run, pending.created))
    connection.execute(
        "INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?)",
        (pending.id, call.run, call.id, wire.dump(pending), pending.created, pending.expires),
    )


def insert_grant(connection: sqlite3.Connection, grant: Grant) -> None:
    connection.execute("INSERT INTO grants VALUES (?, ?, ?)", (grant.id, grant.run, wire.dump(grant)))


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


def tool_name(body: str) -> str:
    return wire.load(Pending, body).call.tool_name
