"""The one run an approval is good for: started once, and its end known or unknown."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assent.errors import AlreadySpent, Stopped, StoreFailed, UnknownPending
from assent.model import Effect, EffectState, Ruling
from assent.store import SQLiteStore
from tests.store.conftest import Open
from tests.store.kit import approved, child, expired, question, raw, rejected, says, stopped, strictly_read

PENDING = question().id


def put(store: SQLiteStore) -> None:
    store.park([question()])
    store.decide(approved(question()))


def effect(store: SQLiteStore) -> Effect | None:
    asked = store.asked(PENDING)
    assert asked is not None
    return asked.effect


def kinds(store: SQLiteStore) -> list[str]:
    return [entry.kind for entry in store.journal()]


def test_an_approval_is_spent_once(store: SQLiteStore) -> None:
    put(store)
    assert effect(store) is None
    store.start(PENDING, 7.0)
    assert effect(store) == Effect(pending=PENDING, state=EffectState.STARTED, started=7.0)
    with pytest.raises(AlreadySpent):
        store.start(PENDING, 8.0)
    assert kinds(store) == ["asked", "approved", "started"]


@pytest.mark.parametrize("state", [EffectState.DONE, EffectState.FAILED, EffectState.UNKNOWN])
def test_an_effect_ends_done_failed_or_unknown(store: SQLiteStore, state: EffectState) -> None:
    put(store)
    store.start(PENDING, 7.0)
    store.finish(PENDING, state, 8.0, detail="so it went")
    assert effect(store) == Effect(pending=PENDING, state=state, started=7.0, ended=8.0, detail="so it went")
    assert kinds(store) == ["asked", "approved", "started", state.value]


def test_an_effect_ends_also_with_an_error_that_has_half_a_character(store: SQLiteStore) -> None:
    """As the name of a file that is not UTF-8."""
    put(store)
    store.start(PENDING, 7.0)
    store.finish(PENDING, EffectState.FAILED, 8.0, detail="no \udcff.txt")
    ended = Effect(pending=PENDING, state=EffectState.FAILED, started=7.0, ended=8.0, detail=r"no \udcff.txt")
    assert effect(store) == ended
    assert strictly_read(store)[-1]["detail"] == ended.detail


@pytest.mark.parametrize("state", [EffectState.DONE, EffectState.FAILED, EffectState.UNKNOWN])
def test_a_spent_approval_stays_spent_however_it_ended(store: SQLiteStore, state: EffectState) -> None:
    put(store)
    store.start(PENDING, 7.0)
    store.finish(PENDING, state, 8.0)
    with pytest.raises(AlreadySpent):
        store.start(PENDING, 9.0)


@pytest.mark.parametrize("state", [EffectState.STARTED, EffectState.DONE, EffectState.FAILED])
def test_only_after_an_unknown_end_it_may_start_again(store: SQLiteStore, state: EffectState) -> None:
    put(store)
    store.start(PENDING, 7.0)
    if state is not EffectState.STARTED:
        store.finish(PENDING, state, 8.0)
    with pytest.raises(AlreadySpent):
        store.start(PENDING, 9.0, again=True)


def test_after_an_unknown_end_it_starts_again_once(store: SQLiteStore) -> None:
    put(store)
    store.start(PENDING, 7.0)
    store.finish(PENDING, EffectState.UNKNOWN, 8.0)
    store.start(PENDING, 9.0, again=True)
    assert effect(store) == Effect(pending=PENDING, state=EffectState.STARTED, started=9.0)
    with pytest.raises(AlreadySpent):
        store.start(PENDING, 10.0, again=True)


def test_what_ended_stays_as_it_ended_and_so_does_the_record(store: SQLiteStore) -> None:
    put(store)
    store.start(PENDING, 7.0)
    store.finish(PENDING, EffectState.DONE, 8.0)
    store.finish(PENDING, EffectState.FAILED, 9.0)
    assert effect(store) == Effect(pending=PENDING, state=EffectState.DONE, started=7.0, ended=8.0)
    assert kinds(store) == ["asked", "approved", "started", "done"]


def test_an_effect_belongs_to_a_question(store: SQLiteStore) -> None:
    with pytest.raises(UnknownPending):
        store.start(PENDING, 7.0)
    with pytest.raises(UnknownPending):
        store.finish(PENDING, EffectState.DONE, 8.0)
    assert kinds(store) == []


def test_of_many_threads_spending_at_once_one_starts(store: SQLiteStore) -> None:
    put(store)
    together = threading.Barrier(8)

    def spend(number: int) -> bool:
        together.wait()
        try:
            store.start(PENDING, float(number))
        except AlreadySpent:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(spend, range(8))) == [False] * 7 + [True]


def test_an_effect_of_a_living_process_is_left_alone(open_store: Open) -> None:
    put(open_store())
    open_store().start(PENDING, 7.0)
    assert effect(open_store()) == Effect(pending=PENDING, state=EffectState.STARTED, started=7.0)


def test_an_effect_whose_process_was_killed_becomes_unknown_when_somebody_asks(open_store: Open, path: Path) -> None:
    here = open_store()
    runner = child("run_and_hang", path)
    assert says(runner) == "started"
    assert effect(here) == Effect(pending=PENDING, state=EffectState.STARTED, started=7.0)
    runner.kill()
    runner.communicate()
    assert runner.returncode == -signal.SIGKILL
    found = effect(here)
    assert found is not None
    assert found.state is EffectState.UNKNOWN
    assert kinds(here) == ["asked", "approved", "started", "unknown"]


def test_an_effect_whose_process_was_killed_becomes_unknown_when_somebody_opens(open_store: Open, path: Path) -> None:
    runner = child("run_and_hang", path)
    assert says(runner) == "started"
    runner.kill()
    runner.communicate()
    store = open_store()
    assert raw(path, "SELECT effect FROM answers") == [("unknown",)]
    with pytest.raises(AlreadySpent):
        store.start(PENDING, 9.0)
    store.start(PENDING, 9.0, again=True)
    assert kinds(open_store()) == ["asked", "approved", "started", "unknown", "started"]


def test_processes_that_find_the_same_orphan_at_once_record_it_once(open_store: Open, path: Path) -> None:
    runner = child("run_and_hang", path)
    assert says(runner) == "started"
    runner.kill()
    runner.communicate()
    together = threading.Barrier(6)

    def look(_: int) -> SQLiteStore:
        together.wait()
        return open_store()

    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(look, range(6)))
    assert [kinds(store) for store in stores] == [["asked", "approved", "started", "unknown"]] * 6


def test_an_effect_that_was_started_again_is_not_buried_for_its_first_owner(open_store: Open) -> None:
    store = open_store()
    put(store)
    store.start(PENDING, 7.0)
    store.finish(PENDING, EffectState.UNKNOWN, 8.0)
    store.start(PENDING, 9.0, again=True)
    store._db.write("before", store._steps.bury, [(PENDING, "the first one 1 1", 7.0)])
    assert effect(store) == Effect(pending=PENDING, state=EffectState.STARTED, started=9.0)


@pytest.mark.parametrize("ruling", [None, rejected(question()), expired(question(), at=5.0), stopped(question())])
def test_nothing_starts_without_an_approval_on_the_record(store: SQLiteStore, ruling: Ruling | None) -> None:
    store.park([question()])
    if ruling is not None:
        store.decide(ruling)
    with pytest.raises((StoreFailed, Stopped)):
        store.start(question().id, 6.0)
    asked = store.asked(question().id)
    assert asked is not None
    assert asked.effect is None
    assert "started" not in {entry.kind for entry in store.journal()}
