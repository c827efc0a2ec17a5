"""The file: private, shared by processes, never older than its reader, and loud when it fails."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assent.errors import StoreFailed
from assent.store import SQLiteStore
from tests.store.conftest import Open
from tests.store.kit import approved, call, child, end, permit_for, question, raw, says, tell, until


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def fill(store: SQLiteStore) -> None:
    """The disk is full: the file may not grow by a page."""
    ((pages,),) = store._db._writer.execute("PRAGMA page_count").fetchall()
    store._db._writer.execute(f"PRAGMA max_page_count = {pages}")


def make_room(store: SQLiteStore) -> None:
    with store._db._write_lock:
        store._db._writer.execute("PRAGMA max_page_count = 1000000")


def note(store: SQLiteStore, call_id: str = "1") -> None:
    store.note("allowed", 1.0, call(call_id), "a long reason " * 500)


def test_what_was_recorded_is_there_after_reopening(open_store: Open) -> None:
    store = open_store()
    store.park([question("1"), question("2")])
    store.decide(approved(question("1")))
    store.start(question("1").id, 7.0)
    before = store.asked(question("1").id), list(store.journal())
    store.close()
    again = open_store()
    assert (again.asked(question("1").id), list(again.journal())) == before
    assert again.desk() == [question("2")]


def test_only_the_owner_may_read_the_file_and_its_folder(path: Path) -> None:
    old = os.umask(0)
    try:
        store = SQLiteStore(path)
        store.park([question()])
        assert [mode(each) for each in sorted(path.parent.iterdir())] == [0o600] * 3  # the file, -shm and -wal
        assert mode(path.parent) == 0o700
        store.close()
    finally:
        os.umask(old)


def open_to_all(path: Path) -> None:
    """A record that others may read and write, as an older one or a careless copy."""
    SQLiteStore(path).close()
    path.chmod(0o666)


def test_a_file_that_others_may_read_is_taken_from_them(open_store: Open, path: Path) -> None:
    open_to_all(path)
    elsewhere = sqlite3.connect(path)
    elsewhere.execute("SELECT * FROM journal").fetchall()  # makes -shm and -wal, for all as the file is
    open_store().park([question()])
    assert [mode(each) for each in sorted(path.parent.iterdir())] == [0o600] * 3
    elsewhere.close()


def test_a_file_of_somebody_else_is_used_as_it_is(
    open_store: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all(path)
    monkeypatch.setattr(os, "geteuid", lambda: -1)
    open_store().park([question()])
    assert mode(path) == 0o666


def test_a_folder_that_is_there_keeps_its_mode(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    SQLiteStore(path).close()
    assert mode(path.parent) == 0o755


def test_only_a_file_is_shared(open_store: Open) -> None:
    store = SQLiteStore()
    assert store.shared is False
    assert open_store().shared is True
    store.close()


def test_opening_a_file_writes_nothing_to_it(open_store: Open, path: Path) -> None:
    """Every hook call opens it: nobody's memory may become stale by that."""
    store = open_store()
    before = store.version()
    open_store()
    assert store.version() == before


def test_a_file_of_a_newer_assent_is_refused_and_says_what_to_do(open_store: Open, path: Path) -> None:
    open_store().close()
    raw(path, "PRAGMA user_version = 99")
    with pytest.raises(StoreFailed, match=r"a newer assent wrote it \(schema 99, .*\): update assent"):
        SQLiteStore(path)
    assert raw(path, "PRAGMA user_version") == [(99,)]


def test_processes_that_open_a_new_file_at_the_same_moment_all_work(tmp_path: Path) -> None:
    openers = [child("open_together", tmp_path) for _ in range(3)]
    for opener in openers:
        assert says(opener) == "ready"
    for name in "abcdef":
        for opener in openers:
            tell(opener, name)
        assert [says(opener) for opener in openers] == ["opened"] * 3
        store = SQLiteStore(tmp_path / name / "store.db")
        assert len(store.desk()) == 3
        assert store.verify() is None
        store.close()
    end(*openers)


def test_threads_that_open_a_new_file_at_the_same_moment_all_work(path: Path) -> None:
    together = threading.Barrier(6)

    def work(number: int) -> None:
        together.wait()
        store = SQLiteStore(path)
        store.park([question(str(number))])
        store.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    store = SQLiteStore(path)
    assert len(store.desk()) == 6
    store.close()


def refusals(what: str, path: Path | str, count: int) -> list[bool]:
    """Whether each attempt of a forked process is refused because it was forked."""
    forked = child(what, path)
    said = [says(forked) for _ in range(count)]
    end(forked)
    return ["was opened before this process was forked" in each for each in said]


def test_a_forked_process_cannot_use_what_its_parent_opened(open_store: Open, path: Path) -> None:
    assert refusals("fork", path, 4) == [True] * 4
    store = open_store()
    assert [entry.at for entry in store.journal()] == [1.0]
    assert store.verify() is None


def test_a_forked_process_cannot_open_what_is_open_in_its_parent_by_whatever_name(path: Path) -> None:
    """SQLite would take no lock there: one approval could run twice."""
    assert refusals("fork_and_open", path, 3) == [True] * 3


def test_a_forked_process_opens_what_its_parent_has_closed(open_store: Open, path: Path) -> None:
    assert refusals("close_and_fork", path, 1) == [False]
    assert open_store().desk() == [question()]


@pytest.mark.parametrize("memory", [True, False])
def test_a_process_forked_while_another_thread_holds_the_locks_is_refused_and_does_not_hang(
    path: Path, *, memory: bool
) -> None:
    assert refusals("fork_while_locked", ":memory:" if memory else path, 8) == [True] * 8


