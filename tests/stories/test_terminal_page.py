"""What docs/terminal.md says is what is on the screen."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from assent.config import Display, read_settings
from assent.errors import Stopped
from tests.stories.operator import PLAN, Operator

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs/terminal.md").read_text(encoding="utf-8")
STORY = re.compile(r"^(?:async )?def test_story_(\d\d)_", re.MULTILINE)
EDIT = {"path": "work/plan.md", "old_string": "line 7\n", "new_string": "line seven\nand a half\n"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def table(heading: str) -> list[tuple[str, ...]]:
    """The rows of the first table below a heading, cell by cell."""
    below = PAGE.partition(f"\n{heading}\n")[2]
    rows = re.search(r"^\|[- |]+\|\n((?:\|.*\|\n)+)", below, re.MULTILINE)
    assert rows, heading
    return [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows[1].splitlines()]


def keys_of(screen: str) -> dict[str, str]:
    """The keys below a question or a list, and what they are called."""
    rows = re.findall(r"^\[.*$", screen, re.MULTILINE)
    found = re.findall(r"\[([^\]]+)\] (.+?)(?:  |$)", "  ".join(row for row in rows if "] covers: " not in row))
    return dict(found)


def keys(heading: str) -> set[str]:
    return {key for cell, *_ in table(heading) for key in re.findall(r"`([^`]+)`", cell)}


async def test_the_screens_in_the_page_are_those_of_the_program(operator: Operator) -> None:
    question, picker = blocks("text")
    with operator.run(where="~/.local/state/assent/assent.db") as agent:
        wanted = agent.wants("edit_file", **EDIT)
        shown = await operator.person.is_asked("Edit work/plan.md")
        assert f"── Approval needed{shown} left >" == question.rstrip("\n")
        await operator.remembers("2")
        await operator.person.sees("Remember: ")
        assert f"Remember: {(await operator.person.may_answer())}" == picker.rstrip("\n")
        operator.person.types("1")
        await wanted


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\nfile.write_text('edited\\n')\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script)]))


@pytest.mark.usefixtures("editor")
async def test_the_keys_in_the_page_are_those_on_the_screen(operator: Operator) -> None:
    person = operator.person
    person.resizes(130, 50)
    (operator.work / "copy.md").write_text(PLAN)
    changed = PLAN.replace("line 7\n", "").replace("line 30\n", "")
    with operator.run() as agent:
        wanted = [
            asyncio.create_task(agent.session.call("write_file", {"path": path, "content": changed}, group_id="both"))
            for path in ("work/plan.md", "work/copy.md")
        ]
        offered = keys_of(await person.is_asked("(1 of 2)"))
        person.types("b")
        await person.sees("2 questions, 0 answered")
        # The list marks its cursor as a prompt is marked.
        listed = f"{await person.sees('[b] Back')}[b] Back"
        await person.sees("> ")
        assert set(keys_of(listed)) == keys("### Batches")
        person.types("b")
        await person.is_asked("(1 of 2)")
        person.types("h")
        await person.sees("Apply this hunk [")
        assert set((await person.sees("]?")).split(",")) == keys("### Hunks")
        await person.may_answer()
        person.types("q")
        await person.is_asked("(1 of 2)")
        person.types("e")
        offered |= keys_of(await person.is_asked("(1 of 2)"))
        assert offered == {key.strip("`"): label for key, label, _ in table("## Keys")}
        person.types("q")
        await person.may_answer()
        person.types("q")
        heard = await asyncio.gather(*wanted, return_exceptions=True)
        assert any(isinstance(each, Stopped) for each in heard)
    assert (operator.work / "plan.md").read_text() == (operator.work / "copy.md").read_text() == PLAN


def test_the_limits_in_the_page_are_the_defaults(tmp_path: Path) -> None:
    (text,) = blocks("yaml")
    (tmp_path / "assent.yaml").write_text(text)
    assert read_settings(tmp_path / "assent.yaml").display == Display()
    assert all(f"{each.name}: {each.default} " in text for each in fields(Display))


def test_every_story_in_the_page_is_a_test_and_every_test_of_one_is_in_the_page() -> None:
    told = [int(number) for number, *_ in table("## What an operator can do")]
    tested = [int(each) for file in HERE.glob("test_*.py") for each in STORY.findall(file.read_text(encoding="utf-8"))]
    assert told == sorted(tested) == list(range(1, 19))
