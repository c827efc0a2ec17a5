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
from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Fixed,
    Pending,
    PendingId,
    Presentation,
    Reject,
    Scope,
)
from assent.testing import VirtualClock, memory_store
from assent.ui import TerminalApprover
from assent.ui._talk import duration
from tests.ui.person import NOW, Person, question

Answers = Mapping[PendingId, ApprovalDecision]
REASON = "(Enter for no reason, Esc to go back)"
ASKS = Fixed(ApprovalRequest(description="Send it"))
STOP = Reject(by="kim", stop=True)


def approver_for(person: Person) -> TerminalApprover:
    return TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW)


def asking(person: Person, *batch: Pending) -> asyncio.Task[Answers]:
    return asyncio.ensure_future(approver_for(person).decide(batch or (question(),)))


async def stops(person: Person) -> None:
    person.types("q")
    await person.sees("Stop the run?")
    await person.may_answer()
    person.types("q")


async def test_one_key_after_the_question_is_the_answer(person: Person) -> None:
    decided = asking(person)
    await person.is_asked("Question 1")
    person.types("y")
    assert list((await decided).values()) == [Approve(by="kim")]


async def test_stopping_the_run_takes_the_key_twice(person: Person) -> None:
    decided = asking(person)
    await person.is_asked("Question 1")
    person.types("q")
    await person.sees("Stop the run?")
    await person.may_answer()
    person.types("y")
    await person.is_asked("Question 1")
    await stops(person)
    assert list((await decided).values()) == [STOP]


async def test_a_rejection_carries_the_persons_words(person: Person) -> None:
    decided = asking(person)
    await person.is_asked("Question 1")
    person.types("n")
    await person.sees(REASON)
    await person.may_answer()
    person.types("too lang\x7f\x7f\x7fong, x\x17größer\n")
    assert list((await decided).values()) == [Reject(by="kim", note="too long, größer")]


async def test_a_rejection_needs_no_words_and_can_be_taken_back(person: Person) -> None:
    decided = asking(person)
    await person.is_asked("Question 1")
    person.types("n")
    await person.sees(REASON)
    await person.may_answer()
    person.types("\x1b")
    await person.is_asked("Question 1")
    person.types("n")
    await person.sees(REASON)
    await person.may_answer()
    person.types("\r")
    assert list((await decided).values()) == [Reject(by="kim")]


async def test_what_was_typed_before_the_question_never_approves(person: Person) -> None:
    person.types("y\ny\ns\ny")
    decided = asking(person)
    await person.sees("Approval needed")
    person.types("y")
    await person.may_answer()
    await stops(person)
    assert list((await decided).values()) == [STOP]


async def test_what_was_typed_behind_an_answer_answers_nothing_else(person: Person) -> None:
    decided = asking(person, question("1"), question("2"))
    await person.is_asked("Question 1")
    person.types("y")
    await person.sees("(2 of 2)")
    person.types("y")
    await person.may_answer()
    await stops(person)
    assert list((await decided).values()) == [Approve(by="kim"), STOP]


SEVERAL = {
    "a word": "yes",
    "a key and Enter": "y\n",
    "a key that is held": "yy",
    "pasted": "\x1b[200~y\x1b[201~",
    "pasted without an end": "\x1b[200~a\ny\n",
    "Alt and a key": "\x1by",
    "a sequence that ends with a key": "\x1b[1;5y",
    "a key of the numeric pad": "\x1bOy",
    "an answer of the terminal": "\x1b]52;c;y\x07",
}
OTHERS = ["\n", "\r", " ", "x", "Y", "1", "\x1b", "\x1b[A", "\x1bOA", "\x1b[6~", "\x7f"]


async def test_only_one_key_that_is_offered_is_an_answer(person: Person) -> None:
    decided = asking(person)
    await person.is_asked("Question 1")
    for what, typed in SEVERAL.items():
        person.types(typed)
        assert "No such" not in await person.sees("That was more than one key: nothing is decided."), what
        await person.may_answer()
    for typed in OTHERS:
        person.types(typed)
        assert "more than" not in await person.sees("No such key here."), repr(typed)
        await person.may_answer()
    person.types("y")
    assert list((await decided).values()) == [Approve(by="kim")]


