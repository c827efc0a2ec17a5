"""Processes that try to stay, and parents that another user runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.os_sandbox.kit import NOBODY_SPECIAL, PATH, SRC, python_for_everybody

PATIENCE = 30.0


def mark() -> str:
    """A word for the command lines of one test."""
    return f"mark-{os.getpid()}-{time.monotonic_ns()}"


def family(word: str) -> str:
    """Children that leave the session and ignore signals, and a parent that waits."""
    child = 'trap "" TERM HUP INT; echo started; while :; do sleep 1000; done'
    return f"setsid bash -c '{child}' {word} & (bash -c '{child}' {word} &); wait; sleep 1000"


def processes_with(word: str) -> list[int]:
    """Every process of this machine with this word on its command line."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word in path.read_text(errors="replace"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def left_of(word: str, *, patience: float = PATIENCE) -> list[int]:
    """What is left of the marked processes, when the kernel has had its time; it is ended then."""
    end = time.monotonic() + patience
    while (left := processes_with(word)) and time.monotonic() < end:
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


_BEGINNING = """
import asyncio, json, sys
from pathlib import Path
from assent import Gate, ToolCall
from assent.config import Sandbox, SandboxPath, Settings, Shell, ShellDefault
from assent.os_sandbox import Bubblewrap, Landlock
from assent.runtime import execute
from assent.testing import memory_store
from assent.tools.command import CommandTool

home = Path(sys.argv[1])
root = home / "root"
root.mkdir()
settings = Settings(sandbox=Sandbox(paths={"work": SandboxPath(root=root, mode="rw")}),
                    shell=Shell(default=ShellDefault(approval=False)), store=home / "state" / "assent.db")
gate = Gate(store=memory_store(), mode="approve_all")

def made(heard=None, walls=None):
    return CommandTool.from_settings(settings, cwd=root, on_output=heard, candidates=[walls or Bubblewrap()])

async def run(tool, command, **more):
    call = ToolCall(run="r", id=command[:20], tool_name=tool.name, args={"command": command, **more})
    return await execute(call, tool, gate)
"""


@contextmanager
def parent(code: str, *, ordinary: bool) -> Generator[subprocess.Popen[str]]:
    """A process that uses `run_command`, as this user or as one without rights."""
    user = NOBODY_SPECIAL if ordinary and os.getuid() == 0 else None
    groups: list[int] | None = [] if user else None
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    python = python_for_everybody() if ordinary else sys.executable
    with (
        _home_of(user) as home,
        subprocess.Popen(
            [python, "-c", _BEGINNING + code, home],
            user=user,
            group=user,
            extra_groups=groups,
            env={**PATH, "PYTHONPATH": os.pathsep.join([str(SRC), *libraries]), "PYTHONDONTWRITEBYTECODE": "1"},
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _home_of(user: int | None) -> Generator[str]:
    # Not pytest's own folder: only the user who runs the tests can enter that.
    with tempfile.TemporaryDirectory() as folder:
        if user is not None:
            os.chown(folder, user, user)
        yield os.path.realpath(folder)


def told_by(code: str, *, ordinary: bool = False) -> str:
    """What such a process printed."""
    with parent(code, ordinary=ordinary) as process:
        output, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    return output
