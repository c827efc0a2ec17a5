"""A file made by an earlier assent: brought to the newest schema, whole, or left as it is."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from assent.errors import AlreadyDecided, AlreadySpent, Stopped, StoreFailed
from assent.model import Asked, Effect, EffectState, Outcome, Stop, wire
from assent.store import SQLiteStore, _schema
from tests.store.kit import approved, grant, question, raw, rejected

# What the next assent may want: a table of its own, and something about what is there already.
NEXT = """
    CREATE TABLE places (run TEXT PRIMARY KEY, place TEXT NOT NULL) STRICT;
    INSERT INTO places SELECT DISTINCT run, 'here' FROM pending;
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


def make_as_of(version: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty file of an assent that knew only so many migrations."""
    with monkeypatch.context() as earlier:
        earlier.setattr(_schema, "MIGRATIONS", _schema.MIGRATIONS[:version])
        path.parent.mkdir()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            _schema.migrate(connection)


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
    raw(path, "INSERT INTO runs VALUES ('an old run', 1.0, 2.0, NULL)")
    follow_with(monkeypatch, ";".join(statements[3:]), *later)
    store = SQLiteStore(path)
    store.park([question()])
    assert store.desk() == [question()]
    assert store.verify() is None
    store.close()
    assert raw(path, "SELECT id, ended FROM runs") == [("an old run", 2.0)]


def test_a_run_that_was_stopped_before_stops_had_a_place_of_their_own_stays_stopped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_as_of(1, path, monkeypatch)
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


def test_answers_and_effects_that_were_kept_apart_are_told_as_before(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_as_of(2, path, monkeypatch)
    waits, refused, open_, done, lost = (question(name, run=run) for name, run in zip("12345", "aabbc", strict=True))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for each in (waits, refused, open_, done, lost):
            row = (each.id, each.call.run, each.call.id, wire.dump(each), each.created)
            connection.execute("INSERT INTO pending VALUES (?, ?, ?, ?, ?, NULL)", row)
        connection.execute("INSERT INTO waiting VALUES (?, NULL)", (waits.id,))
        for ruling in (rejected(refused), approved(open_), approved(done), approved(lost)):
            words = wire.dump_decision(ruling.decision) if ruling.decision else None
            told = (ruling.pending, str(ruling.outcome), ruling.by, ruling.at, words, "", ruling.pending == done.id)
            connection.execute("INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?)", told)
        connection.execute("INSERT INTO effects VALUES (?, 'done', 'o 1 -', 7.0, 8.0, 'well')", (done.id,))
        connection.execute("INSERT INTO effects VALUES (?, 'unknown', 'o 1 -', 7.0, 9.0, '')", (lost.id,))
        for run in (("a", 1.0, None, None, None), ("b", 1.0, 9.5, None, None), ("c", 1.0, None, "ana", 6.0)):
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", run)
    store = SQLiteStore(path)
    effects = {
        done.id: Effect(pending=done.id, state=EffectState.DONE, started=7.0, ended=8.0, detail="well"),
        lost.id: Effect(pending=lost.id, state=EffectState.UNKNOWN, started=7.0, ended=9.0),
    }
    rulings = {refused.id: rejected(refused), **{each.id: approved(each) for each in (open_, done, lost)}}
    assert list(store.recent(9)) == [
        Asked(pending=each, ruling=rulings.get(each.id), effect=effects.get(each.id))
        for each in (lost, done, open_, refused, waits)
    ]
    assert store.desk() == [waits]
    assert [
        (run.id, run.started, run.ended, run.stopped, run.asked, run.waiting, run.unknown) for run in store.runs()
    ] == [
        ("c", 1.0, None, Stop(by="ana", at=6.0), 1, 0, 1),
        ("b", 1.0, 9.5, None, 2, 0, 0),
        ("a", 1.0, None, None, 2, 1, 0),
    ]
    assert not store.remember(grant(), of=done.id)
    assert store.remember(grant(), of=open_.id)
    with pytest.raises(AlreadySpent):
        store.start(done.id, 10.0, again=True)
    with pytest.raises(Stopped):
        store.start(lost.id, 10.0, again=True)
    store.start(open_.id, 10.0)
    store.close()


def test_a_call_that_once_started_without_an_answer_does_not_start_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_as_of(2, path, monkeypatch)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO pending VALUES (?, 'run', '1', ?, 1.0, NULL)", (question().id, wire.dump(question()))
        )
        connection.execute("INSERT INTO waiting VALUES (?, NULL)", (question().id,))
        connection.execute("INSERT INTO effects VALUES (?, 'done', 'o 1 -', 7.0, 8.0, '')", (question().id,))
    store = SQLiteStore(path)
    asked = store.asked(question().id)
    assert asked is not None
    assert asked.ruling is not None
    assert (asked.ruling.outcome, asked.effect) == (
        Outcome.CANCELLED,
        Effect(pending=question().id, state=EffectState.DONE, started=7.0, ended=8.0),
    )
    assert store.desk() == []
    with pytest.raises(AlreadyDecided):
        store.decide(approved(question()))
    with pytest.raises(AlreadySpent):
        store.start(question().id, 9.0)
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
