from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assent.config import Display
from assent.model import ApprovalDecision, Approve, Pending, Presentation
from assent.ui import TerminalApprover
from assent.ui._pager import _environment, _less  # pyright: ignore[reportPrivateUsage] — no way to ask less itself
from tests.ui.person import NOW, Clerk, Person, file_question, question

UNSEEN = "You have not seen all of it."


def long(lines: int) -> Pending:
    content = "\n".join(f"line {number}." for number in range(1, lines + 1))
    return question(presentation=Presentation(type="text", description="Long", content=content))


def asking(
    person: Person, pending: Pending, *, display: Display | None = None, plain: bool = False
) -> asyncio.Task[ApprovalDecision]:
    approver = TerminalApprover(
        person.keyboard, person.screen, by="kim", clock=lambda: NOW, display=display, plain=plain
    )

    async def answer() -> ApprovalDecision:
        return (await approver.review([pending], Clerk()))[pending.id]

    return asyncio.ensure_future(answer())


@pytest.mark.parametrize("plain", [False, True])
async def test_what_was_not_seen_is_approved_only_by_a_second_key(
    person: Person,
    plain: bool,  # noqa: FBT001 (a column)
) -> None:
    decided = asking(person, long(60), plain=plain)
    await person.is_asked("line 1.")
    assert "line 60." not in person.seen
    person.types("y")
    await person.sees(UNSEEN)
    await person.may_answer()
    person.types("b")
    await person.is_asked("line 1.")
    person.types("y")
    await person.sees(UNSEEN)
    await person.may_answer()
    person.types("Y")
    assert await decided == Approve(by="kim")


@pytest.mark.parametrize("plain", [False, True])
async def test_who_read_it_in_the_pager_has_seen_it(person: Person, plain: bool) -> None:  # noqa: FBT001 (a column)
    decided = asking(person, long(60), plain=plain)
    await person.is_asked("line 1.")
    person.types("v")
    await person.sees("-- line 1 --")
    await person.sees("q = back to the question")
    for key, text in [(" ", "-- line "), ("G", "-- end --"), ("g", "-- line 1 --"), ("j", "-- line 2 --")]:
        person.types(key)
        await person.sees(text)
    person.types("q")
    await person.is_asked("line 1.")
    assert "line 60." in person.seen
    person.types("y")
    assert await decided == Approve(by="kim")


async def test_the_pager_opens_by_itself_for_what_is_very_long(person: Person) -> None:
    decided = asking(person, long(120))
    await person.sees("-- line 1 --")
    assert "[y] Approve" not in person.seen
    person.types("G")
    await person.sees("-- end --")
    person.types("\x1b")
    await person.is_asked("line 1.")
    person.types("y")
    assert UNSEEN not in person.seen
    assert await decided == Approve(by="kim")


async def test_who_left_the_pager_before_the_end_has_not_seen_it(person: Person) -> None:
    decided = asking(person, long(120))
    await person.sees("-- line 1 --")
    person.types("\x1b[6~")
    await person.sees("-- line ")
    person.types("q")
    await person.is_asked("line 1.")
    person.types("y")
    await person.sees(UNSEEN)
    await person.may_answer()
    person.types("Y")
    assert await decided == Approve(by="kim")


async def test_how_much_is_shown_is_a_setting(person: Person) -> None:
    decided = asking(person, long(9), display=Display(inline_lines=3, pager_lines=8, preview_lines=2))
    await person.sees("-- end --")
    person.types("q")
    await person.is_asked("line 1.")
    person.types("y")
    await decided


async def test_an_overwrite_is_seen_as_a_diff_or_as_its_content(person: Person, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    pending = await file_question(tmp_path, "write_file", path="work/a.txt", content="one\nzwei\n")
    decided = asking(person, pending)
    assert "- two" in await person.is_asked("a.txt")
    person.types("d")
    second = await person.is_asked("a.txt")
    person.types("d")
    third = await person.is_asked("a.txt")
    assert any("- two" not in each and "zwei" in each for each in (second, third))
    person.types("y")
    assert await decided == Approve(by="kim")


async def test_why_it_asks_is_read_in_the_pager(person: Person) -> None:
    decided = asking(person, question(args={"to": "ana"}))
    await person.is_asked("Question 1")
    person.types("?")
    shown = await person.sees("-- end --")
    assert "this tool asks every time" in shown
    assert '"to": "ana"' in shown
    person.types("q")
    await person.is_asked("Question 1")
    person.types("y")
    await decided


async def test_a_question_taken_away_while_it_is_read_leaves_the_pager(person: Person) -> None:
    decided = asking(person, long(120))
    await person.sees("-- line 1 --")
    decided.cancel("Answered by lee in the inbox.")
    await person.sees("\x1b[?1049l")
    await person.sees("Answered by lee")
    with pytest.raises(asyncio.CancelledError):
        await decided


@pytest.mark.parametrize(
    ("pager", "found"),
    [
        ("", True),
        ("less -X", True),
        ("/usr/bin/less", True),
        ("most", False),
        ("sh -c 'less'", False),
        ("less'", False),
        ("/no/such/less", False),
    ],
)
def test_no_other_pager_than_less_is_started(monkeypatch: pytest.MonkeyPatch, pager: str, found: bool) -> None:  # noqa: FBT001 (a column)
    monkeypatch.setenv("PAGER", pager)
    assert (_less() is not None) is found


def test_less_can_start_nothing_and_write_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LESS", "LESSOPEN", "LESSKEY", "LESSKEYIN", "LESSEDIT", "LESSHISTFILE"):
        monkeypatch.setenv(name, "|evil %s")
    given = {name: value for name, value in _environment().items() if name.startswith("LESS")}
    assert given == {"LESSSECURE": "1", "LESSHISTFILE": "-", "LESSCHARSET": "utf-8"}