async def test_the_end_of_input_rejects(person: Person) -> None:
    decided = asking(person)
    await person.is_asked("Question 1")
    person.types("\x04")
    (answer,) = (await decided).values()
    assert isinstance(answer, Reject)
    assert (answer.by, answer.stop) == ("end of input", False)


async def test_no_before_the_end_of_input_is_the_persons_own_no(person: Person) -> None:
    decided = asking(person)
    await person.is_asked("Question 1")
    person.types("n")
    await person.sees(REASON)
    await person.may_answer()
    person.types("\x04")
    assert list((await decided).values()) == [Reject(by="kim")]


@pytest.mark.parametrize("typed", ["\x03", "\x1c", "y\x03"])
async def test_ctrl_c_at_a_terminal_that_is_not_the_programs_own_stops_the_run(person: Person, typed: str) -> None:
    before = termios.tcgetattr(person.keyboard)
    decided = asking(person, question("1"), question("2"))
    await person.is_asked("Question 1")
    person.types(typed)
    assert list((await decided).values()) == [STOP, STOP]
    assert termios.tcgetattr(person.keyboard) == before


@pytest.mark.parametrize("moment", ["Approval needed", "[q] Stop the run\n> "])
async def test_a_closed_window_rejects(person: Person, moment: str) -> None:
    with closing(memory_store()) as store:
        gate = Gate(approver=approver_for(person), store=store)
        admitted = asyncio.ensure_future(gate.admit(question().call, ASKS))
        await person.sees("Approval needed" if moment == "Approval needed" else "[q] Stop the run")
        if moment != "Approval needed":
            await person.may_answer()
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
    assert "answer with `assent inbox`" in answer.note, "it says what to do"


def test_asking_is_possible_only_where_question_and_answer_have_a_terminal(person: Person) -> None:
    assert TerminalApprover.is_possible(person.keyboard, person.screen)
    assert not TerminalApprover.is_possible(person.keyboard, io.StringIO())
    assert not TerminalApprover.is_possible(io.StringIO("y\n"), person.screen)


async def test_a_batch_says_where_it_is_and_stopping_ends_all_of_it(person: Person) -> None:
    decided = asking(person, *(question(number) for number in "123"))
    await person.sees("(1 of 3)")
    await person.may_answer()
    person.types("y")
    await person.sees("(2 of 3)")
    await person.may_answer()
    await stops(person)
    assert list((await decided).values()) == [Approve(by="kim"), STOP, STOP]
    assert "(3 of 3)" not in person.seen


async def test_a_cancelled_question_gives_the_terminal_back(person: Person) -> None:
    before = termios.tcgetattr(person.keyboard)
    decided = asking(person)
    await person.is_asked("Question 1")
    assert termios.tcgetattr(person.keyboard) != before
    decided.cancel("Answered by lee\x1b in the inbox.")
    with pytest.raises(asyncio.CancelledError):
        await decided
    await person.sees("\x1b[23;0t")
    await person.sees("\x1b[?2004l")
    await person.sees("Answered by lee⟨U+001B⟩ in the inbox.")
    person.types("ls\n")
    assert await asyncio.to_thread(person.keyboard.readline) == "ls\n"
    assert termios.tcgetattr(person.keyboard) == before


async def test_a_question_whose_time_is_over_is_taken_from_the_screen(person: Person) -> None:
    clock = VirtualClock(NOW)
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=clock)
    with closing(memory_store()) as store:
        gate = Gate(approver=approver, store=store, clock=clock, timeout=90)
        admitted = asyncio.ensure_future(gate.admit(question().call, ASKS))
        await person.sees("1 min 30 s left > ")
        clock.advance(60)
        await person.sees("\r30 s left > ")
        clock.advance(25)
        await person.sees("\r5 s left > ")
        clock.advance(6)
        with pytest.raises(Expired):
            await admitted
        await person.sees("Closed: ")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (90, "1 min 30 s"),
        (3_600, "1 h"),
        (3_661, "1 h 1 min"),
        (90_000, "1 d 1 h"),
        (86_401, "1 d"),
    ],
)
def test_a_time_is_said_in_its_two_largest_units(seconds: int, text: str) -> None:
    assert duration(seconds) == text


