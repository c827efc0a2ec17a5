"""Questions that are answered in the breath in which they are asked."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assent.errors import AlreadyDecided, AlreadySpent, ConflictingCall, Stopped, StoreFailed
from assent.model import ApprovalRequest, Approve, EffectState, Outcome, Pending, Reject, Ruling
from assent.store import SQLiteStore
from tests.store.conftest import Open
from tests.store.kit import approved, question, rejected, until


@pytest.fixture
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is to be written soon, is written by who comes next."""
    monkeypatch.setattr("assent.store._database.FLUSH_SECONDS", 60.0)


@pytest.fixture
def here(open_store: Open) -> SQLiteStore:
    return open_store()


def ask(store: SQLiteStore, pending: Pending) -> None:
    assert store.park([pending], soon=True) == [pending]


def kinds(store: SQLiteStore) -> list[str]:
    return [entry.kind for entry in store.journal()]


@pytest.mark.usefixtures("_unhurried")
def test_the_question_its_answer_and_its_start_are_written_in_one_step(here: SQLiteStore, open_store: Open) -> None:
    ask(here, question())
    here.decide(approved(question()), starts=True)
    elsewhere = open_store()
    assert elsewhere.desk() == []
    here.start(question().id, 6.0)
    asked = elsewhere.asked(question().id)
    assert asked is not None
    assert (asked.pending, asked.ruling) == (question(), approved(question()))
    assert asked.effect is not None
    assert asked.effect.state is EffectState.STARTED
    assert kinds(elsewhere) == ["asked", "approved", "started"]
    assert elsewhere.verify() is None
    assert elsewhere.desk() == []


def test_a_question_that_nobody_answers_at_once_is_soon_on_the_desk_of_everybody(
    here: SQLiteStore, open_store: Open
) -> None:
    elsewhere = open_store()
    ask(here, question())
    until(lambda: elsewhere.desk() == [question()])
    elsewhere.decide(rejected(question()))
    with pytest.raises(AlreadyDecided):
        here.decide(approved(question()), starts=True)


