"""What is kept in memory of runs: never that one has no history when it has."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest

from assent.model import EffectState, wire
from assent.store import SQLiteStore, _database, _memory, _questions
from tests.store.conftest import Open
from tests.store.kit import approved, grant, question, until

MANY = _memory._WORTH_IT + 2


@pytest.fixture
def here(open_store: Open) -> SQLiteStore:
    """A store whose process has seen many new runs."""
    store = open_store()
    for number in range(MANY):
        assert not store.history(f"new {number}").calls
    return store


def reads(store: SQLiteStore) -> list[str]:
    """What is read from the file from now on."""
    heard: list[str] = []
    store._db._writer.set_trace_callback(heard.append)
    return heard


@pytest.fixture
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether others wrote is asked at every look."""
    monkeypatch.setattr(_memory, "FRESH_SECONDS", -1.0)


def test_a_run_that_is_new_to_everybody_is_not_looked_up(here: SQLiteStore) -> None:
    heard = reads(here)
    for number in range(MANY, 2 * MANY):
        assert not here.history(f"new {number}").calls
    assert [statement for statement in heard if "data_version" not in statement] == []


def test_a_run_in_which_somebody_was_asked_before_has_its_history(open_store: Open) -> None:
    open_store().park([question(run="old")])
    store = open_store()
    for number in range(MANY):
        store.history(f"new {number}")
    assert store.history("old").calls == {"1": question(run="old").id}


@pytest.mark.usefixtures("_fresh")
def test_a_run_in_which_somebody_was_asked_elsewhere_since_has_its_history(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    for number in range(2 * MANY):
        elsewhere.park([question(run=f"run {number}")])
        assert here.history(f"run {number}").calls
        assert not here.history(f"still new {number}").calls


@pytest.mark.usefixtures("_fresh")
def test_a_run_for_which_something_was_remembered_elsewhere_since_is_not_untouched(
    here: SQLiteStore, open_store: Open
) -> None:
    open_store().remember(grant("g", run="granted"))
    for number in range(MANY):
        here.history(f"also new {number}")
    here.end_run("granted", 9.0)
    assert here.grants() == []


def test_a_question_of_our_own_is_in_the_history_at_once(here: SQLiteStore) -> None:
    here.history("mine")
    here.park([question(run="mine")])
    assert here.history("mine").calls
    here._memory.forget()
    assert here.history("mine").calls


@pytest.mark.usefixtures("_fresh")
def test_a_run_that_was_stopped_elsewhere_is_stopped_here(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    elsewhere.park([question(run="stopped")])
    elsewhere.stop_run("stopped", by="eva", at=2.0)
    assert here.history("stopped").stopped is not None


def test_where_there_are_very_many_runs_each_is_looked_up(open_store: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_memory, "_MOST_RUNS", 5)
    elsewhere = open_store()
    elsewhere.park([question(run=f"run {number}") for number in range(20)])
    store = open_store()
    for number in range(MANY):
        assert not store.history(f"new {number}").calls
    assert all(store.history(f"run {number}").calls for number in range(20))
    assert not store.history("new again").calls
    store.park([question(run="mine")])
    assert store.history("mine").calls


def test_a_grant_is_found_beside_very_many_of_another_run(open_store: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_memory, "_MOST_RUNS", 5)
    elsewhere = open_store()
    for number in range(20):
        elsewhere.remember(grant(f"g{number}", run="one"))
    elsewhere.remember(grant("last", run="other"))
    store = open_store()
    for number in range(MANY):
        store.history(f"new {number}")
    store.end_run("other", 9.0)
    assert "last" not in {each.id for each in store.grants()}


def test_what_others_do_is_seen_after_a_moment_in_any_case(here: SQLiteStore, open_store: Open) -> None:
    pending = question(run="theirs")
    elsewhere = open_store()
    elsewhere.park([pending])
    elsewhere.decide(approved(pending))
    sleep(_memory.FRESH_SECONDS)  # the promise is about time
    assert here.history("theirs").calls


def test_what_is_kept_stays_while_something_is_written_here(open_store: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_database, "_PATIENCE_SECONDS", 2.0)
    store, begun = open_store(), Event()
    before = store._db.foreign_version()

    def write(_connection: sqlite3.Connection) -> None:
        begun.set()
        sleep(_memory.FRESH_SECONDS / 10)

    with ThreadPoolExecutor(1) as elsewhere:
        writing = elsewhere.submit(store._db.write, "no", write)
        begun.wait()
        assert store._db.foreign_version() == before
        writing.result()


def test_and_nobody_waits_long_to_find_out(open_store: Open) -> None:
    store, begun, looked = open_store(), Event(), Event()
    before = store._db.foreign_version()

    def write(_connection: sqlite3.Connection) -> None:
        begun.set()
        looked.wait(20)

    with ThreadPoolExecutor(1) as elsewhere:
        writing = elsewhere.submit(store._db.write, "no", write)
        begun.wait()
        assert store._db.foreign_version() != before
        looked.set()
        writing.result()


def test_who_reads_does_not_wait_behind_those_who_wait_to_write(open_store: Open) -> None:
    """The first of them may wait for another process, and for long."""
    store, held, read = open_store(), Event(), Event()

    def hold() -> None:
        with store._db._write_lock:
            held.set()
            read.wait(20)

    with ThreadPoolExecutor(3) as elsewhere:
        holding = elsewhere.submit(hold)
        held.wait()
        parking = elsewhere.submit(store.park, [question()])
        until(lambda: bool(store._db._writers))
        try:
            assert elsewhere.submit(store.ruling, question().id).result(10) is None
        finally:
            read.set()
        assert parking.result() == [question()]
        holding.result()


# Questions


def test_large_questions_are_not_all_kept_and_go_on_as_before(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_questions, "_MOST_CHARACTERS", 10 * len(wire.dump(question("00"))))
    asked = [question(f"{number:02}") for number in range(35)]
    for each in asked:
        store.park([each])
        assert sum(map(len, store._questions._read)) <= _questions._MOST_CHARACTERS
        assert len(store._questions._asked_here) <= 10
    assert store.desk() == asked
    for each in asked:
        store.decide(approved(each))
        store.start(each.id, 6.0)
        store.finish(each.id, EffectState.DONE, 7.0)
    assert [each.effect.ended for each in store.recent(99) if each.effect is not None] == [7.0] * 35


def test_one_question_larger_than_all_that_is_kept_is_asked_and_answered(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_questions, "_MOST_CHARACTERS", 10)
    store.park([question("1"), question("2")])
    assert store.desk() == [question("1"), question("2")]
    store.decide(approved(question("1")))
    store.start(question("1").id, 6.0)
    assert len(store._questions._read) == 1
