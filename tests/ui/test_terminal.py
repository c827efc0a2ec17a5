from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import termios
from collections.abc import Mapping
from contextlib import closing

import pytest

from assent.errors import AlreadyDecided, Expired, Rejected
from assent.gate import Gate
from assent.model import ApprovalDecision, ApprovalRequest, Approve, Fixed, Pending, PendingId, Reject, Scope, Wider
from assent.testing import VirtualClock, memory_store
from assent.ui import TerminalApprover
from tests.ui.person import NOW, Person, question

Answers = Mapping[PendingId, ApprovalDecision]
PROMPT = "[y] Approve  [n] Reject  [s] Approve for session  [q] Stop the run\n> "
REASON = "(Enter for no reason)\n> "
ASKS = Fixed(ApprovalRequest(description="Send it"))


def approver_for(person: Person) -> TerminalApprover:
    return TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW)


def asking(person: Person, *batch: Pending) -> asyncio.Task[Answers]:
    return asyncio.ensure_future(approver_for(person).decide(batch or (question(),)))


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y", Approve(by="kim")),
        (" YES ", Approve(by="kim")),
        ("s", Approve(by="kim", scope=Scope.SESSION)),
        ("q", Reject(by="kim", stop=True)),
    ],
)
async def test_a_line_typed_after_the_question_is_the_answer(
    person: Person, typed: str, answer: ApprovalDecision
) -> None:
    decided = asking(person)
    await person.sees(PROMPT)
    person.types(f"{typed}\n")
    assert list((await decided).values()) == [answer]


async def test_a_rejection_carries_the_persons_words(person: Person) -> None:
    decided = asking(person)
    await person.sees(PROMPT)
    person.types("n\n")
    await person.sees(REASON)
    person.types("too long, größer\n")
    assert list((await decided).values()) == [Reject(by="kim", note="too long, größer")]


async def test_what_was_typed_before_the_question_never_approves(person: Person) -> None:
    person.types("y\ny\ns\ny")
    decided = asking(person)
    await person.sees("Approval needed")
    person.types("y\ny")
    await person.sees(PROMPT)
    person.types("q\n")
    assert list((await decided).values()) == [Reject(by="kim", stop=True)]


async def test_what_was_typed_behind_an_answer_answers_nothing_else(person: Person) -> None:
    decided = asking(person, question("1"), question("2"))
    await person.sees(PROMPT)
    person.types("n\ny\ny\n")
    await person.sees(REASON)
    person.types("no\ny\ny\n")
    await person.sees(PROMPT)
    person.types("q\n")
    assert list((await decided).values()) == [Reject(by="kim", note="no"), Reject(by="kim", stop=True)]


async def test_an_answer_that_is_none_is_asked_for_again(person: Person) -> None:
    decided = asking(person)
    for typed in ["\n", "yy\n", "approve\n", "\x1b[A\n"]:
        await person.sees(PROMPT)
        person.types(typed)
        await person.sees("Please answer y, n, s or q")
    await person.sees(PROMPT)
    person.types("y\n")
    assert list((await decided).values()) == [Approve(by="kim")]


async def test_the_end_of_input_rejects(person: Person) -> None:
    decided = asking(person)
    await person.sees(PROMPT)
    person.types("\x04")
    (answer,) = (await decided).values()
    assert isinstance(answer, Reject)
    assert (answer.by, answer.stop) == ("end of input", False)


async def test_no_before_the_end_of_input_is_the_persons_own_no(person: Person) -> None:
    decided = asking(person)
    await person.sees(PROMPT)
    person.types("n\n")
    await person.sees(REASON)
    person.types("\x04")
    assert list((await decided).values()) == [Reject(by="kim")]


@pytest.mark.parametrize("moment", ["Approval needed", PROMPT])
async def test_a_closed_window_rejects(person: Person, moment: str) -> None:
    with closing(memory_store()) as store:
        gate = Gate(approver=approver_for(person), store=store)
        admitted = asyncio.ensure_future(gate.admit(question().call, ASKS))
        await person.sees(moment)
        person.hangs_up()
        with pytest.raises(Rejected) as rejected:
            await admitted
        # A terminal that is gone before the first look at it is none.
        assert rejected.value.by in {"end of input", "nobody"}


async def test_without_a_terminal_nothing_is_approved() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"y\ny\n")
    with os.fdopen(reading) as keyboard, os.fdopen(writing, "w"):
        answers = await TerminalApprover(keyboard, io.StringIO(), by="kim").decide([question()])
    (answer,) = answers.values()
    assert isinstance(answer, Reject)
    assert answer.by == "nobody"


def test_asking_is_possible_only_where_question_and_answer_have_a_terminal(person: Person) -> None:
    assert TerminalApprover.is_possible(person.keyboard, person.screen)
    assert not TerminalApprover.is_possible(person.keyboard, io.StringIO())
    assert not TerminalApprover.is_possible(io.StringIO("y\n"), person.screen)


