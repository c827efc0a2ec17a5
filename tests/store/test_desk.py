"""Questions and how they end: one answer wins, time wins over late ones, a stop takes the rest."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assent.errors import AlreadyDecided, StoreFailed, UnknownPending
from assent.model import Asked, Outcome, PendingId, RunHistory, Stop
from assent.store import SQLiteStore
from assent.store import _rows as rows
from tests.store.conftest import Open
from tests.store.kit import approved, expired, grant, question, raw, rejected, stopped


def test_a_question_waits_on_the_desk_until_it_is_answered(store: SQLiteStore) -> None:
    first, second = question("1"), question("2")
    store.park([first, second])
    assert store.desk() == [first, second]
    store.decide(approved(first))
    assert store.desk() == [second]
    assert store.asked(first.id) == Asked(pending=first, ruling=approved(first))


def test_the_desk_is_in_the_order_of_asking(store: SQLiteStore) -> None:
    asked = [question(name) for name in "cab"]
    store.park(asked[:1])
    store.park(asked[1:])
    assert store.desk() == asked


def test_a_stop_and_time_end_questions_in_the_order_of_asking(store: SQLiteStore) -> None:
    asked = [question(name, run=run, expires=9.0) for run in ("stopped", "late") for name in "cab"]
    store.park(asked)
    store.stop_run("stopped", by="ana", at=8.0)
    store.expire(9.0)
    ended = [entry.body["pending"] for entry in store.journal() if entry.kind in {"cancelled", "expired"}]
    assert ended == [each.id for each in asked]


def test_what_was_answered_does_not_slow_the_desk_down(open_store: Open, path: Path) -> None:
    store = open_store()
    store.park([question("waits")])
    reads = rows.DESK, rows.OVERDUE.replace("?", "9.0")
    before = [steps(path, read) for read in reads]
    for number in range(200):
        store.park([question(str(number))])
        store.decide(rejected(question(str(number))))
    store.park([question("waits too")])
    after = [steps(path, read) for read in reads]
    assert all(later < 3 * first for first, later in zip(before, after, strict=True))


def test_questions_since_the_last_look_are_found_without_going_through_the_older_ones(
    open_store: Open, path: Path
) -> None:
    store = open_store()
    store.park([question(str(number), run=str(number)) for number in range(200)])
    assert store._load_runs(0, 999) == (200, set(map(str, range(200))))
    store.park([question("x", run="x")])
    assert store._load_runs(200, 999) == (201, {"x"})
    assert steps(path, rows.ASKED_SINCE.replace("?1", "200").replace("?2", "999")) < 200


def steps(path: Path, query: str) -> int:
    """How many steps SQLite takes for it."""
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1

    with closing(sqlite3.connect(path)) as connection:
        connection.execute(query).fetchall()  # the schema is read
        connection.set_progress_handler(step, 1)
        connection.execute(query).fetchall()
    return taken


def test_a_question_leaves_the_desk_with_its_answer_and_the_list_of_the_waiting_with_the_next_question(
    open_store: Open, path: Path
) -> None:
    store = open_store()
    store.park([question("1"), question("2")])
    store.decide(approved(question("1")))
    assert store.desk() == open_store().desk() == [question("2")]
    assert not store.expire(1e12)
    store.park([question("3")])
    assert raw(path, "SELECT count(*) FROM waiting") == [(2,)]
    assert store.desk() == [question("2"), question("3")]


def test_parking_twice_keeps_the_first(store: SQLiteStore) -> None:
    first = question(created=1.0, expires=9.0)
    again = question(created=2.0, expires=99.0)
    assert store.park([first]) == [first]
    assert store.park([again, question("2")]) == [first, question("2")]
    assert store.desk() == [first, question("2")]
    assert [entry.kind for entry in store.journal()] == ["asked", "asked"]


def test_parking_an_answered_question_does_not_reopen_it(store: SQLiteStore) -> None:
    store.park([question()])
    store.decide(rejected(question()))
    store.park([question(created=7.0)])
    assert store.desk() == []
    assert store.ruling(question().id) == rejected(question())


def test_one_answer_wins_and_the_loser_learns_by_whom_and_when(store: SQLiteStore) -> None:
    store.park([question()])
    store.decide(approved(question(), by="ana", at=5.0))
    with pytest.raises(AlreadyDecided) as lost:
        store.decide(rejected(question(), by="ben", at=6.0))
    assert (lost.value.outcome, lost.value.by, lost.value.at) == (Outcome.APPROVED, "ana", 5.0)
    assert store.ruling(question().id) == approved(question(), by="ana", at=5.0)


def test_the_loser_leaves_no_trace(store: SQLiteStore) -> None:
    store.park([question()])
    store.decide(approved(question()))
    with pytest.raises(AlreadyDecided):
        store.decide(rejected(question()), grant=grant(allow=False))
    assert store.grants() == []
    assert [entry.kind for entry in store.journal()] == ["asked", "approved"]


def test_of_many_threads_answering_at_once_one_wins(store: SQLiteStore) -> None:
    store.park([question()])
    together = threading.Barrier(8)

    def answer(name: str) -> str:
        together.wait()
        try:
            store.decide(approved(question(), by=name))
        except AlreadyDecided as lost:
            return lost.by
        return name

    with ThreadPoolExecutor(8) as pool:
        told = set(pool.map(answer, "abcdefgh"))
    ruling = store.ruling(question().id)
    assert ruling is not None
    assert told == {ruling.by}


def test_two_processes_of_approvers_see_one_winner(open_store: Open) -> None:
    here, there = open_store(), open_store()
    here.park([question()])
    there.decide(approved(question(), by="ana"))
    with pytest.raises(AlreadyDecided) as lost:
        here.decide(approved(question(), by="ben"))
    assert lost.value.by == "ana"


@pytest.mark.parametrize("late", [10.0, 11.0])
def test_an_answer_after_the_expiry_loses_to_time(store: SQLiteStore, late: float) -> None:
    pending = question(expires=10.0)
    store.park([pending])
    with pytest.raises(AlreadyDecided) as lost:
        store.decide(approved(pending, at=late), grant=grant())
    assert (lost.value.outcome, lost.value.by, lost.value.at) == (Outcome.EXPIRED, "time", late)
    assert store.ruling(pending.id) == expired(pending, at=late)
    assert store.grants() == []


def test_an_answer_just_before_the_expiry_counts(store: SQLiteStore) -> None:
    pending = question(expires=10.0)
    store.park([pending])
    store.decide(approved(pending, at=9.999))
    assert store.expire(10.0) is False
    assert store.ruling(pending.id) == approved(pending, at=9.999)


def test_time_itself_may_end_a_question_and_is_not_told_it_lost(store: SQLiteStore) -> None:
    pending = question(expires=10.0)
    store.park([pending])
    store.decide(expired(pending, at=12.0))
    assert store.ruling(pending.id) == expired(pending, at=12.0)


def test_time_ends_every_question_that_is_over_and_no_other(store: SQLiteStore) -> None:
    soon, late, never = question("1", expires=10.0), question("2", expires=11.0), question("3")
    store.park([soon, late, never])
    assert store.expire(9.9) is False
    assert store.expire(10.0) is True
    assert store.desk() == [late, never]
    assert store.ruling(soon.id) == expired(soon, at=10.0)
    assert store.expire(10.0) is False


def test_stopping_a_run_cancels_its_other_waiting_questions(store: SQLiteStore) -> None:
    answered, stops, waits, elsewhere = (question(name) for name in ("1", "2", "3", "4"))
    elsewhere = question("4", run="other")
    store.park([answered, stops, waits, elsewhere])
    store.decide(approved(answered, at=4.0))
    store.decide(stopped(stops, by="ana", at=5.0))
    assert store.desk() == [elsewhere]
    ruling = store.ruling(waits.id)
    assert ruling is not None
    assert (ruling.outcome, ruling.by, ruling.at) == (Outcome.CANCELLED, "ana", 5.0)
    assert store.ruling(answered.id) == approved(answered, at=4.0)
    assert store.history("run").stopped == Stop(by="ana", at=5.0)
    assert store.history("other").stopped is None


def test_a_question_that_comes_after_the_stop_does_not_wait(store: SQLiteStore) -> None:
    """It was judged before the stop: nobody may approve it on a desk that was cleared."""
    store.park([question("1")])
    store.decide(stopped(question("1"), by="ana"))
    store.park([question("2")])
    assert store.desk() == []
    ruling = store.ruling(question("2").id)
    assert ruling is not None
    assert (ruling.outcome, ruling.by) == (Outcome.CANCELLED, "ana")


@pytest.mark.parametrize("start", [-5.0, 0.0, 1e9])
def test_a_stop_holds_whatever_the_clock_says_until_the_turn_has_ended(store: SQLiteStore, start: float) -> None:
    store.park([question(created=start)])
    store.decide(stopped(question(), at=start))
    assert store.history("run").stopped is not None
    store.end_run("run", start + 1, goes_on=True)
    assert store.history("run").stopped is None


def test_there_is_no_answering_a_question_nobody_asked(store: SQLiteStore) -> None:
    with pytest.raises(UnknownPending):
        store.decide(approved(question()))
    assert store.asked(question().id) is None
    assert store.ruling(PendingId("none")) is None
    assert list(store.journal()) == []


def test_the_history_of_a_run_names_the_question_of_every_call(store: SQLiteStore) -> None:
    store.park([question("1"), question("2"), question("3", run="other")])
    assert store.history("run") == RunHistory(calls={"1": question("1").id, "2": question("2").id})
    assert store.history("none") == RunHistory(calls={})


def test_a_version_differs_once_anybody_wrote(store: SQLiteStore) -> None:
    before = store.version()
    assert store.version() == before
    store.park([question()])
    parked = store.version()
    assert parked != before
    store.decide(approved(question()))
    assert store.version() != parked


def test_a_version_differs_once_another_process_wrote(open_store: Open) -> None:
    here, there = open_store(), open_store()
    before = here.version()
    there.park([question()])
    assert here.version() != before


def test_a_question_nobody_can_read_refuses_and_does_not_crash(open_store: Open, path: Path) -> None:
    store = open_store()
    store.park([question(expires=10.0)])
    raw(path, "UPDATE pending SET body = '{}'")
    for attempt in (store.desk, lambda: store.asked(question().id), lambda: store.expire(11.0)):
        with pytest.raises(StoreFailed):
            attempt()


def test_an_answer_nobody_can_write_refuses_and_decides_nothing(store: SQLiteStore) -> None:
    """A terminal may hand us a broken character in a note."""
    store.park([question()])
    with pytest.raises(StoreFailed):
        store.decide(approved(question(), by="an\ud800"))
    assert store.desk() == [question()]
    store.decide(approved(question()))


def test_a_question_ends_also_with_a_reason_that_has_half_a_character(store: SQLiteStore) -> None:
    """It comes from what broke, and nobody can give another."""
    store.park([question()])
    store.decide(replace(expired(question(), at=5.0), outcome=Outcome.FAILED, detail="no \udcff.txt"))
    ruling = store.ruling(question().id)
    assert ruling is not None
    assert ruling.detail == r"no \udcff.txt"


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_nobody_sees_an_effect_without_the_answer_that_allowed_it(open_store: Open, moment: int) -> None:
    """Another process answers and starts it just before the reader's first, second or third look."""
    writer, reader = open_store(), open_store()
    writer.park([question()])
    looks: list[str] = []

    def look(statement: str) -> None:
        looks.append(statement)
        if len(looks) == moment:
            writer.decide(approved(question()))
            writer.start(question().id, 6.0)

    reader._db._reader.set_trace_callback(look)
    asked = reader.asked(question().id)
    reader._db._reader.set_trace_callback(None)
    assert looks
    assert asked is not None
    assert (asked.ruling is None) == (asked.effect is None)


