"""A project with a configuration, and a record that a real gate writes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from assent.config import Settings, load_settings
from assent.gate import Gate
from assent.model import Pending, Permit, ToolCall
from assent.store import SQLiteStore
from assent.tools.files import FileSandbox, file_tools
from assent.tools.shell import CommandPolicy

CONFIGURATION = """\
store: ../record/assent.db
sandbox:
  paths:
    work: {root: work, mode: rw}
    letters: {root: letters, suffixes: [.txt], mode: rw}
shell:
  rules:
    - pattern: git status
      approval: false
"""


class Project:
    """A folder as a user has it; every gate and store here is a real one on the same file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        for name in ("work/notes", "letters"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "assent.yaml").write_text(CONFIGURATION)
        (self.folder / "work/notes/plan.md").write_text("one\ntwo\nthree\n")

    @property
    def settings(self) -> Settings:
        return load_settings(self.folder / "assent.yaml")

    @contextmanager
    def store(self) -> Generator[SQLiteStore]:
        store = SQLiteStore(self.settings.store)
        try:
            yield store
        finally:
            store.close()

    def write(
        self,
        path: str = "work/a.md",
        *,
        run: str = "run-one",
        call: str = "",
        agents: tuple[str, ...] = ("main",),
        waited: float = 0.0,
        timeout: float | None = None,
    ) -> Pending | Permit:
        """What becomes of writing a file."""
        args = {"path": path, "content": "new\n"}
        made = ToolCall(run=run, id=call or path, tool_name="write_file", args=args, agents=agents)
        with self.store() as store, FileSandbox.from_settings(self.settings) as sandbox:
            gate = Gate(store=store, timeout=timeout, clock=lambda: time.time() - waited)
            tool = next(each for each in file_tools(sandbox) if each.name == "write_file")
            return asyncio.run(gate.judge(made, tool))

    def asks(
        self,
        path: str = "work/a.md",
        *,
        run: str = "run-one",
        call: str = "",
        agents: tuple[str, ...] = ("main",),
        waited: float = 0.0,
        timeout: float | None = None,
    ) -> Pending:
        """The question about writing a file, on the desk."""
        found = self.write(path, run=run, call=call, agents=agents, waited=waited, timeout=timeout)
        assert isinstance(found, Pending)
        return found

    def command(self, text: str, *, run: str = "run-one") -> Pending | Permit:
        """What becomes of a command."""
        made = ToolCall(run=run, id=text, tool_name="run_command", args={"command": text})
        with self.store() as store:
            gate = Gate(store=store, timeout=None)
            return asyncio.run(gate.judge(made, CommandPolicy.from_settings(self.settings, cwd=self.folder)))
