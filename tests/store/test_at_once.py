"""Question, approval and start in one step: all of it or nothing; and questions that need not be read back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.errors import AlreadySpent, StoreFailed
from assent.model import ApprovalRequest, Pending, Presentation, Preview, Ruling, Stop, ToolCall, wire
from assent.store import SQLiteStore
from assent.store._plain import is_plain
from tests.store.conftest import Open
from tests.store.kit import approved, expired, grant, permit_for, question, rejected, stopped
from tests.strategies import pendings

AT_ONCE = ["asked", "approved", "started"]


def kinds(store: SQLiteStore) -> list[str]:
    return [entry.kind for entry in store.journal()]


def at_once(store: SQLiteStore, pending: Pending, *, at: float = 5.0) -> bool:
    return store.start_at_once(pending, approved(pending, at=at), permit=permit_for(pending))


def test_all_of_it_is_there_and_nothing_waits(store: SQLiteStore) -> None:
    assert at_once(store, question())
    assert store.desk() == []
    asked = store.asked(question().id)
    assert asked is not None
    assert (asked.pending, asked.ruling) == (question(), approved(question()))
    assert asked.effect is not None
    assert kinds(store) == AT_ONCE
    assert store.history("run").calls == {"1": question().id}
    assert store.verify() is None
    with pytest.raises(AlreadySpent):
        store.start(question().id, 6.0)


def test_a_question_that_is_there_already_is_left_as_it_stands(store: SQLiteStore) -> None:
    store.park([question()])
    assert not at_once(store, question())
    assert store.desk() == [question()]
    store.decide(rejected(question()))
    assert not at_once(store, question())
    assert store.ruling(question().id) == rejected(question())
    assert kinds(store) == ["asked", "rejected"]


def test_what_is_known_here_is_known_elsewhere_and_the_other_way_round(open_store: Open) -> None:
    here, elsewhere = open_store(), open_store()
    assert at_once(here, question())
    assert not at_once(elsewhere, question())
    assert elsewhere.start_at_once(question("2"), approved(question("2")), permit=permit_for(question("2")))
    assert not at_once(here, question("2"))
    assert kinds(here) == kinds(elsewhere) == [*AT_ONCE, *AT_ONCE]
    assert here.verify() is None


def test_nothing_is_written_in_a_stopped_run_or_when_the_time_is_over(open_store: Open) -> None:
    here, elsewhere = open_store(), open_store()
    here.park([question("other")])
    elsewhere.decide(stopped(question("other")))
    assert not at_once(here, question())
    assert not at_once(here, question("2", run="late", expires=5.0))
    assert here.asked(question().id) is None
    assert kinds(here) == ["asked", "stopped"]
    assert here.verify() is None


@pytest.mark.parametrize("ruling", [rejected(question()), stopped(question()), expired(question(), at=5.0)])
def test_nothing_starts_at_once_without_an_approval(store: SQLiteStore, ruling: Ruling) -> None:
    assert not store.start_at_once(question(), ruling, permit=permit_for(question()))
    assert store.asked(question().id) is None
    assert kinds(store) == []
    assert at_once(store, question())


def test_an_approval_of_another_question_starts_nothing_and_answers_nothing(store: SQLiteStore) -> None:
    store.park([question("2")])
    assert not store.start_at_once(question(), approved(question("2")), permit=permit_for(question()))
    assert store.asked(question().id) is None
    assert store.desk() == [question("2")]
    assert kinds(store) == ["asked"]


def test_what_was_queued_before_is_not_lost_when_it_is_taken_back(store: SQLiteStore) -> None:
    store.park([question()])
    store.note("allowed", 2.0, question("2").call, "a rule")
    assert not at_once(store, question())
    assert kinds(store) == ["asked", "allowed"]
    assert store.verify() is None


@pytest.mark.parametrize("odd", ["\ud800", "a\ud800b"])
def test_an_approval_that_cannot_be_written_leaves_nothing_behind(store: SQLiteStore, odd: str) -> None:
    ruling = replace(approved(question()), by=odd)
    assert not store.start_at_once(question(), ruling, permit=permit_for(question()))
    assert store.asked(question().id) is None
    assert store.history("run").calls == {}
    assert at_once(store, question())


# What need not be read back


@given(pendings)
def test_a_plain_question_reads_back_as_it_was(pending: Pending) -> None:
    if is_plain(pending):
        assert wire.load(Pending, wire.dump(pending)) == pending


def test_the_questions_that_most_tools_ask_are_plain() -> None:
    assert is_plain(question())
    assert is_plain(replace(question(), expires=9.0))


ODD = [None, 5, 2.5, True, b"bytes", ["a"], ("a",), {"a": 1}, float("nan"), 2**70, "", "\ud800", object()]


def changed(pending: Pending) -> Iterator[Pending]:
    """The question with one field of any of its parts set to something odd."""
    parts: list[tuple[type[Any], str]] = [
        (Pending, ""),
        (ToolCall, "call"),
        (ApprovalRequest, "request"),
        (Preview, "preview"),
        (Presentation, "presentation"),
    ]
    for kind, part in parts:
        for each in fields(kind):
            for odd in ODD:
                yield _with(pending, part, each.name, odd)


def _with(pending: Pending, part: str, name: str, odd: object) -> Pending:
    """As nothing but a mistake makes it: past the constructor."""
    copies = replace(pending, preview=replace(pending.preview, presentation=replace(pending.preview.presentation)))
    object.__setattr__(copies, "call", _copy(copies.call))
    object.__setattr__(copies, "request", _copy(copies.request))
    whole = {"": copies, "presentation": copies.preview.presentation}
    object.__setattr__(whole.get(part) or getattr(copies, part), name, odd)
    return copies


def _copy(value: Any) -> Any:  # noqa: ANN401 — either
    made = object.__new__(type(value))
    for each in dataclasses.fields(value):
        object.__setattr__(made, each.name, getattr(value, each.name))
    return made


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_no_question_with_an_odd_field_passes_for_plain_unless_it_reads_back() -> None:
    plain = [each for each in changed(question()) if _is_plain(each)]
    assert plain
    for each in plain:
        try:
            body = wire.dump(each)
        except ValueError:
            continue  # what cannot be written is refused where it is written
        assert wire.load(Pending, body) == each


def _is_plain(pending: Pending) -> bool:
    # What has not even the shape of a question is refused by an error of its own.
    with suppress(AttributeError, TypeError):
        return is_plain(pending)
    return False


@given(st.dictionaries(st.text(max_size=3), st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.none())))
def test_whatever_arguments_are_plain_read_back(args: dict[str, object]) -> None:
    with suppress(ValueError):  # a broken character is no argument
        wanted = ToolCall(run="run", id="1", tool_name="write", args=args)
        pending = replace(question(), call=wanted)
        if is_plain(pending):
            assert wire.load(Pending, wire.dump(pending)) == pending


# The end of a run, written a moment later


@pytest.fixture(params=["as a gate does", "past any gate"])
def here(request: pytest.FixtureRequest, open_store: Open) -> SQLiteStore:
    """A store in which a call of `run` was approved at once."""
    store = open_store()
    if request.param == "as a gate does":
        store.history("run")  # what is known of the run grows with it
    assert at_once(store, question())
    return store


def test_the_end_of_a_quiet_run_is_written_together_with_what_comes_next(here: SQLiteStore) -> None:
    before = here._db.version()
    here.end_run("run", 9.0)
    assert here._db.version() == before
    assert [run.ended for run in here.runs()] == [9.0]
    assert kinds(here) == [*AT_ONCE, "ended"]


def test_a_stop_that_came_meanwhile_is_not_undone(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    here._db._queued.put(None)  # nobody writes yet
    here.end_run("run", 9.0)
    elsewhere.stop_run("run", by="ben", at=9.1)
    here._db.flush()
    (run,) = elsewhere.runs()
    assert run.stopped is not None
    assert (run.stopped.by, run.ended) == ("ben", 9.0)


def test_the_end_is_written_when_the_record_is_closed(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    here.end_run("run", 9.0)
    here.close()
    assert [run.ended for run in elsewhere.runs()] == [9.0]


def test_a_run_that_waits_for_an_answer_ends_at_once(open_store: Open) -> None:
    here, elsewhere = open_store(), open_store()
    here.park([question()])
    here.end_run("run", 9.0)
    assert [run.ended for run in elsewhere.runs()] == [9.0]


def test_a_run_ends_at_once_too_that_waits_for_one_answer_after_others_came_at_once(
    here: SQLiteStore, open_store: Open
) -> None:
    elsewhere = open_store()
    here.park([question("2")])
    assert at_once(here, question("3"))
    here.end_run("run", 9.0)
    assert [run.ended for run in elsewhere.runs()] == [9.0]


def test_what_is_remembered_for_a_run_here_goes_before_its_end_is_told(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    assert here.remember(grant(run="run"), of=question().id)
    here.end_run("run", 9.0)
    assert elsewhere.grants() == []


def test_what_was_remembered_elsewhere_just_before_the_end_goes_before_it_is_told_too(
    here: SQLiteStore, open_store: Open
) -> None:
    elsewhere = open_store()
    elsewhere.remember(grant(run="run"), of=question().id)
    here.end_run("run", 9.0)
    assert elsewhere.grants() == []
    assert [entry.body["forgotten"] for entry in here.journal() if entry.kind == "ended"] == [("g",)]


def test_a_stop_that_came_just_before_the_end_ends_with_the_turn_of_a_conversation(
    here: SQLiteStore, open_store: Open
) -> None:
    elsewhere = open_store()
    elsewhere.stop_run("run", by="ben", at=8.9)
    here.end_run("run", 9.0, goes_on=True)
    assert [(run.stopped, run.ended) for run in elsewhere.runs()] == [(None, 9.0)]


def test_a_stop_outlasts_whoever_leaves_the_run(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    elsewhere.stop_run("run", by="ben", at=8.9)
    here.end_run("run", 9.0)
    assert elsewhere.history("run").stopped == Stop(by="ben", at=8.9)
    assert [run.ended for run in elsewhere.runs()] == [9.0]


def test_what_is_remembered_for_a_run_that_has_ended_is_forgotten_with_it(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    here._db._queued.put(None)  # nobody writes yet
    here.end_run("run", 9.0)
    elsewhere.park([question("2", created=8.0)])
    elsewhere.decide(approved(question("2"), at=9.1), grant=grant(run="run"))
    before = here._db.foreign_version()
    here._db.flush()
    assert elsewhere.grants() == []
    assert here._db.foreign_version() != before, "what is kept in memory is read again"
    assert [entry.body["forgotten"] for entry in here.journal() if entry.kind == "ended"] == [("g",)]
    here._db.flush()
    assert not here._db._owes_sync


def test_a_run_that_goes_on_keeps_what_is_remembered_for_it(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    here._db._queued.put(None)
    here.end_run("run", 9.0)
    elsewhere.park([question("2", created=9.5)])
    elsewhere.remember(grant(run="run"))
    here._db.flush()
    assert [each.id for each in elsewhere.grants()] == ["g"]


def test_a_run_that_goes_on_is_watched_as_before(here: SQLiteStore, open_store: Open) -> None:
    elsewhere = open_store()
    here.end_run("run", 9.0)
    assert here.history("run").calls == {"1": question().id}
    assert at_once(here, question("2", created=9.5), at=9.6)
    assert here.remember(grant(run="run"), of=question("2").id)
    here.end_run("run", 11.0)
    assert elsewhere.grants() == []
    assert [run.ended for run in here.runs()] == [11.0]


@pytest.mark.parametrize("odd", ["now", b"x", float("nan"), float("inf"), None])
def test_an_end_at_no_time_is_refused_before_it_is_queued(store: SQLiteStore, odd: Any) -> None:  # noqa: ANN401 — no time
    at_once(store, question())
    with pytest.raises((StoreFailed, TypeError)):
        store.end_run("run", odd)
    assert at_once(store, question("2"))


def test_an_end_is_written_although_the_journal_has_just_failed(here: SQLiteStore) -> None:
    here._db._broken = StoreFailed("a moment ago")
    here.end_run("run", 9.0)
    assert [run.ended for run in here.runs()] == [9.0]
