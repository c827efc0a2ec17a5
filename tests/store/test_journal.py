"""The journal: in order, within the flush window, from many threads and processes, never lost."""

from __future__ import annotations

import json
import signal
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from time import sleep
from typing import Any, cast
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from assent.errors import StoreFailed
from assent.model import (
    ApprovalRequest,
    Approve,
    EffectState,
    Outcome,
    Ruling,
    Scope,
    ToolCall,
    canonical,
    digest,
    thaw,
)
from assent.store import SQLiteStore, _journal
from assent.store._entries import noted
from assent.store._flusher import FLUSH_SECONDS
from assent.testing import memory_store
from tests.store.conftest import Open
from tests.store.kit import (
    approved,
    call,
    child,
    end,
    grant,
    heard,
    no_threads,
    question,
    raw,
    rejected,
    says,
    strictly_read,
    tell,
    until,
)
from tests.strategies import calls, requests, times


def note(store: SQLiteStore, call_id: str = "1", at: float = 1.0) -> None:
    store.note("allowed", at, call(call_id), "the rule")


def many(store: SQLiteStore, count: int) -> None:
    for number in range(count):
        note(store, f"many {number}")


def told(store: SQLiteStore) -> list[tuple[str, object]]:
    return [(entry.kind, entry.body.get("call")) for entry in store.journal()]


def test_a_journal_of_nothing_is_whole(store: SQLiteStore) -> None:
    assert list(store.journal()) == []
    assert store.verify() is None


def test_the_journal_says_who_was_asked_what_and_what_became_of_it(store: SQLiteStore) -> None:
    note(store)
    store.park([question("2")])
    edit = Approve(by="ana", override_args={"path": "b"}, scope=Scope.ALWAYS, note="only this one")
    store.decide(
        Ruling(pending=question("2").id, outcome=Outcome.APPROVED, by="ana", at=3.0, decision=edit), grant=grant()
    )
    assert [(entry.seq, entry.kind, entry.at, entry.run, dict(entry.body)) for entry in store.journal()] == snapshot(
        [
            (
                1,
                "allowed",
                1.0,
                "run",
                {"agents": (), "args": {"path": "1"}, "call": "1", "tool": "write", "why": "the rule"},
            ),
            (
                2,
                "asked",
                1.0,
                "run",
                {
                    "agents": (),
                    "call": "2",
                    "digest": "556577386a6c4d8a192edaed05fbe4f964b50f2294215ba0740254256e21c482",
                    "fingerprint": {},
                    "pending": "d436e612c643128e4283b4ebeeaace22",
                    "tool": "write",
                    "why": "this tool asks every time",
                },
            ),
            (
                3,
                "approved",
                3.0,
                "run",
                {
                    "approved": "1fd9de257d06f6b1271fe7fff897bf4818e694050162bcf2f0ebf62e282eae0b",
                    "by": "ana",
                    "grant": "g",
                    "note": "only this one",
                    "pending": "d436e612c643128e4283b4ebeeaace22",
                    "proposed": "556577386a6c4d8a192edaed05fbe4f964b50f2294215ba0740254256e21c482",
                    "scope": "always",
                    "tool": "write",
                },
            ),
        ]
    )


def test_notes_and_durable_entries_are_in_the_order_they_happened(store: SQLiteStore) -> None:
    note(store, "1")
    store.park([question("2")])
    note(store, "3")
    note(store, "4")
    store.decide(approved(question("2")))
    note(store, "5")
    assert told(store) == [
        ("allowed", "1"),
        ("asked", "2"),
        ("allowed", "3"),
        ("allowed", "4"),
        ("approved", None),
        ("allowed", "5"),
    ]
    assert store.verify() is None


def test_a_note_is_written_though_nobody_asks_for_it(open_store: Open, path: Path) -> None:
    store = open_store()
    for call_id in "123":
        note(store, call_id)
        until(lambda: raw(path, "SELECT count(*) FROM journal") == [(int(call_id),)])  # noqa: B023 — called at once


def test_a_note_taken_along_by_a_write_that_failed_is_written_all_the_same(open_store: Open, path: Path) -> None:
    """The flusher had its turn while the note was in that write."""
    store = open_store()

    class Failure(Exception):
        pass

    def fail(_connection: sqlite3.Connection) -> None:
        sleep(FLUSH_SECONDS * 2)  # so long the flusher sleeps before it takes its turn
        raise Failure

    # Held, so that the flusher comes second.
    with store._db._write_lock:
        note(store)
        with pytest.raises(Failure):
            store._db.write("no", fail)
    until(lambda: raw(path, "SELECT count(*) FROM journal") == [(1,)])


