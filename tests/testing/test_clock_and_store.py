"""The clock a test turns, and the record on no disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent import Approve, Gate, Pending
from assent.errors import AlreadyDecided
from assent.testing import VirtualClock, memory_store
from tests.gate.kit import Recorder, asking, call
from tests.store.kit import approved, question


def test_the_clock_stands_still_until_the_test_moves_it() -> None:
    clock = VirtualClock()
    before = clock()
    assert clock() == before
    clock.advance(2.5)
    assert clock() == clock.now == before + 2.5


def test_the_clock_may_start_anywhere_and_be_set() -> None:
    clock = VirtualClock(10.0)
    assert clock() == 10.0
    clock.now = 3.0
    assert clock() == 3.0


async def test_the_gate_lives_by_the_clock_it_is_given() -> None:
    clock = VirtualClock()
    gate = Gate(store=memory_store(), clock=clock, timeout=60.0)
    pending = await gate.judge(call(), Recorder(asking()))
    assert isinstance(pending, Pending)
    assert (pending.created, pending.expires) == (clock.now, clock.now + 60.0)
    clock.advance(60.0)
    with pytest.raises(AlreadyDecided, match="expired by time"):
        gate.answer(pending.id, Approve())


def test_a_store_in_memory_keeps_the_same_record_as_a_file() -> None:
    store = memory_store()
    store.park([question()])
    store.decide(approved(question()))
    assert store.ruling(question().id) == approved(question())
    assert [entry.kind for entry in store.journal()] == ["asked", "approved"]
    assert store.verify() is None
    store.close()


def test_every_store_in_memory_is_a_new_one_that_nobody_else_can_open() -> None:
    one, other = memory_store(), memory_store()
    one.park([question()])
    assert other.desk() == []
    assert (one.shared, other.shared) == (False, False)
    one.close()
    other.close()


def test_a_store_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = memory_store()
    store.park([question()])
    assert list(tmp_path.iterdir()) == []
    store.close()
    assert list(tmp_path.iterdir()) == []