async def test_the_time_is_said_now_and_then_to_who_is_read_to(person: Person) -> None:
    clock = VirtualClock(NOW)
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=clock, plain=True)
    decided = asyncio.ensure_future(approver.decide([question(expires=NOW + 90)]))
    await person.sees("Time left: 1 min 30 s")
    await person.may_answer()
    clock.advance(31)
    await person.sees("\nLess than 60 s left > ")
    clock.advance(30)
    await person.sees("\nLess than 30 s left > ")
    person.types("y")
    assert list((await decided).values()) == [Approve(by="kim")]
    assert "\x1b" not in person.seen


async def test_another_size_of_the_window_draws_the_question_again(person: Person) -> None:
    decided = asking(person, question(request=ApprovalRequest(description="Question " + "1" * 60)))
    await person.is_asked("Question 1")
    person.resizes(40, 20)
    text = await person.is_asked("Question 1")
    assert max(map(len, text.splitlines())) <= 40
    person.types("y")
    assert list((await decided).values()) == [Approve(by="kim")]


@pytest.mark.parametrize(("columns", "lines"), [(80, 5), (10, 40)])
async def test_what_does_not_fit_the_screen_is_not_approved_by_one_key(
    person: Person, columns: int, lines: int
) -> None:
    person.resizes(columns, lines)
    short = Presentation(type="odd", description="", content="")  # type: ignore[arg-type]
    decided = asking(person, question(args={}, presentation=short))
    await person.may_answer()
    person.types("y")
    await person.sees("Approve anyway")
    await person.may_answer()
    person.types("Y")
    assert list((await decided).values()) == [Approve(by="kim")]


async def test_a_terminal_that_cannot_spell_our_signs_is_drawn_without_them(person: Person) -> None:
    assert isinstance(person.screen, io.TextIOWrapper)
    person.screen.reconfigure(encoding="ascii")
    decided = asking(person)
    await person.is_asked("Question 1")
    person.types("y")
    await decided
    assert "\\u" not in person.seen


async def test_who_changed_the_terminal_meanwhile_changes_nothing(person: Person) -> None:
    before = termios.tcgetattr(person.keyboard)
    decided = asking(person)
    await person.is_asked("Question 1")
    # As the shell does when a stopped program goes on.
    termios.tcsetattr(person.keyboard, termios.TCSANOW, before)
    await person.is_asked("Question 1")
    person.types("y")
    assert list((await decided).values()) == [Approve(by="kim")]


async def test_two_questions_at_one_terminal_wait_for_each_other(person: Person) -> None:
    first = asking(person, question("1"))
    await person.is_asked("Question 1")
    second = asking(person, question("2"))
    person.types("y")
    await first
    assert "Question 2" not in person.seen
    await person.is_asked("Question 2")
    person.types("y")
    assert list((await second).values()) == [Approve(by="kim")]


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


def test_text_can_be_made_visible_without_loading_what_draws() -> None:
    code = "import sys; from assent.ui import visible; print('rich' in sys.modules, 'asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False False\n"


def test_a_program_that_ends_while_it_asks_leaves_the_terminal_as_it_was(person: Person) -> None:
    before = termios.tcgetattr(person.keyboard)
    code = (
        "import sys; from assent.ui._tty import Tty; "
        "tty = Tty(sys.stdin, sys.stdout, plain=False); tty.take(); "
        "import termios; assert not termios.tcgetattr(0)[3] & termios.ECHO"
    )
    command = [sys.executable, "-c", code]
    subprocess.run(command, stdin=person.keyboard, stdout=person.screen, check=True, timeout=60)
    assert termios.tcgetattr(person.keyboard) == before


async def test_a_remembered_approval_answers_the_same_question_of_the_batch(person: Person) -> None:
    same = ApprovalRequest(description="Write a.txt", fingerprint={"path": "a.txt"})
    first, second, other = question("1", request=same), question("2", request=same), question("3")
    decided = asking(person, first, second, other)
    await person.is_asked("Write a.txt")
    person.types("s")
    await person.sees("[1-6] Choose")
    await person.may_answer()
    person.types("1")
    await person.sees("Answered by that too: Write a.txt")
    await person.is_asked("Question 3")
    await stops(person)
    assert await decided == {
        first.id: Approve(by="kim", scope=Scope.SESSION),
        second.id: Approve(by="kim"),
        other.id: STOP,
    }