def test_whoever_reads_the_journal_finds_the_notes_that_are_being_written(store: SQLiteStore) -> None:
    note(store)
    writing, go_on = threading.Event(), threading.Event()

    def wait(_connection: sqlite3.Connection) -> None:
        writing.set()
        go_on.wait(20)

    with ThreadPoolExecutor(2) as pool:
        written = pool.submit(store._db.write, "no", wait)
        assert writing.wait(20)
        reading = pool.submit(told, store)
        # Who does not wait for the writer has read long before this.
        threading.Event().wait(0.1)
        go_on.set()
        written.result()
        assert reading.result() == [("allowed", "1")]


def test_closing_writes_what_is_queued(open_store: Open) -> None:
    store = open_store()
    for number in range(100):
        note(store, str(number))
    store.close()
    assert told(open_store()) == [("allowed", str(number)) for number in range(100)]


def test_closing_does_not_wait_for_ever_when_it_comes_while_notes_are_written(open_store: Open) -> None:
    store = open_store()
    closing = threading.Thread(target=store.close, daemon=True)
    here = threading.get_ident()

    class AsItIsTaken(SimpleQueue[None]):
        """The flusher's wake-up, given by `close` just before the flusher takes what there is."""

        def empty(self) -> bool:
            if threading.get_ident() != here and closing.ident is None:
                closing.start()
                until(lambda: not super(AsItIsTaken, self).empty())
            return super().empty()

    store._db._queued = store._db._flusher.woken = AsItIsTaken()
    note(store)
    until(lambda: closing.ident is not None)
    closing.join(20)
    assert not closing.is_alive()
    assert told(open_store()) == [("allowed", "1")]


def test_where_no_thread_can_be_started_a_note_is_written_by_its_caller(open_store: Open, path: Path) -> None:
    store = open_store()
    with no_threads():
        note(store, "1")
        assert raw(path, "SELECT count(*) FROM journal") == [(1,)]
    note(store, "2")
    until(lambda: raw(path, "SELECT count(*) FROM journal") == [(2,)])


def test_where_no_thread_can_be_started_what_could_not_be_written_is_written_later(
    open_store: Open, path: Path
) -> None:
    store = open_store()
    with no_threads():
        note(store, "1")
        pages = store._db._writer.execute("PRAGMA page_count").fetchone()[0]
        store._db._writer.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreFailed, match="full"):
            many(store, 1000)
        store._db._writer.execute("PRAGMA max_page_count = 1000000")
        note(store, "2")
    assert raw(path, 'SELECT count(*) FROM journal WHERE body LIKE \'%"call":"2"%\'') == [(1,)]
    assert not store._db._queue


def test_where_no_thread_can_be_started_what_is_owed_is_synced_by_its_writer(open_store: Open) -> None:
    store = open_store()
    store.park([question()])
    with no_threads(), heard(store) as done:
        store.decide(approved(question()), starts=True)
    assert done == ["commit", "sync"]


