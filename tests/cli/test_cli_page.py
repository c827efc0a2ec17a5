"""What docs/cli.md shows is what the commands say."""

from __future__ import annotations

import asyncio
import re
import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from assent import Approve, Gate, Reject, SQLiteStore, ToolCall
from assent.cli import COMMANDS
from assent.config import read_settings
from assent.errors import AssentError
from assent.testing import Answers
from assent.tools.files import FileSandbox, file_tools
from assent.tools.shell import CommandPolicy
from tests.cli.within import within

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
OLD = "tool_rules: []\naprovals: {mode: strict}\n"
# What differs from one time to the next: when, how long, and the ids that are drawn.
VARIES = [
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d|Z)?", "WHEN"),
    (r"\b\d+ (s|min|h|d)\b", "TIME"),
    (r"\b(?!16be42be)[0-9a-f]{8}\b", "ID"),
]


def shown() -> list[tuple[str, str]]:
    """Every command of the page with its output, in order."""
    blocks = "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL))
    return [(typed, output) for typed, output in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", blocks, re.MULTILINE)]


def plain(text: str) -> str:
    """The text without what varies, nor blanks: where lines break depends on how long the folder's name is."""
    for pattern, word in VARIES:
        text = re.sub(pattern, word, text)
    return "".join(text.split())


def fits(output: str, said: str) -> bool:
    """Whether it was said; `…` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, plain(output).split("…"))), plain(said)) is not None


async def work(folder: Path) -> None:
    """What the page's record is about: a run that asked three times, and waits."""
    settings = read_settings(folder / "assent.yaml")
    commands = CommandPolicy.from_settings(settings, cwd=folder)
    calls: list[tuple[str, dict[str, object]]] = [
        ("run_command", {"command": "git status"}),
        ("write_file", {"path": "project/plan.md", "content": "a plan\n"}),
        ("run_command", {"command": "git push origin main"}),
        ("run_command", {"command": "ls -l"}),
        ("run_command", {"command": "make release"}),
    ]
    then = time.time() - 125
    with closing(SQLiteStore(settings.store)) as store, FileSandbox.from_settings(settings) as sandbox:
        tools = {tool.name: tool for tool in file_tools(sandbox)}
        answers = Answers(Approve(by="ana"), Reject(by="ana", note="not today"))
        gate = Gate(approver=answers, store=store, clock=lambda: then)
        for number, (tool, args) in enumerate(calls, start=1):
            call = ToolCall(run="nightly-1", id=str(number), tool_name=tool, args=args, agents=("writer",))
            with suppress(AssentError):
                await (gate.judge if number == len(calls) else gate.admit)(call, tools.get(tool, commands))


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A git repository in a home of its own, whose name is short enough to stay on one line."""
    with tempfile.TemporaryDirectory(prefix="ana") as home:
        monkeypatch.setenv("HOME", home)
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        folder = Path(home, "project")
        (folder / ".git").mkdir(parents=True)
        (folder / "old.yaml").write_text(OLD)
        yield folder


def test_every_command_of_the_page_says_what_is_shown(project: Path) -> None:
    for typed, output in shown():
        program, *arguments = shlex.split(typed)
        assert program == "assent"
        done = within(project, *arguments)
        said = (done.stdout + done.stderr).replace(str(project.parent), "/home/ana")
        assert fits(output, said), f"{typed}\n{said}"
        if typed == "assent init --yes":
            asyncio.run(work(project))


def test_every_command_has_a_section_with_an_example() -> None:
    sections = re.findall(r"^## `assent (\w+).*?(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    assert set(sections) == set(COMMANDS)
    assert {typed.split()[1] for typed, _ in shown()} == set(COMMANDS)


def test_what_is_elided_is_not_everything() -> None:
    assert not fits("one … two", "one three")
    assert not fits("one", "one two")
    assert fits("one … two", "one and\n  two")
