from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import pytest

from assent.model import ApprovalDecision, Approve, PendingId, Presentation, Reject
from assent.ui import TerminalApprover
from tests.ui.person import NOW, Person, question

LONG = Presentation(type="text", description="Long", content="\n".join(f"line {at}" for at in range(90)))
BATCH = [question("1"), question("2"), question("3", presentation=LONG)]
YES, NO = Approve(by="kim"), Reject(by="kim", note="no")


def asking(person: Person, *, plain: bool = False) -> asyncio.Task[Mapping[PendingId, ApprovalDecision]]:
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW, plain=plain)
    return asyncio.ensure_future(approver.decide(BATCH))


async def opens_the_list(person: Person) -> None:
    await person.is_asked("Question")
    person.types("b")
    await sees_the_list(person)


async def sees_the_list(person: Person, text: str = "3 questions") -> None:
    await person.sees(text)
    # A line of the list begins as the prompt does.
    await person.sees("[b] Back")
    await person.may_answer()


async def moves(person: Person, key: str, to: str) -> None:
    """Press it until the cursor stands on this question."""
    person.types(key)
    await sees_the_list(person, f"> [ ] {to}")


async def says_why(person: Person, words: str) -> None:
    await person.sees("(Enter for no reason")
    await person.may_answer()
    person.types(f"{words}\n")


async def test_each_question_of_the_list_has_its_own_answer(person: Person) -> None:
    decided = asking(person)
    await opens_the_list(person)
    person.types("y")
    await sees_the_list(person, "[y] 1 Question 1")
    await moves(person, "\x1b[B", "2 Question 2")
    person.types("n")
    await says_why(person, "no")
    await sees_the_list(person, "[n] 2 Question 2")
    await moves(person, "j", "3 Question 3")
    person.types("y")
    # The list is not the question: nobody has seen this one.
    await person.sees("You have not seen all of it.")
    await person.may_answer()
    person.types("Y")
    assert list((await decided).values()) == [YES, NO, YES]
    await person.sees("\x1b[?1049l")
    assert person.seen.count("\x1b[?1049h") == person.seen.count("\x1b[?1049l") == 1


async def test_a_question_is_looked_at_from_the_list_and_an_answer_taken_back(person: Person) -> None:
    decided = asking(person)
    await opens_the_list(person)
    person.types("y")
    await sees_the_list(person, "[y] 1 Question 1")
    person.types("u")
    await sees_the_list(person, "[ ] 1 Question 1")
    await moves(person, "j", "2 Question 2")
    person.types("\r")
    await person.is_asked("Question 2")
    person.types("y")
    await opens_the_list(person)
    person.types("b")
    await person.is_asked("Question 1")
    person.types("R")
    await person.sees("Reject all 2 questions that are not answered yet? Why?")
    await says_why(person, "no")
    assert list((await decided).values()) == [NO, YES, NO]


@pytest.mark.parametrize("from_list", [True, False])
async def test_all_of_the_batch_is_approved_with_a_second_key_that_says_what_was_not_seen(
    person: Person,
    from_list: bool,  # noqa: FBT001 (a column)
) -> None:
    decided = asking(person)
    if from_list:
        await opens_the_list(person)
    else:
        await person.is_asked("Question 1")
    person.types("A")
    text = "Approve all 3 questions that are not answered yet? You have not seen 2 of them"
    await person.sees(text)
    await person.may_answer()
    # Nor the same key again, as a key that is held would be.
    person.types("A")
    if from_list:
        await sees_the_list(person)
    else:
        await person.is_asked("Question 1")
    person.types("A")
    await person.sees(text)
    await person.may_answer()
    person.types("Y")
    assert list((await decided).values()) == [YES, YES, YES]


async def stops_the_run(person: Person) -> None:
    person.types("q")
    await person.sees("Stop the run?")
    await person.may_answer()
    person.types("q")


async def leaves(person: Person) -> None:
    person.types("\x04")


async def interrupts(person: Person) -> None:
    person.types("\x03")


@pytest.mark.parametrize("leave", [stops_the_run, leaves, interrupts])
async def test_whoever_looks_at_an_answered_question_again_and_leaves_has_not_answered_it(
    person: Person, leave: Callable[[Person], Awaitable[None]]
) -> None:
    decided = asking(person)
    await opens_the_list(person)
    person.types("y")
    await sees_the_list(person, "[y] 1 Question 1")
    person.types("\r")
    await person.is_asked("Question 1")
    await leave(person)
    assert [answer.approved for answer in (await decided).values()] == [False, False, False]


async def test_whoever_wants_to_reject_an_approved_question_and_leaves_has_not_approved_it(person: Person) -> None:
    decided = asking(person)
    await opens_the_list(person)
    person.types("y")
    await sees_the_list(person, "[y] 1 Question 1")
    person.types("n")
    await person.sees("(Enter for no reason")
    await person.may_answer()
    person.types("\x03")
    assert [answer.approved for answer in (await decided).values()] == [False, False, False]


async def test_a_list_can_be_read_aloud(person: Person) -> None:
    decided = asking(person, plain=True)
    await opens_the_list(person)
    person.types("A")
    await person.sees("Y = approve")
    await person.may_answer()
    person.types("Y")
    assert list((await decided).values()) == [YES, YES, YES]
    assert "\x1b" not in person.seen