def test_who_is_interrupted_while_closing_loses_nothing_and_closes_again(
    open_store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store()
    store._db._queued.put(None)  # nobody else writes it
    note(store)
    with monkeypatch.context() as patched:
        patched.setattr(store._db, "flush", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            store.close()
    store.close()
    assert told(open_store()) == [("allowed", "1")]


def test_the_end_of_a_program_loses_no_note(open_store: Open, path: Path) -> None:
    end(child("note_and_exit", path))
    assert told(open_store()) == [("allowed", "1")]


def test_a_closed_store_takes_no_note_and_closes_again(store: SQLiteStore) -> None:
    note(store)
    store.close()
    with pytest.raises(StoreFailed):
        note(store)
    for use in (store.desk, store.version, store.verify, lambda: store.park([question()])):
        with pytest.raises(StoreFailed):
            use()
    store.close()


def test_threads_append_at_once_and_the_chain_holds(store: SQLiteStore) -> None:
    def work(name: str) -> None:
        for number in range(25):
            note(store, f"{name}{number}")
            if number % 5 == 0:
                store.park([question(f"{name}{number}")])
                store.decide(rejected(question(f"{name}{number}")))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    found = told(store)
    assert len(found) == 4 * (25 + 5 + 5)
    for name in "abcd":
        mine = [call_id for kind, call_id in found if kind == "allowed" and str(call_id).startswith(name)]
        assert mine == [f"{name}{number}" for number in range(25)]
    assert store.verify() is None


def test_processes_append_at_once_and_make_one_chain(open_store: Open, path: Path) -> None:
    store = open_store()
    writers = {name: child("append", path) for name in "ab"}
    for writer in writers.values():
        assert says(writer) == "ready"
    for name, writer in writers.items():
        tell(writer, name)
    end(*writers.values())
    for name in writers:
        mine = [call_id for kind, call_id in told(store) if kind == "allowed" and str(call_id).startswith(name)]
        assert mine == [f"{name}{number}" for number in range(40)]
    assert [entry.seq for entry in store.journal()] == list(range(1, 101))
    assert store.verify() is None


def test_more_notes_than_the_queue_should_hold_are_written_at_once(store: SQLiteStore) -> None:
    store._db._queued.put(None)  # nobody else may empty the queue
    note(store)
    store._db._queue.extend(store._db._queue[0] for _ in range(20_000))
    note(store)
    assert not store._db._queue
    assert sum(1 for _ in store.journal()) == 20_002


@pytest.mark.parametrize("at", [5, -0.0, True, 10**15])
def test_a_clock_may_count_as_it_likes(store: SQLiteStore, at: float) -> None:
    note(store, at=at)
    assert store.verify() is None
    assert [entry.at for entry in store.journal()] == [at]


@given(at=times)
def test_an_entry_is_whole_at_any_time(at: float) -> None:
    store = memory_store()
    note(store, at=at)
    assert store.verify() is None
    assert [entry.at for entry in store.journal()] == [at]
    store.close()


class Odd:
    def __repr__(self) -> str:
        return "an odd reason"


@pytest.mark.parametrize(("run", "why"), [("run", Odd()), ("r\ud800n", "the rule")])
def test_a_note_that_nobody_can_spell_does_not_stop_the_others(store: SQLiteStore, run: str, why: object) -> None:
    """Others write policies and frameworks; what they hand us is written as well as it can be."""
    note(store, "1")
    store.note("denied", 2.0, call("2", run=run), cast("Any", why))
    store.park([question("3")])
    first, odd, last = store.journal()
    assert (first.kind, odd.kind, last.kind) == ("allowed", "denied", "asked")
    assert "'call': '2'" in str(odd.body["unspellable"])
    assert store.verify() is None


HALVES = st.text(st.sampled_from("\ud83d\ude00\udcff\ud7ff😀\\ude"), max_size=12)


@given(call_id=HALVES, tool=HALVES, agent=HALVES, why=HALVES)
def test_half_a_character_is_spelled_out_and_read_back(call_id: str, tool: str, agent: str, why: str) -> None:
    """A file name that is not UTF-8 comes in errors and reasons; frameworks name calls as they like."""
    store = memory_store()
    store.note("allowed", 1.0, replace(call("1", agents=(agent,)), id=call_id, tool_name=tool), why)
    (entry,) = store.journal()
    assert store.verify() is None
    assert strictly_read(store) == [thaw(entry.body)]
    store.close()
    assert entry.body == {
        "agents": (spelled_out(agent),),
        "args": {"path": "1"},
        "call": spelled_out(call_id),
        "tool": spelled_out(tool),
        "why": spelled_out(why),
    }


def spelled_out(text: str) -> str:
    together = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # two halves are one character
    return together.encode(errors="backslashreplace").decode()


def test_a_journal_with_half_a_character_in_it_is_read(store: SQLiteStore) -> None:
    """An earlier version wrote it so, and nobody could read what followed."""
    store._db.entries.append(("failed", 1.0, "run", canonical({"why": "no \udcff.txt"})))
    note(store)
    assert [entry.body["why"] for entry in store.journal()] == [r"no \udcff.txt", "the rule"]
    assert store.verify() is None


@given(st.integers(1), st.text(), st.floats(allow_nan=False, allow_infinity=False), st.text(), st.text(), st.text())
def test_an_entry_is_hashed_as_the_one_spelling_of_its_fields(
    seq: int, kind: str, at: float, run: str, body: str, previous: str
) -> None:
    assert _journal._hash(seq, kind, at, run, body, previous) == digest((seq, kind, at, run, body, previous))


@given(
    st.sampled_from(["allowed", "denied", "failed", "granted", "refused"]),
    calls,
    st.none() | requests,
    st.text(max_size=20),
)
def test_what_a_note_says_is_spelled_as_everything_is(
    kind: str, noticed: ToolCall, request: ApprovalRequest | None, why: str
) -> None:
    _, _, _, body = noted(kind, 1.0, noticed, why, request)
    said = json.loads(body)
    assert canonical(said) == body
    assert {name: said[name] for name in ("tool", "call", "agents", "why")} == {
        "tool": noticed.tool_name,
        "call": noticed.id,
        "agents": list(noticed.agents),
        "why": why,
    }
    # What is refused or fails may have arguments that must not be logged, and nobody has said which.
    assert said.keys() - {"tool", "call", "agents", "why"} == (
        {"fingerprint"} if request is not None else set() if kind in ("failed", "refused") else {"args"}
    )
    if "args" in said and len(canonical(noticed.args)) <= 200:
        assert said["args"] == json.loads(canonical(noticed.args))


def test_a_note_of_an_odd_run_stops_no_other(store: SQLiteStore) -> None:
    store.note("allowed", 1.0, replace(call("1"), run=7), "the rule")  # type: ignore[arg-type]
    note(store, "2")
    assert [entry.body.get("call") for entry in store.journal()] == [None, "2"]
    assert store.verify() is None


def test_entries_beyond_what_one_statement_takes_are_one_chain(store: SQLiteStore) -> None:
    with store._db._write_lock:  # so that they are written together
        for number in range(130):
            note(store, str(number))
        store._db.flush()
    assert told(store) == [("allowed", str(number)) for number in range(130)]
    assert store.verify() is None


class Interrupted:
    """A connection on which Ctrl-C arrives with the end of a statement."""

    def __init__(self, connection: sqlite3.Connection, statement: str) -> None:
        self._connection = connection
        self._statement = statement

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:  # noqa: ANN401 — handed on
        found = self._connection.execute(statement, *values)
        if statement.startswith(self._statement):
            raise KeyboardInterrupt
        return found


@pytest.mark.parametrize("statement", ["BEGIN", "UPDATE journal_head", "INSERT INTO journal", "COMMIT"])
def test_an_interrupted_write_writes_what_was_queued_once(store: SQLiteStore, statement: str) -> None:
    writer = store._db._writer
    store._db._queued.put(None)  # nobody else writes it
    store.note("allowed", 1.0, call(), "rule")
    store._db._writer = Interrupted(writer, statement)  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        store._db.flush()
    store._db._writer = writer
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(store._db.flush).result(timeout=20)
    assert [entry.kind for entry in store.journal()] == ["allowed"]
    assert store.verify() is None


def test_a_real_interrupt_leaves_the_record_free_for_others(open_store: Open) -> None:
    store = open_store()

    def interrupted(_connection: sqlite3.Connection) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        store._db.write("before", interrupted)
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(store.park, [question()]).result(timeout=20)
    assert store.desk() == [question()]


def test_what_an_interrupt_left_open_is_undone_by_the_next_write(store: SQLiteStore) -> None:
    store._db._writer.execute("BEGIN IMMEDIATE")
    store._db._writer.execute("DELETE FROM journal_head")
    store.park([question()])
    assert store.desk() == [question()]
    assert store.verify() is None


def test_a_write_within_a_write_is_refused_and_harms_nothing(store: SQLiteStore) -> None:
    def handled(connection: sqlite3.Connection) -> None:
        with pytest.raises(StoreFailed, match="as by a handler of a signal"):
            store.park([question("inner")])
        store._steps.park_all(connection, [question("outer")])

    store._db.write("no", handled)
    assert store.desk() == [question("outer")]
    store.park([question("later")])
    assert store.verify() is None


def test_an_interrupt_leaves_no_doubt_of_how_sqlite_syncs(open_store: Open) -> None:
    store = open_store()
    store.park([question()])
    writer = store._db._writer
    store._db._writer = Interrupted(writer, "PRAGMA synchronous")  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        store.decide(approved(question()))
    store._db._writer = writer
    with heard(store) as done:
        store.finish(question().id, EffectState.DONE, 1.0)
    assert done == ["commit"]