# When it fails


@pytest.mark.parametrize("path", ["", "file:store.db", "file:store.db?mode=memory", "sqlite:///store.db", "a\0.db"])
def test_what_is_no_path_is_refused_and_makes_no_file(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreFailed, match="that is no path of a file; give one, such as assent"):
        SQLiteStore(path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("my diary, not a database " * 100)
    with pytest.raises(StoreFailed, match=r"cannot open .*store\.db: file is not a database"):
        SQLiteStore(path)
    assert path.read_text() == "my diary, not a database " * 100


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for impossible in (tmp_path / "file" / "store.db", tmp_path, Path("/proc/nobody/store.db")):
        with pytest.raises(StoreFailed, match=r"cannot open .*; give store= another path, or set XDG_STATE_HOME"):
            SQLiteStore(impossible)


def test_a_file_that_another_program_holds_is_refused_after_a_while(
    open_store: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.store._open._BUSY_SECONDS", 0.05)
    store = open_store()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="locked"):
        store.park([question()])
    assert store.desk() == []  # reading goes on
    other.close()
    store.park([question()])
    assert store.desk() == [question()]


def test_a_file_that_was_held_for_long_is_written_again_once_it_is_free(
    open_store: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.store._open._BUSY_SECONDS", 0.05)
    monkeypatch.setattr("assent.store._flusher.RETRY_SECONDS", 0.05)
    store = open_store()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.note("allowed", 1.0, call(), "the rule")
    until(lambda: store._db._broken is not None)
    with pytest.raises(StoreFailed, match="locked"):
        store.note("allowed", 2.0, call(), "the rule")
    other.close()
    # Nobody writes meanwhile: the store tries again by itself.
    until(lambda: store._db._broken is None)
    store.note("allowed", 3.0, call(), "the rule")
    assert [entry.at for entry in store.journal()] == [1.0, 3.0]


def remove(path: Path) -> None:
    path.rename(path.with_name("removed"))


def replace(path: Path) -> None:
    remove(path)
    path.touch()


@pytest.mark.parametrize("lose", [remove, replace])
def test_a_file_that_is_removed_or_replaced_takes_nothing_until_it_is_back(
    open_store: Open, path: Path, monkeypatch: pytest.MonkeyPatch, lose: Callable[[Path], None]
) -> None:
    monkeypatch.setattr("assent.store._flusher.RETRY_SECONDS", 0.05)
    store = open_store()
    store.park([question("1"), question("2")])
    store.decide(approved(question("1")))
    lose(path)
    for write in (
        lambda: store.park([question("3")]),
        lambda: store.decide(approved(question("2"))),
        lambda: store.start(question("1").id, 7.0),
        lambda: store.start_at_once(question("4"), approved(question("4")), permit=permit_for(question("4"))),
    ):
        with pytest.raises(StoreFailed, match="was removed or replaced while it was open"):
            write()
    note(store)
    until(lambda: store._db._broken is not None)
    with pytest.raises(StoreFailed, match="was removed or replaced"):
        note(store)
    path.with_name("removed").rename(path)
    until(lambda: store._db._broken is None)
    assert [entry.kind for entry in store.journal()] == ["asked", "asked", "approved", "allowed"]
    assert store.verify() is None


def test_a_file_is_found_again_from_another_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = SQLiteStore("store.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    store.park([question()])
    assert store.desk() == [question()]
    store.close()


def test_a_full_disk_refuses_and_says_so(store: SQLiteStore) -> None:
    store.park([question()])
    fill(store)
    with pytest.raises(StoreFailed, match="disk is full"):
        store.park([question(str(number)) for number in range(200)])
    make_room(store)
    assert store.desk() == [question()]
    store.park([question("2")])
    assert store.desk() == [question(), question("2")]
    assert store.verify() is None


def test_once_the_journal_cannot_be_written_no_note_is_taken(store: SQLiteStore) -> None:
    fill(store)
    note(store)
    until(lambda: store._db._broken is not None)
    for _ in range(2):
        with pytest.raises(StoreFailed, match="the journal cannot be written: database or disk is full"):
            note(store)
    make_room(store)


def test_what_could_not_be_written_is_not_lost_and_written_when_it_can_be(store: SQLiteStore) -> None:
    fill(store)
    note(store, "1")
    note(store, "2")
    with pytest.raises(StoreFailed):
        store.park([question("3")])
    until(lambda: store._db._broken is not None)
    with pytest.raises(StoreFailed):
        note(store, "refused")
    make_room(store)
    until(lambda: store._db._broken is None)
    note(store, "4")
    assert [entry.body["call"] for entry in store.journal()] == ["1", "2", "4"]
    assert store.verify() is None


def test_closing_says_when_notes_are_lost(path: Path) -> None:
    store = SQLiteStore(path)
    fill(store)
    note(store)
    with pytest.raises(StoreFailed, match="disk is full"):
        store.close()
    store.close()


def test_a_new_file_has_small_pages_and_one_with_larger_pages_is_used_as_it_is(path: Path, tmp_path: Path) -> None:
    SQLiteStore(path).close()
    assert raw(path, "PRAGMA page_size") == [(2048,)]
    old = tmp_path / "old.db"
    raw(old, "PRAGMA page_size = 4096", "PRAGMA journal_mode = WAL", "CREATE TABLE mine (id INTEGER PRIMARY KEY)")
    store = SQLiteStore(old)
    store.park([question()])
    store.decide(approved(question()))
    assert store.verify() is None
    store.close()
    assert raw(old, "PRAGMA page_size") == [(4096,)]
