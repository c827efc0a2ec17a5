from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assent.model import ApprovalDecision, Approve, Pending
from assent.ui import TerminalApprover
from assent.ui._hunks import hunks_of
from tests.ui.person import NOW, Person, file_question, question

LINES = [f"line {number}" for number in range(1, 41)]


def changed(*numbers: int) -> str:
    return "".join(f"{line}{' changed' if at in numbers else ''}\n" for at, line in enumerate(LINES, 1))


@pytest.fixture
async def overwriting(tmp_path: Path) -> Pending:
    """A file of which three places change."""
    (tmp_path / "a.txt").write_text(changed())
    return await file_question(tmp_path, "write_file", path="work/a.txt", content=changed(2, 20, 38))


def asking(person: Person, pending: Pending) -> asyncio.Task[ApprovalDecision]:
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW)

    async def answer() -> ApprovalDecision:
        return (await approver.decide([pending]))[pending.id]

    return asyncio.ensure_future(answer())


async def chooses(person: Person, *keys: str) -> str:
    await person.is_asked("a.txt")
    person.types("h")
    shown = ""
    for key in keys:
        shown += await person.sees("Apply this hunk [y,n,a,d,v,q,?]?")
        await person.may_answer()
        person.types(key)
    return shown


@pytest.mark.parametrize(
    ("keys", "hunks"), [("yny", (0, 2)), ("na", (1, 2)), ("yd", (0,)), ("nyq", (1,)), ("n?yn", (1,))]
)
async def test_a_person_approves_some_hunks_and_says_why_not_the_others(
    person: Person, overwriting: Pending, keys: str, hunks: tuple[int, ...]
) -> None:
    person.resizes(80, 60)
    decided = asking(person, overwriting)
    shown = await chooses(person, *keys)
    assert "line 2 changed" in shown
    assert ("apply this hunk and all later ones" in shown) is ("?" in keys)
    await person.sees("Why not the others?")
    await person.may_answer()
    person.types("keep it\n")
    await person.sees(f"Approve {len(hunks)} of 3 hunks?")
    await person.may_answer()
    person.types("y")
    assert await decided == Approve(by="kim", hunks=hunks, note="keep it")


async def test_all_hunks_are_an_approval_of_the_whole(person: Person, overwriting: Pending) -> None:
    person.resizes(80, 60)
    decided = asking(person, overwriting)
    await chooses(person, "a")
    await person.sees("Approve 3 of 3 hunks?")
    await person.may_answer()
    person.types("y")
    assert await decided == Approve(by="kim")


async def test_no_hunk_no_words_or_no_second_key_goes_back_and_decides_nothing(
    person: Person, overwriting: Pending
) -> None:
    person.resizes(80, 60)
    decided = asking(person, overwriting)
    await chooses(person, "n", "d")
    await person.sees("No hunk was chosen: nothing is decided.")
    await chooses(person, "q")
    await chooses(person, "y", "q")
    await person.sees("Why not the others?")
    await person.may_answer()
    person.types("\x1b")
    await chooses(person, "y", "q")
    await person.sees("Why not the others?")
    await person.may_answer()
    person.types("\n")
    await person.sees("Approve 1 of 3 hunks?")
    await person.may_answer()
    person.types("\n")
    await person.is_asked("a.txt")
    person.types("y")
    assert await decided == Approve(by="kim")


async def test_hunks_that_were_cut_to_the_screen_take_another_key_unless_they_are_viewed(
    person: Person, tmp_path: Path
) -> None:
    person.resizes(80, 24)
    (tmp_path / "a.txt").write_text(changed())
    pending = await file_question(tmp_path, "write_file", path="work/a.txt", content=changed(*range(1, 31), 40))
    decided = asking(person, pending)
    sure = "Approve 2 of 2 hunks? "
    assert "more lines" in await chooses(person, "y", "y")
    await person.sees(f"{sure}You have not seen all of them. Y = approve anyway")
    await person.may_answer()
    person.types("y")
    await chooses(person, "v")
    await person.sees("-- line 1 --")
    person.types("G")
    await person.sees("-- end --")
    person.types("q")
    for _ in range(2):
        await person.sees("Apply this hunk")
        await person.may_answer()
        person.types("y")
    await person.sees(f"{sure}y = yes")
    await person.may_answer()
    person.types("y")
    assert await decided == Approve(by="kim")


async def test_hunks_that_were_cut_to_the_screen_may_be_approved_anyway(person: Person, tmp_path: Path) -> None:
    person.resizes(80, 24)
    (tmp_path / "a.txt").write_text(changed())
    pending = await file_question(tmp_path, "write_file", path="work/a.txt", content=changed(*range(1, 31), 40))
    decided = asking(person, pending)
    await chooses(person, "a")
    await person.sees("You have not seen all of them. Y = approve anyway")
    await person.may_answer()
    person.types("Y")
    assert await decided == Approve(by="kim")


async def test_hunks_of_several_files_are_counted_through(tmp_path: Path, overwriting: Pending) -> None:
    assert hunks_of(overwriting) == [0, 0, 0]
    assert hunks_of(question()) == []
    new = await file_question(tmp_path, "write_file", path="work/new.txt", content="x\n")
    assert len(hunks_of(new)) <= 1
