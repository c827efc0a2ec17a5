"""What is written how: what must survive the loss of power, and who waits for whom."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assent.model import EffectState, GrantId
from assent.store import SQLiteStore
from tests.store.conftest import Open
from tests.store.kit import approved, call, child, end, grant, question, says, tell, until

FULL, NORMAL = 2, 1

Write = Callable[[SQLiteStore], object]


def commits(store: SQLiteStore, write: Write) -> list[int]:
    """How each transaction that `write` makes is synced, as SQLite was told before it began."""
    found: list[int] = []
    said = ""

    def hear(statement: str) -> None:
        nonlocal said
        if statement.startswith("PRAGMA synchronous"):
            said = statement
        elif statement == "COMMIT":
            found.append(FULL if said.endswith("FULL") else NORMAL)
            assert said, "nobody said how"

    writer = store._db._writer
    store._db._sync = ""  # so that it is said again, and heard
    writer.set_trace_callback(hear)
    try:
        write(store)
    finally:
        writer.set_trace_callback(None)
    # What was said is what SQLite understood.
    ((level,),) = writer.execute("PRAGMA synchronous").fetchall()
    assert level == (FULL if said.endswith("FULL") else NORMAL)
    return found


def prepared(store: SQLiteStore) -> SQLiteStore:
    """A question that waits, one that was approved, one that runs, one whose time is over, and a grant."""
    store.park([question("waits"), question("approved"), question("runs"), question("late", expires=3.0)])
    store.decide(approved(question("approved")))
    store.decide(approved(question("runs")), grant=grant("remembered"))
    store.start(question("runs").id, 6.0)
    return store


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda store: store.decide(approved(question("waits"))), id="a decision"),
        pytest.param(lambda store: store.decide(approved(question("waits")), grant=grant()), id="one remembered"),
        pytest.param(lambda store: store.expire(9.0), id="the end of a question's time"),
        pytest.param(lambda store: store.start(question("approved").id, 7.0), id="the start of an effect"),
        pytest.param(lambda store: store.remember(grant()), id="an answer to remember"),
        pytest.param(lambda store: store.revoke(GrantId("remembered"), by="ana", at=8.0), id="one to forget"),
    ],
)
def test_decisions_and_the_start_of_effects_are_written_with_full_sync(open_store: Open, write: Write) -> None:
    assert commits(prepared(open_store()), write) == [FULL]


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda store: store.park([question("new")]), id="a question"),
        pytest.param(lambda store: store.finish(question("runs").id, EffectState.DONE, 8.0), id="the end of an effect"),
    ],
)
def test_what_may_be_asked_or_told_again_does_not_wait_for_the_disk(open_store: Open, write: Write) -> None:
    assert commits(prepared(open_store()), write) == [NORMAL]


def test_an_approval_whose_call_starts_right_after_is_durable_with_its_start(open_store: Open) -> None:
    def approve_and_start(store: SQLiteStore) -> None:
        with store._db._write_lock:  # the store's own thread comes too late
            store.decide(approved(question("waits")), starts=True)
            store.start(question("waits").id, 7.0)
            assert not store._db._owes_sync

    assert commits(prepared(open_store()), approve_and_start) == [NORMAL, FULL]


def test_an_approval_whose_call_does_not_start_after_all_is_durable_soon(open_store: Open) -> None:
    store = prepared(open_store())

    def approve(store: SQLiteStore) -> None:
        with store._db._write_lock:
            store.decide(approved(question("waits")), starts=True)
            store.finish(question("runs").id, EffectState.DONE, 8.0)  # syncs nothing
            assert store._db._owes_sync
        until(lambda: not store._db._owes_sync)

    assert commits(store, approve) == [NORMAL, NORMAL, FULL]
    assert store.verify() is None


def test_what_is_owed_is_synced_before_the_file_is_let_go(open_store: Open) -> None:
    store = prepared(open_store())

    def approve_and_flush(store: SQLiteStore) -> None:
        with store._db._write_lock:
            store.decide(approved(question("waits")), starts=True)
            store._db.flush()

    assert commits(store, approve_and_flush) == [NORMAL, FULL]


def test_many_notes_are_one_write_that_does_not_wait_for_the_disk(open_store: Open) -> None:
    def notes(store: SQLiteStore) -> None:
        with store._db._write_lock:  # the store's own thread comes too late to take some
            for number in range(100):
                store.note("allowed", 1.0, call(str(number)), "rule")
            store._db.flush()

    assert commits(open_store(), notes) == [NORMAL]


def test_a_decision_is_there_for_every_process_before_whoever_decided_goes_on(open_store: Open, path: Path) -> None:
    store = open_store()
    reader = child("read_rulings", path)
    assert says(reader) == "ready"
    for number in range(20):
        pending = question(str(number))
        store.park([pending])
        store.decide(approved(pending, by=f"person {number}"))
        tell(reader, pending.id)
        assert says(reader) == f"approved by person {number}"
    end(reader)


def test_a_long_read_holds_up_no_write(open_store: Open) -> None:
    store = open_store()
    store.park([question()])
    with ThreadPoolExecutor(1) as elsewhere, store._db.snapshot() as reading:
        before = reading.execute("SELECT count(*) FROM decisions").fetchall()
        elsewhere.submit(store.decide, approved(question())).result(timeout=20)
        assert reading.execute("SELECT count(*) FROM decisions").fetchall() == before == [(0,)]
    assert store.ruling(question().id) == approved(question())


def test_a_long_write_holds_up_no_read(open_store: Open) -> None:
    store = open_store()
    store.park([question()])
    with ThreadPoolExecutor(1) as elsewhere, store._db.transaction(durable=True) as writing:
        writing.execute("DELETE FROM waiting")
        assert elsewhere.submit(store.desk).result(timeout=20) == [question()]
        assert elsewhere.submit(store.ruling, question().id).result(timeout=20) is None
    assert store.desk() == []
