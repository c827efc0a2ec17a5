from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from assent.model import ApprovalDecision, Approve, Pending, PendingId, Reject
from assent.ui import TerminalApprover
from tests.ui.person import NOW, Person, question

STOP = Reject(by="kim", stop=True)


def asking(person: Person, *batch: Pending) -> asyncio.Task[Mapping[PendingId, ApprovalDecision]]:
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW)
    return asyncio.ensure_future(approver.decide(batch))


async def holds(person: Person, key: str) -> None:
    """Press it for longer than it takes until a keyboard repeats it."""
    person.types(key)
    # The time is what a held key is known by: there is nothing else to wait for.
    await asyncio.sleep(0.7)
    await repeats(person, key)


async def repeats(person: Person, key: str) -> None:
    for _ in range(5):
        person.types(key)
        await asyncio.sleep(0.09)


LONG_PRESS = pytest.mark.parametrize(("again", "alone"), [(5, 0), (0.12, 0.2)], ids=["too soon", "repeated"])


@LONG_PRESS
async def test_one_long_press_of_a_key_answers_one_question(
    person: Person, monkeypatch: pytest.MonkeyPatch, again: float, alone: float
) -> None:
    monkeypatch.setattr("assent.ui._keys.AGAIN_SECONDS", again)
    monkeypatch.setattr("assent.ui._keys.ALONE_SECONDS", alone)
    decided = asking(person, *(question(number) for number in "123"))
    await person.is_asked("Question 1")
    await holds(person, "y")
    await person.sees("(2 of 3)")
    person.types("\x03")
    assert list((await decided).values()) == [Approve(by="kim"), STOP, STOP]


async def test_one_long_press_of_a_key_answers_no_question_of_somebody_else(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.ui._keys.ALONE_SECONDS", 0.2)
    first = asking(person, question("1"))
    await person.is_asked("Question 1")
    second = asking(person, question("2"))
    person.types("y")
    await person.is_asked("Question 2")
    await first
    await repeats(person, "y")
    person.types("\x03")
    assert list((await second).values()) == [STOP]


async def decides_nothing(person: Person, decided: asyncio.Task[Mapping[PendingId, ApprovalDecision]]) -> None:
    """Approve the question that is drawn, which nobody can have read, and find it open."""
    await person.sees("[q] Stop the run")
    person.types("y")
    # As long as a key could take to be heard: that it is not is seen by nothing else.
    done, _ = await asyncio.wait({decided}, timeout=0.5)
    assert not done
    person.types("\x03")
    assert list((await decided).values()) == [STOP]


async def test_a_key_that_answered_one_question_does_not_answer_the_next_one_at_once(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = asking(person, question("1"))
    await person.is_asked("Question 1")
    person.types("y")
    await first
    monkeypatch.setattr("assent.ui._keys.QUIET_SECONDS", 0)
    monkeypatch.setattr("assent.ui._keys.AGAIN_SECONDS", 60)
    await decides_nothing(person, asking(person, question("2")))


async def test_a_question_in_the_place_of_one_that_went_away_by_itself_has_to_be_there_for_a_while(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = asking(person, question("1"))
    await person.is_asked("Question 1")
    gone.cancel("Closed: its time is over.")
    with pytest.raises(asyncio.CancelledError):
        await gone
    await person.sees("Closed: its time is over.")
    monkeypatch.setattr("assent.ui._keys.QUIET_SECONDS", 0)
    monkeypatch.setattr("assent.ui._keys.STARTLED_SECONDS", 60)
    await decides_nothing(person, asking(person, question("2")))


async def test_the_same_key_pressed_twice_answers_two_questions(person: Person) -> None:
    decided = asking(person, question("1"), question("2"))
    for number in "12":
        await person.is_asked(f"Question {number}")
        person.types("y")
    assert list((await decided).values()) == [Approve(by="kim"), Approve(by="kim")]