def test_whole_files_are_kept_beside_a_question_while_it_waits_and_no_longer(open_store: Open) -> None:
    here, there = open_store(), open_store()
    whole = replace(question("1"), preview=replace(question("1").preview, contents={"digest": b"\xff whole"}))
    (parked,) = here.park([whole])
    assert parked.preview.contents == {}
    assert there.content(parked.id, "digest") == b"\xff whole"
    assert there.content(parked.id, "another") is None
    here.decide(approved(whole))
    here.park([question("2")])
    assert there.content(parked.id, "digest") is None


def test_a_run_that_nobody_knows_cannot_be_stopped_nor_resumed(store: SQLiteStore) -> None:
    assert not store.stop_run("nowhere", by="ana", at=1.0)
    assert not store.resume_run("nowhere", by="ana", at=1.0)
    assert list(store.journal()) == []


def test_asking_takes_the_same_work_however_many_questions_were_answered_before(store: SQLiteStore) -> None:
    work: list[int] = []
    for number in range(300):
        steps = 0

        def step() -> None:
            nonlocal steps
            steps += 1

        store._db._writer.set_progress_handler(step, 1)
        store.park([question(str(number))])
        store._db._writer.set_progress_handler(None, 0)
        work.append(steps)
        store.decide(approved(question(str(number))))
    # Trees grow, but nobody goes through all that was ever answered.
    assert max(work[200:]) < 1.5 * max(work[:20])


def test_an_answer_is_not_seen_before_it_is_written_whole(open_store: Open) -> None:
    store = open_store()
    store.park([question()])

    def decide(connection: sqlite3.Connection) -> None:
        store._steps.decide(connection, approved(question()), None)
        assert store.ruling(question().id) is None

    store._db.write("before", decide)
    assert store.ruling(question().id) == approved(question())


def test_the_end_of_a_run_leaves_what_is_known_of_other_runs_at_hand(store: SQLiteStore) -> None:
    store.park([question("1"), question("2", run="other")])
    known = store.history("other")
    store.decide(stopped(question("1")))
    assert store.history("run").stopped is not None
    known = store.history("other")
    store.end_run("run", 9.0, goes_on=True)
    assert store.history("run").stopped is None
    assert store.history("other") is known
