"""A file made by an earlier assent: brought to the newest schema, whole, or left as it is."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from assent.errors import StoreFailed
from assent.model import Stop
from assent.store import SQLiteStore, _schema
from tests.store.kit import approved, grant, question, raw

# What the next assent may want: a table of its own, and something about what is there already.
NEXT = """
    CREATE TABLE places (run TEXT PRIMARY KEY, place TEXT NOT NULL) STRICT;
    INSERT INTO places SELECT id, 'here' FROM runs;
"""


@pytest.fixture
def old(path: Path) -> Path:
    """A file with the schema of today, in use."""
    store = SQLiteStore(path)
    store.park([question("1"), question("2")])
    store.decide(approved(question("1")), grant=grant())
    store.start(question("1").id, 7.0)
    store.close()
    return path


def follow_with(monkeypatch: pytest.MonkeyPatch, *migrations: str) -> None:
    """Be an assent that knows these migrations too."""
    monkeypatch.setattr(_schema, "MIGRATIONS", (*_schema.MIGRATIONS, *migrations))


def check(path: Path) -> None:
    """Everything that was there is there, and it goes on."""
    store = SQLiteStore(path)
    asked = store.asked(question("1").id)
    assert asked is not None
    assert (asked.pending, asked.ruling) == (question("1"), approved(question("1")))
    assert asked.effect is not None
    assert store.desk() == [question("2")]
    assert store.grants() == [grant()]
    assert [entry.kind for entry in store.journal()] == ["asked", "asked", "approved", "started"]
    assert store.verify() is None
    store.decide(approved(question("2")))
    assert store.verify() is None
    store.close()


def test_a_file_of_an_earlier_assent_is_brought_up_to_date_and_keeps_what_it_says(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = len(_schema.MIGRATIONS)
    follow_with(monkeypatch, NEXT, "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT")
    check(old)
    assert raw(old, "PRAGMA user_version") == [(known + 2,)]
    assert raw(old, "SELECT * FROM places") == [("run", "here")]
    assert raw(old, "SELECT * FROM later") == []


def test_a_file_that_is_only_partly_up_to_date_gets_the_rest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is done once: the first ones would fail if they were done again."""
    whole, *later = _schema.MIGRATIONS
    statements = whole.split(";")
    monkeypatch.setattr(_schema, "MIGRATIONS", (";".join(statements[:3]),))
    with pytest.raises(StoreFailed):  # such an old assent could not do what this one does
        SQLiteStore(path)
    assert raw(path, "PRAGMA user_version") == [(1,)]
    raw(path, "INSERT INTO runs VALUES ('an old run', 1.0, NULL, NULL)")
    follow_with(monkeypatch, ";".join(statements[3:]), *later)
    store = SQLiteStore(path)
    store.park([question()])
    assert store.desk() == [question()]
    assert store.verify() is None
    store.close()
    assert raw(path, "SELECT id FROM runs ORDER BY id") == [("an old run",), ("run",)]


def test_a_run_that_was_stopped_before_stops_had_a_place_of_their_own_stays_stopped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as first:
        first.setattr(_schema, "MIGRATIONS", _schema.MIGRATIONS[:1])
        path.parent.mkdir()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            _schema.migrate(connection)
    raw(
        path,
        "INSERT INTO runs VALUES ('run', 1.0, NULL, 'q')",
        "INSERT INTO runs VALUES ('other', 1.0, NULL, NULL)",
        "INSERT INTO pending VALUES ('q', 'run', '1', '{}', 1.0, NULL)",
        "INSERT INTO decisions VALUES ('q', 'stopped', 'ana', 5.0, NULL, '', 0)",
    )
    store = SQLiteStore(path)
    assert store.history("run").stopped == Stop(by="ana", at=5.0)
    assert store.history("other").stopped is None
    store.close()


def test_the_earlier_assent_refuses_the_file_afterwards(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer:
        follow_with(newer, NEXT)
        SQLiteStore(old).close()
    with pytest.raises(StoreFailed, match="a newer assent wrote it"):
        SQLiteStore(old)


def test_a_migration_that_fails_leaves_the_file_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = raw(old, "PRAGMA user_version"), raw(old, "SELECT name FROM sqlite_master ORDER BY name")
    with monkeypatch.context() as broken:
        follow_with(broken, NEXT, "INSERT INTO nowhere VALUES (1)")
        with pytest.raises(StoreFailed, match="nowhere"):
            SQLiteStore(old)
    assert (raw(old, "PRAGMA user_version"), raw(old, "SELECT name FROM sqlite_master ORDER BY name")) == before
    check(old)


def test_of_many_that_open_an_old_file_at_once_one_brings_it_up_to_date(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow_with(monkeypatch, NEXT)
    together = threading.Barrier(6)

    def work(_number: int) -> None:
        together.wait()
        SQLiteStore(old).close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert raw(old, "SELECT count(*) FROM places") == [(1,)]
    check(old)
