"""What is written how: what must survive the loss of power, and who waits for whom."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from errno import EIO
from os import fsdecode, fstat
from os.path import samestat
from pathlib import Path
from shutil import copyfile
from unittest.mock import patch

import pytest

from assent.errors import StoreFailed
from assent.model import EffectState, GrantId
from assent.store import SQLiteStore, _database
from tests.store.conftest import Open
from tests.store.kit import approved, call, child, end, grant, heard, permit_for, question, says, tell, until

Write = Callable[[SQLiteStore], object]
NEW = question("new")


def done(store: SQLiteStore, write: Write) -> list[str]:
    """What `write` does to the file."""
    with heard(store) as found:
        write(store)
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
        pytest.param(lambda store: store.remember(grant()), id="an answer to remember"),
        pytest.param(lambda store: store.revoke(GrantId("remembered"), by="ana", at=8.0), id="one to forget"),
    ],
)
def test_the_disk_has_decisions_before_anybody_sees_them(open_store: Open, write: Write) -> None:
    assert done(prepared(open_store()), write) == ["synced commit"]


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda store: store.start(question("approved").id, 7.0), id="the start of an effect"),
        pytest.param(lambda store: store.start_at_once(NEW, approved(NEW), permit=permit_for(NEW)), id="all at once"),
    ],
)
def test_the_disk_has_the_start_of_an_effect_before_whoever_starts_it_goes_on(open_store: Open, write: Write) -> None:
    assert done(prepared(open_store()), write) == ["commit", "sync"]


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda store: store.park([question("new")]), id="a question"),
        pytest.param(lambda store: store.finish(question("runs").id, EffectState.DONE, 8.0), id="the end of an effect"),
    ],
)
def test_what_may_be_asked_or_told_again_does_not_wait_for_the_disk(open_store: Open, write: Write) -> None:
    assert done(prepared(open_store()), write) == ["commit"]


def test_an_approval_whose_call_starts_right_after_is_durable_with_its_start(open_store: Open) -> None:
    def approve_and_start(store: SQLiteStore) -> None:
        with store._db._write_lock:  # the store's own thread comes too late
            store.decide(approved(question("waits")), starts=True)
            store.start(question("waits").id, 7.0)
            assert not store._db._owes_sync

    assert done(prepared(open_store()), approve_and_start) == ["commit", "commit", "sync"]


def test_an_approval_whose_call_does_not_start_after_all_is_durable_soon(open_store: Open) -> None:
    store = prepared(open_store())

    def approve(store: SQLiteStore) -> None:
        with store._db._write_lock:
            store.decide(approved(question("waits")), starts=True)
            store.finish(question("runs").id, EffectState.DONE, 8.0)  # syncs nothing
            assert store._db._owes_sync
        until(lambda: not store._db._owes_sync)

    assert done(store, approve) == ["commit", "commit", "sync"]
    assert store.verify() is None


def test_what_is_owed_is_synced_before_the_file_is_let_go(open_store: Open) -> None:
    store = prepared(open_store())

    def approve_and_flush(store: SQLiteStore) -> None:
        with store._db._write_lock:
            store.decide(approved(question("waits")), starts=True)
            store._db.flush()

    assert done(store, approve_and_flush) == ["commit", "sync"]


def test_many_notes_are_one_write_that_does_not_wait_for_the_disk(open_store: Open) -> None:
    def notes(store: SQLiteStore) -> None:
        with store._db._write_lock:  # the store's own thread comes too late to take some
            for number in range(100):
                store.note("allowed", 1.0, call(str(number)), "rule")
            store._db.flush()

    assert done(open_store(), notes) == ["commit"]


def test_what_the_disk_has_is_enough_to_go_on_from(open_store: Open, path: Path, tmp_path: Path) -> None:
    store, left = open_store(), tmp_path / "left"
    left.mkdir()
    store.park([question()])

    def lose_power() -> None:
        """All that the disk surely has now."""
        for file in (path, Path(f"{path}-wal")):
            copyfile(file, left / file.name)

    with heard(store, on_sync=lose_power):
        store.decide(approved(question()), starts=True)
        store.start(question().id, 7.0)
        store.finish(question().id, EffectState.DONE, 8.0)
    with closing(SQLiteStore(left / path.name)) as again:
        (asked,) = again.recent(1)
        assert asked.ruling == approved(question())
        assert asked.effect is not None
        assert asked.effect.state is EffectState.STARTED
        assert again.verify() is None


FAILED = "the disk did not take what was written to"


@pytest.fixture
def broken_disk(open_store: Open) -> Iterator[SQLiteStore]:
    """The next sync fails; what comes after it would not, as the disk has forgotten what it lost."""
    store = prepared(open_store())
    with patch.object(_database, "sync_file", side_effect=[OSError(EIO, "Input/output error"), None, None, None]):
        yield store
        with pytest.raises(StoreFailed, match=FAILED):
            store.close()


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda store: store.start(question("approved").id, 7.0), id="the start of an effect"),
        pytest.param(lambda store: store.start_at_once(NEW, approved(NEW), permit=permit_for(NEW)), id="all at once"),
    ],
)
def test_nothing_goes_on_when_the_disk_does_not_take_it(broken_disk: SQLiteStore, write: Write) -> None:
    with pytest.raises(StoreFailed, match=FAILED):
        write(broken_disk)


def test_and_nothing_more_is_taken_after_that(broken_disk: SQLiteStore) -> None:
    with pytest.raises(StoreFailed, match=FAILED):
        broken_disk.start(question("approved").id, 7.0)
    with pytest.raises(StoreFailed, match=FAILED):
        broken_disk.remember(grant())
    with pytest.raises(StoreFailed, match=FAILED):
        broken_disk.park([question("new")])
    with pytest.raises(StoreFailed, match=FAILED):
        broken_disk.note("allowed", 1.0, call(), "rule")
    with pytest.raises(StoreFailed, match=FAILED):
        broken_disk.decide(approved(question("waits")))


def test_what_was_to_be_synced_soon_and_cannot_be_stops_the_rest(broken_disk: SQLiteStore) -> None:
    broken_disk.decide(approved(question("waits")), starts=True)
    until(lambda: broken_disk._db._lost)
    with pytest.raises(StoreFailed, match=FAILED):
        broken_disk.start(question("waits").id, 7.0)


def test_what_is_owed_stays_owed_where_nothing_was_written(open_store: Open) -> None:
    store = prepared(open_store())
    with store._db._write_lock:
        store.decide(approved(question("waits")), starts=True)
        assert not store.revoke(GrantId("nobody's"), by="ana", at=8.0)
        assert store._db._owes_sync


def test_what_is_owed_is_synced_with_what_is_queued(open_store: Open) -> None:
    store = prepared(open_store())

    def approve_note_and_flush(store: SQLiteStore) -> None:
        with store._db._write_lock:
            store.decide(approved(question("waits")), starts=True)
            store.note("allowed", 1.0, call("other"), "rule")
            store._db.flush()
            assert not store._db._owes_sync

    assert done(store, approve_note_and_flush) == ["commit", "commit", "sync"]


def test_others_write_while_one_waits_for_the_disk(open_store: Open) -> None:
    store = prepared(open_store())
    with ThreadPoolExecutor(1) as elsewhere:

        def meanwhile() -> None:
            elsewhere.submit(store.park, [question("meanwhile")]).result(timeout=20)

        with heard(store, on_sync=meanwhile) as found:
            store.start(question("approved").id, 7.0)
    assert found == ["commit", "commit", "sync"]
    assert question("meanwhile") in store.desk()


def test_two_that_wait_for_the_disk_at_once_may_wait_together(open_store: Open) -> None:
    store = prepared(open_store())
    store.decide(approved(question("waits")))
    with ThreadPoolExecutor(1) as elsewhere:
        others: list[Future[None]] = []

        def meanwhile() -> None:
            if not others:
                others.append(elsewhere.submit(store.start, question("waits").id, 8.0))
                until(lambda: store.asked(question("waits").id).effect)  # type: ignore[union-attr]

        with heard(store, on_sync=meanwhile) as found:
            store.start(question("approved").id, 7.0)
            others[0].result(timeout=20)
    # What came while the disk was at work needs a sync of its own.
    assert found == ["commit", "commit", "sync", "sync"]


def test_a_closed_store_holds_no_file(open_store: Open) -> None:
    store = open_store()
    assert store._db._log is not None
    file = store._db._log.fileno()
    assert samestat(fstat(file), Path(f"{store._db.path}-wal").stat())
    store.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        fstat(file)
    store.close()


def test_a_path_that_is_no_text_is_a_path_too(tmp_path: Path) -> None:
    with closing(SQLiteStore(fsdecode(bytes(tmp_path) + b"/\xff.db"))) as store:
        store.park([question()])
        assert store.desk() == [question()]


def test_the_log_is_found_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "store.db"
    link.symlink_to(tmp_path / "there" / "store.db")
    with closing(SQLiteStore(link)) as store:
        store.park([question()])
        log = Path(f"{(tmp_path / 'there' / 'store.db')}-wal")
        assert store._db._log is not None
        assert samestat(fstat(store._db._log.fileno()), log.stat())


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
        before = reading.execute("SELECT count(*) FROM answers").fetchall()
        elsewhere.submit(store.decide, approved(question())).result(timeout=20)
        assert reading.execute("SELECT count(*) FROM answers").fetchall() == before == [(0,)]
    assert store.ruling(question().id) == approved(question())


def test_a_long_write_holds_up_no_read(open_store: Open) -> None:
    store = open_store()
    store.park([question()])
    with ThreadPoolExecutor(1) as elsewhere:

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM waiting")
            assert elsewhere.submit(store.desk).result(timeout=20) == [question()]
            assert elsewhere.submit(store.ruling, question().id).result(timeout=20) is None

        store._db.write("before", write)
    assert store.desk() == []