async def test_a_batch_says_where_it_is_and_stopping_ends_all_of_it(person: Person) -> None:
    decided = asking(person, *(question(number) for number in "123"))
    await person.sees("(1 of 3)")
    await person.sees(PROMPT)
    person.types("y\n")
    await person.sees("(2 of 3)")
    await person.sees(PROMPT)
    person.types("q\n")
    stop = Reject(by="kim", stop=True)
    assert list((await decided).values()) == [Approve(by="kim"), stop, stop]
    assert "(3 of 3)" not in person.seen


async def test_what_was_approved_for_the_session_is_not_asked_again_in_the_same_batch(person: Person) -> None:
    same = ApprovalRequest(description="Write a.txt", fingerprint={"path": "a.txt"})
    first, second, other = question("1", request=same), question("2", request=same), question("3")
    decided = asking(person, first, second, other)
    await person.sees(PROMPT)
    person.types("s\n")
    await person.sees("Question 3")
    await person.sees(PROMPT)
    person.types("q\n")
    assert await decided == {
        first.id: Approve(by="kim", scope=Scope.SESSION),
        second.id: Approve(by="kim"),
        other.id: Reject(by="kim", stop=True),
    }


async def test_a_cancelled_question_gives_the_terminal_back(person: Person) -> None:
    before = termios.tcgetattr(person.keyboard)
    decided = asking(person)
    await person.sees(PROMPT)
    decided.cancel()
    with pytest.raises(asyncio.CancelledError):
        await decided
    await person.sees("Closed: ")
    person.types("ls\n")
    assert await asyncio.to_thread(person.keyboard.readline) == "ls\n"
    assert termios.tcgetattr(person.keyboard) == before


async def test_a_question_whose_time_is_over_is_taken_from_the_screen(person: Person) -> None:
    clock = VirtualClock(NOW)
    with closing(memory_store()) as store:
        gate = Gate(approver=approver_for(person), store=store, clock=clock, timeout=90)
        admitted = asyncio.ensure_future(gate.admit(question().call, ASKS))
        await person.sees("Time left: 1 min 30 s")
        await person.sees(PROMPT)
        clock.advance(91)
        with pytest.raises(Expired):
            await admitted
        await person.sees("Closed: ")


async def test_whoever_was_too_late_is_told(person: Person) -> None:
    late = AlreadyDecided(outcome="approved", by="lee\x1b", at=NOW)
    approver_for(person).lost(question(), late)
    await person.sees("Question 1: This question was already approved by lee⟨U+001B⟩")


async def test_what_ones_own_stop_closed_is_not_announced(person: Person) -> None:
    approver = approver_for(person)
    approver.lost(question("1"), AlreadyDecided(outcome="cancelled", by="kim", at=NOW))
    approver.lost(question("2"), AlreadyDecided(outcome="cancelled", by="lee", at=NOW))
    await person.sees("cancelled by lee")
    assert "Question 1" not in person.seen


async def test_a_terminal_that_cannot_spell_a_character_gets_its_number() -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    TerminalApprover(io.StringIO(), screen, by="kim").lost(
        question(request=ApprovalRequest(description="漢")), AlreadyDecided(outcome="approved", by="lee", at=NOW)
    )
    assert screen.buffer.getvalue().startswith(b"\\u6f22: ")


def test_importing_the_terminal_needs_no_termios() -> None:
    code = "import sys; sys.modules['termios'] = None; import assent.ui; print(assent.ui.TerminalApprover.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "TerminalApprover\n"


WIDER = (
    Wider(name="folder:a", description="all writes in a", fingerprint={"folder": "a"}),
    Wider(name="all", description="all writes", fingerprint={}),
)


@pytest.mark.parametrize(("typed", "covers"), [("1", "folder:a"), ("2", "all")])
async def test_a_person_may_approve_more_than_this_call(person: Person, typed: str, covers: str) -> None:
    decided = asking(person, question(request=ApprovalRequest(description="write a/x", wider=WIDER)))
    await person.sees("[w] Approve more for session")
    await person.sees("> ")
    person.types("w\n")
    assert "1  all writes in a" in await person.sees("to go back)\n> ")
    person.types(f"{typed}\n")
    assert list((await decided).values()) == [Approve(by="kim", scope=Scope.SESSION, covers=covers)]


@pytest.mark.parametrize("typed", ["", "0", "3", "x", "²"])
async def test_a_choice_that_is_none_goes_back_to_the_question(person: Person, typed: str) -> None:
    decided = asking(person, question(request=ApprovalRequest(description="write a/x", wider=WIDER)))
    await person.sees("[q] Stop the run\n> ")
    person.types("w\n")
    await person.sees("to go back)\n> ")
    person.types(f"{typed}\n")
    await person.sees("[q] Stop the run\n> ")
    person.types("q\n")
    assert list((await decided).values()) == [Reject(by="kim", stop=True)]
