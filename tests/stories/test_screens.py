"""What an operator sees of a change, a file and a command: stories 15 to 18."""

from __future__ import annotations

import re

import pytest

from tests.stories.operator import CONFIGURATION, PLAN, Operator
from tests.ui.person import Person

COLOURED = re.compile(r"\x1b\[[0-9;]*m")
PAGER = "-- space = more, b = back up, q = back to the question"


@pytest.fixture
def colours(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm-256color")


def uncoloured(text: str) -> str:
    return COLOURED.sub("", text)


async def question(operator: Operator, text: str) -> str:
    """The question as it is on the screen, colours and all; `is_asked` wants the words side by side."""
    await operator.person.sees("Approval needed")
    shown = await operator.person.may_answer()
    assert text in uncoloured(shown)
    return shown


async def reject(operator: Operator) -> None:
    operator.person.types("n")
    await operator.person.may_answer()
    operator.person.types("\r")


@pytest.mark.usefixtures("colours")
async def test_story_15_a_patch_is_a_coloured_diff_with_context_and_the_whole_file_is_one_key_away(
    operator: Operator,
) -> None:
    patches = [
        {"find": "line 7\n", "replace": "line seven\n"},
        {"find": "line 30\n", "replace": "line thirty\n"},
    ]
    operator.person.resizes(80, 45)
    with operator.run() as agent:
        wanted = agent.wants("patch_file", path="work/plan.md", patches=patches)
        shown = await question(operator, "Changes: +2 -2")
        rows = uncoloured(shown).splitlines()
        assert [row.partition("│ ")[2].rstrip() for row in rows if " │ " in row][:8] == [
            "  @@ -4,7 +4,7 @@",
            "  line 4",
            "  line 5",
            "  line 6",
            "- line 7",
            "+ line seven",
            "  line 8",
            "  line 9",
        ]
        (removed,) = (row for row in shown.splitlines() if "- " in uncoloured(row) and "line 7" in uncoloured(row))
        (added,) = (row for row in shown.splitlines() if "line seven" in uncoloured(row))
        assert "48;5;52m" in removed
        assert "48;5;22m" in added
        assert "line 20" not in uncoloured(shown)
        operator.person.types("v")
        whole = uncoloured(await operator.person.sees(PAGER))
        operator.person.types(" ")
        whole += uncoloured(await operator.person.sees(PAGER))
        assert all(f"  line {number}\n" in whole for number in (1, 6, 8, 20, 29, 31, 40))
        assert "- line 30" in whole
        assert "+ line thirty" in whole
        operator.person.types("q")
        await question(operator, "Changes: +2 -2")
        operator.person.types("y")
        await wanted
    assert (operator.work / "plan.md").read_text() == PLAN.replace("7\n", "seven\n", 1).replace("30", "thirty")


@pytest.mark.usefixtures("colours")
async def test_story_16_a_new_file_is_shown_whole_or_in_part_and_an_overwrite_as_a_diff(operator: Operator) -> None:
    with operator.run() as agent:
        wanted = agent.wants("write_file", path="work/small.py", content="def small():\n    return 1\n")
        shown = await question(operator, "Where: work/small.py (2 lines, 26 bytes, new file)")
        assert "   1 │ def small():\n   2 │     return 1\n" in uncoloured(shown)
        assert "\x1b[95mdef\x1b[0m" in shown, "a keyword has a colour of its own"
        await reject(operator)
        await wanted

        wanted = agent.wants("write_file", path="work/large.py", content="x = 1\n" * 60)
        shown = uncoloured(await question(operator, "Where: work/large.py (60 lines, 360 bytes, new file)"))
        lines = shown.count("│ x = 1\n")
        assert 0 < lines < 24
        assert f"… {60 - lines} more lines · [v] shows all" in shown
        await reject(operator)
        await wanted

        wanted = agent.wants("write_file", path="work/plan.md", content=PLAN.replace("line 9\n", ""))
        shown = uncoloured(await question(operator, "This will overwrite existing file (was 40 lines, now 39 lines)"))
        assert "Changes: +0 -1" in shown
        assert "│ - line 9" in shown
        await reject(operator)
        await wanted

        # Where the diff is longer than the file it says less: its size, and the file.
        wanted = agent.wants("write_file", path="work/plan.md", content="all new\n" * 4)
        shown = uncoloured(await question(operator, "Changes: +4 -40 ([d] shows the diff). New content:"))
        assert "   4 │ all new\n" in shown
        operator.person.types("d")
        assert "│ - line 1" in uncoloured(await question(operator, "Changes: +4 -40"))
        await reject(operator)
        await wanted


@pytest.mark.usefixtures("walls")
async def test_story_17_a_command_is_shown_with_its_folder_and_wrapped_readably(operator: Operator) -> None:
    command = "echo " + " ".join(f"word-{number}" for number in range(20)) + " && git status"
    operator.person.resizes(50, 60)
    with operator.run(commands=True) as agent:
        wanted = agent.wants("run_command", command=command)
        shown = await operator.person.is_asked("Run echo word-0")
        assert max(map(len, shown.splitlines())) <= 50
        joined = "".join(line.removeprefix("  ↳ ") for line in shown.partition("In: ")[2].splitlines())
        assert joined.startswith(str(operator.work.resolve()))
        body = shown.partition("Command:\n")[2].splitlines()
        pieces = [line[4:] for line in body if line.startswith(("  │ ", "  ┆ ")) and set(line[4:]) - {" ", "^"}]
        assert [word for piece in pieces for word in piece.split()] == command.split(), "broken between words only"
        assert "? ask    echo word-0" in shown
        assert "✓ allow  git status" in shown
        await reject(operator)
        await wanted


async def test_story_18_long_content_is_cut_with_a_count_and_the_limits_are_settings(operator: Operator) -> None:
    rows = [f"row {number}\n" for number in range(1, 51)]
    long, short = ({"path": f"work/{count}.txt", "content": "".join(rows[:count])} for count in (50, 20))
    operator.person.resizes(80, 100)
    with operator.run() as agent:
        wanted = agent.wants("write_file", **long)
        shown = await operator.person.is_asked("Write 50 lines to work/50.txt")
        assert "  24 │ row 24\n… 26 more lines · [v] shows all\n" in shown
        operator.person.types("v")
        assert "row 50\n" in await operator.person.sees("-- end -- ")
        operator.person.types("q")
        await operator.person.is_asked("Write 50 lines to work/50.txt")
        await reject(operator)
        await wanted
        wanted = agent.wants("write_file", **short)
        assert "  20 │ row 20\n[y] Approve" in await operator.person.is_asked("Write 20 lines to work/20.txt")
        await reject(operator)
        await wanted
    operator.configures(f"{CONFIGURATION}display: {{inline_lines: 10, preview_lines: 5, pager_lines: 40}}\n")
    with operator.run() as agent:
        wanted = agent.wants("write_file", **long)
        # More than pager_lines: the pager opens by itself.
        assert "row 50\n" in await operator.person.sees("-- end -- ")
        operator.person.types("q")
        shown = await operator.person.is_asked("Write 50 lines to work/50.txt")
        assert "   5 │ row 5\n… 45 more lines · [v] shows all\n" in shown
        await reject(operator)
        await wanted
        wanted = agent.wants("write_file", **short)
        shown = await operator.person.is_asked("Write 20 lines to work/20.txt")
        assert "   5 │ row 5\n… 15 more lines · [v] shows all\n" in shown
        await reject(operator)
        await wanted
