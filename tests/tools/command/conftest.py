"""A configuration with one writable root, the real walls, and a gate with a scripted person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assent import Gate, ToolCall
from assent.config import Sandbox, SandboxPath, Settings, Shell, ShellDefault, ShellRule
from assent.model import ApprovalDecision
from assent.os_sandbox import Bubblewrap
from assent.runtime import execute
from assent.testing import Answers, memory_store
from assent.tools.command import CommandTool

ANYTHING = Shell(default=ShellDefault(approval=False))
"""Every command the rules can read runs at once; what they cannot read asks."""
CAREFUL = Shell(preset="read-only", rules=(ShellRule(pattern=("rm",), allowed=False),))


class Room:
    """The tool behind a real gate; `run` is one call."""

    def __init__(self, tool: CommandTool, *answers: ApprovalDecision) -> None:
        self.tool = tool
        self.person = Answers(*answers)
        self.gate = Gate(approver=self.person, store=memory_store())
        self._calls = 0

    async def run(self, command: str, **more: object) -> dict[str, object]:
        result = await self.told(command, **more)
        assert isinstance(result, dict)
        return result

    async def told(self, command: str, **more: object) -> object:
        self._calls += 1
        call = ToolCall(run="r", id=str(self._calls), tool_name=self.tool.name, args={"command": command, **more})
        return await execute(call, self.tool, self.gate)


MakeRoom = Callable[..., Room]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that commands may write to."""
    folder = tmp_path.resolve() / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(root: Path, tmp_path: Path) -> Callable[[Shell], Settings]:
    def made(shell: Shell) -> Settings:
        sandbox = Sandbox(paths={"work": SandboxPath(root=root, mode="rw")})
        return Settings(sandbox=sandbox, shell=shell, store=tmp_path / "state" / "assent.db")

    return made


@pytest.fixture
def make_room(walls: Bubblewrap, root: Path, settings: Callable[[Shell], Settings]) -> MakeRoom:
    def made(*answers: ApprovalDecision, shell: Shell = ANYTHING, **more: object) -> Room:
        tool = CommandTool.from_settings(settings(shell), cwd=root, candidates=[walls], **more)  # type: ignore[arg-type]
        return Room(tool, *answers)

    return made
