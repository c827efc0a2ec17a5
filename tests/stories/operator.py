"""Somebody who runs an agent: a project on disk, a real gate with its record in a file, and a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assent.config import Settings, load_settings
from assent.gate import Gate
from assent.model import Tool
from assent.runtime import Session
from assent.tools.command import CommandTool
from assent.tools.files import FileSandbox, file_tools
from assent.ui import TerminalApprover
from tests.cli.within import Done, within
from tests.ui.person import Person

CONFIGURATION = """\
store: ../record/assent.db
sandbox:
  paths:
    work: {root: work, mode: rw}
    drafts: {root: drafts, mode: rw, write_approval: false}
    letters: {root: letters, read_approval: true}
shell:
  rules:
    - {pattern: git status, approval: false}
    - {pattern: rm, allowed: false, description: nothing is deleted here}
"""
PLAN = "".join(f"line {number}\n" for number in range(1, 41))

More = Callable[[dict[str, Tool]], tuple[Tool, ...]]


class Operator:
    """A project, the program on it, and whoever sits at its terminal."""

    def __init__(self, folder: Path, person: Person) -> None:
        self.folder = folder / "project"
        self.person = person
        for name in ("work", "drafts", "letters"):
            (self.folder / name).mkdir(parents=True)
        self.work = self.folder / "work"
        (self.work / "plan.md").write_text(PLAN)
        (self.folder / "letters/ana.txt").write_text("Dear Ana\n")
        self.configures(CONFIGURATION)

    def configures(self, text: str) -> None:
        """Write the configuration anew."""
        (self.folder / "assent.yaml").write_text(text)

    @property
    def settings(self) -> Settings:
        return load_settings(self.folder / "assent.yaml")

    @contextmanager
    def run(self, *, commands: bool = False, more: More | None = None, where: str = "") -> Generator[Agent]:
        """A run of an agent, with the tools that the configuration describes; `more` makes further ones of them."""
        settings, person = self.settings, self.person
        approver = TerminalApprover(
            person.keyboard, person.screen, by="kim", display=settings.display, where=where or str(settings.store)
        )
        with ExitStack() as stack:
            gate = Gate.from_settings(settings, approver=approver)
            stack.callback(gate.store.close)
            tools: dict[str, Tool] = {
                tool.name: tool for tool in file_tools(stack.enter_context(FileSandbox.from_settings(settings)))
            }
            if commands:
                tools["run_command"] = CommandTool.from_settings(settings, cwd=self.work)
            every = [*tools.values(), *(more(tools) if more else ())]
            yield Agent(stack.enter_context(Session(gate, every, agents=("main",))))

    async def remembers(self, *keys: str) -> None:
        """Press s, and then what to remember and for how long."""
        self.person.types("s")
        for key in keys:
            await self.person.may_answer()
            self.person.types(key)

    def assent(self, *words: str) -> Done:
        """The command line, beside the run."""
        return within(self.folder, *words)


class Agent:
    """Somebody who calls tools, and hears what came of it."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def wants(self, tool: str, /, **args: object) -> asyncio.Task[object]:
        """Call a tool; what it hears comes once it was decided."""
        return asyncio.create_task(self.session.call(tool, args))

    async def hears(self, tool: str, /, **args: object) -> dict[str, object]:
        """What a call comes to that nobody is asked about."""
        async with asyncio.timeout(20):
            heard = await self.session.call(tool, args)
        assert isinstance(heard, dict)
        return heard
