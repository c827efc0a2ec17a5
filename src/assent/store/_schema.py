"""The tables, as numbered migrations; a landed one is never edited."""

from __future__ import annotations

import sqlite3
from typing import Final

MIGRATIONS: Final = (
    """
    CREATE TABLE runs (id TEXT PRIMARY KEY, started REAL NOT NULL, ended REAL, stopped TEXT) STRICT, WITHOUT ROWID;
    CREATE TABLE pending (
        id TEXT PRIMARY KEY, run TEXT NOT NULL, call_id TEXT NOT NULL, body TEXT NOT NULL,
        created REAL NOT NULL, expires REAL, UNIQUE (run, call_id)
    ) STRICT;
    CREATE TABLE waiting (pending TEXT PRIMARY KEY REFERENCES pending (id), expires REAL) STRICT, WITHOUT ROWID;
    CREATE TABLE decisions (
        pending TEXT PRIMARY KEY REFERENCES pending (id), outcome TEXT NOT NULL, by TEXT NOT NULL,
        at REAL NOT NULL, decision TEXT, detail TEXT NOT NULL, remembered INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE grants (
        id TEXT PRIMARY KEY, operation TEXT NOT NULL, run TEXT, body TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX grants_by_operation ON grants (operation);
    CREATE INDEX grants_by_run ON grants (run);
    CREATE TABLE effects (
        pending TEXT PRIMARY KEY REFERENCES pending (id), state TEXT NOT NULL, owner TEXT NOT NULL,
        started REAL NOT NULL, ended REAL, detail TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE journal (
        seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at REAL NOT NULL, run TEXT NOT NULL,
        body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL
    ) STRICT;
    CREATE TABLE journal_head (
        one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL
    ) STRICT;
    INSERT INTO journal_head VALUES (1, 0, '');
    """,
    """
    ALTER TABLE runs ADD COLUMN stopped_by TEXT;
    ALTER TABLE runs ADD COLUMN stopped_at REAL;
    UPDATE runs SET
        stopped_by = (SELECT by FROM decisions WHERE pending = runs.stopped),
        stopped_at = (SELECT at FROM decisions WHERE pending = runs.stopped)
    WHERE stopped IS NOT NULL;
    ALTER TABLE runs DROP COLUMN stopped;
    CREATE TABLE contents (
        pending TEXT NOT NULL REFERENCES pending (id), sha256 TEXT NOT NULL, body BLOB NOT NULL,
        UNIQUE (pending, sha256)
    ) STRICT;
    """,
    # An approved call mostly starts with its answer: one row, in one page. A run that neither ended nor was stopped
    # is known by its questions.
    """
    CREATE TABLE answers (
        pending TEXT PRIMARY KEY REFERENCES pending (id), outcome TEXT NOT NULL, by TEXT NOT NULL,
        at REAL NOT NULL, decision TEXT, detail TEXT NOT NULL, remembered INTEGER NOT NULL,
        effect TEXT, owner TEXT, started REAL, ended REAL, effect_detail TEXT
    ) STRICT, WITHOUT ROWID;
    INSERT INTO answers
        SELECT d.*, e.state, e.owner, e.started, e.ended, e.detail
        FROM decisions d LEFT JOIN effects e ON e.pending = d.pending;
    INSERT INTO answers
        SELECT pending, 'cancelled', 'assent', started, NULL, 'its call had started without an answer', 0,
            state, owner, started, ended, detail
        FROM effects WHERE pending NOT IN (SELECT pending FROM decisions);
    DROP TABLE effects;
    DROP TABLE decisions;
    ALTER TABLE runs DROP COLUMN started;
    """,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to the newest schema, all of it or nothing."""
    if _version(connection) == len(MIGRATIONS):
        return
    # Two processes may open a new file at once: the version is read again under the write lock.
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in ";".join(MIGRATIONS[_version(connection) :]).split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        message = f"a newer assent wrote it (schema {version}, this one knows {len(MIGRATIONS)}): update assent"
        raise sqlite3.DatabaseError(message)
    return int(version)