def test_an_answer_whose_call_does_not_start_is_soon_on_the_record(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    ask(here, question())
    here.decide(approved(question()), starts=True)
    until(lambda: elsewhere.ruling(question().id) == approved(question()))
    assert not here._db._owes_sync


@pytest.mark.usefixtures("_unhurried")
@pytest.mark.parametrize(
    "finds",
    [
        pytest.param(lambda store: store.desk() == [question()], id="the desk"),
        pytest.param(lambda store: store.asked(question().id).pending == question(), id="the question"),
        pytest.param(lambda store: [each.pending for each in store.recent(5)] == [question()], id="the last ones"),
        pytest.param(lambda store: [run.waiting for run in store.runs()] == [1], id="the runs"),
        pytest.param(lambda store: question().call.id in store.history("run").calls, id="the history"),
        pytest.param(lambda store: kinds(store) == ["asked"], id="the journal"),
    ],
)
def test_who_looks_here_finds_it_at_once(store: SQLiteStore, finds: Callable[[SQLiteStore], bool]) -> None:
    ask(store, question())
    store._memory.forget()
    assert finds(store)


@pytest.mark.usefixtures("_unhurried")
def test_whatever_else_is_written_writes_it_first(here: SQLiteStore) -> None:
    ask(here, question())
    here.park([question("2")])
    assert here.desk() == [question(), question("2")]


@pytest.fixture
def elsewhere(open_store: Open) -> SQLiteStore:
    """Another process, which runs the same call of the same run at the same moment."""
    return open_store()


@pytest.mark.usefixtures("_unhurried")
def test_a_call_that_somebody_rejected_elsewhere_in_that_moment_does_not_start(
    here: SQLiteStore, elsewhere: SQLiteStore
) -> None:
    ask(here, question())
    here.decide(approved(question()), starts=True)
    elsewhere.park([question()])
    elsewhere.decide(rejected(question()))
    with pytest.raises(AlreadyDecided, match="ben"):
        here.start(question().id, 7.0)
    asked = here.asked(question().id)
    assert asked is not None
    assert (asked.ruling, asked.effect) == (rejected(question()), None)


@pytest.mark.usefixtures("_unhurried")
def test_a_call_that_was_approved_and_started_elsewhere_in_that_moment_does_not_start_twice(
    here: SQLiteStore, elsewhere: SQLiteStore
) -> None:
    ask(here, question())
    here.decide(approved(question()), starts=True)
    elsewhere.park([question()])
    elsewhere.decide(approved(question(), by="eva"))
    elsewhere.start(question().id, 6.0)
    with pytest.raises((AlreadyDecided, AlreadySpent)):
        here.start(question().id, 7.0)
    assert kinds(here).count("started") == 1


def other_arguments() -> Pending:
    other = replace(question().call, args={"path": "other"})
    return replace(question(), call=other, digest=other.digest)


@pytest.mark.usefixtures("_unhurried")
@pytest.mark.parametrize("answered", [True, False])
def test_the_answer_to_a_call_counts_for_no_other_with_the_same_id(
    here: SQLiteStore,
    elsewhere: SQLiteStore,
    answered: bool,  # noqa: FBT001 — a column
) -> None:
    ask(here, question())
    if answered:
        here.decide(approved(question()), starts=True)
    elsewhere.park([other_arguments()])
    if not answered:
        here._db.flush()
        with pytest.raises(ConflictingCall):
            here.decide(approved(question()), starts=True)
    with pytest.raises(ConflictingCall):
        here.start(question().id, 7.0)
    assert here.desk() == [other_arguments()]


@pytest.mark.usefixtures("_unhurried")
def test_a_run_that_was_stopped_elsewhere_in_that_moment_starts_nothing(
    here: SQLiteStore, elsewhere: SQLiteStore
) -> None:
    elsewhere.park([question("0")])
    ask(here, question())
    here.decide(approved(question()), starts=True)
    elsewhere.stop_run("run", by="eva", at=6.0)
    with pytest.raises((Stopped, AlreadyDecided)):
        here.start(question().id, 7.0)
    ruling = here.ruling(question().id)
    assert ruling is not None
    assert ruling.outcome is Outcome.CANCELLED


@pytest.fixture
def full(here: SQLiteStore) -> Iterator[SQLiteStore]:
    """A disk without room for anything more."""
    here._db._writer.execute("PRAGMA max_page_count = 1")
    yield here
    here._db._writer.execute("PRAGMA max_page_count = 1000000")


@pytest.mark.usefixtures("_unhurried")
def test_a_start_that_cannot_be_written_is_refused_and_nothing_is_lost(full: SQLiteStore, path: Path) -> None:
    long = replace(question(), request=ApprovalRequest(description="x" * 50_000))
    ask(full, long)
    full.decide(approved(long), starts=True)
    with pytest.raises(StoreFailed):
        full.start(long.id, 6.0)
    full._db._writer.execute("PRAGMA max_page_count = 1000000")
    full.start(long.id, 6.0)
    assert kinds(full) == ["asked", "approved", "started"]
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM waiting").fetchone() == (0,)


def test_a_question_that_cannot_be_read_back_is_refused_before_anybody_is_asked(store: SQLiteStore) -> None:
    odd = replace(question(), created=float("nan"))
    with pytest.raises(StoreFailed):
        store.park([odd], soon=True)
    ask(store, question())
    assert store.desk() == [question()]


@pytest.mark.usefixtures("_unhurried")
@pytest.mark.parametrize("decision", [Reject(by="ana"), Approve(by="ana")])
def test_an_answer_after_its_time_is_none(here: SQLiteStore, decision: Approve | Reject) -> None:
    late = question(expires=4.0)
    ask(here, late)
    outcome = Outcome.APPROVED if isinstance(decision, Approve) else Outcome.REJECTED
    given = Ruling(pending=late.id, outcome=outcome, by="ana", at=5.0, decision=decision)
    if isinstance(decision, Approve):
        here.decide(given, starts=True)
        with pytest.raises(AlreadyDecided):
            here.start(late.id, 6.0)
    else:
        with pytest.raises(AlreadyDecided):
            here.decide(given)
    ruling = here.ruling(late.id)
    assert ruling is not None
    assert ruling.outcome is Outcome.EXPIRED


@pytest.mark.usefixtures("_unhurried")
def test_the_end_of_a_run_is_written_with_what_comes_next(here: SQLiteStore, open_store: Open) -> None:
    here.park([question()])
    here.end_run("run", 9.0)
    assert [run.ended for run in open_store().runs()] == [None]
    here.park([question("2", run="other")])
    assert {run.id: run.ended for run in open_store().runs()} == {"run": 9.0, "other": None}
    assert kinds(here) == ["asked", "ended", "asked"]
