"""Agents that call the file tools, and a second process that is in their way: what the races are made of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, cast

import pytest

from assent.config import SandboxPath
from assent.errors import ChangedSinceApproval, FileError, InvalidArguments
from assent.gate import Gate
from assent.model import ApprovalDecision, Approve, Pending, PendingId, Permit, Scope
from assent.runtime import Session
from assent.testing import memory_store
from assent.tools.files import FileSandbox, file_tools
from assent.tools.files.disk._held import Identity
from tests.tools.files.trees import CANARY

SECONDS = float(os.environ.get("ASSENT_TOOL_RACE_SECONDS", "2.0"))
"""A longer soak: `ASSENT_TOOL_RACE_SECONDS=20 make test PYTEST_ARGS=tests/tools/files/test_tool_races.py`."""
PATIENCE = SECONDS + 40
"""How long to wait for a race that must be won and lost at least once."""
NAMED: Final = {
    FileError.code,
    *(kind.code for kind in FileError.__subclasses__()),
    ChangedSinceApproval.code,
    InvalidArguments.code,
}
"""The codes of docs/files.md."""

Agreeing = Literal["a person", "a mode", "a grant"]
Call = tuple[str, dict[str, object]]


@contextmanager
def stranger(what: str, base: Path) -> Generator[Callable[[], list[list[str]]]]:
    """Somebody else at work; call it to make them stop and say what they did."""
    command = [sys.executable, "-m", "tests.tools.files.stranger_tools", what, str(base)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        def stop() -> list[list[str]]:
            said, _ = process.communicate(timeout=60)
            assert process.returncode == 0
            log: list[list[str]] = json.loads(said)
            return log

        try:
            yield stop
        finally:
            process.kill()


class Witness:
    """Agrees to everything; remembers where it was shown, and is never shown what lies outside."""

    def __init__(self, *, remembers: bool) -> None:
        self.remembers = remembers
        self.asked = 0
        self.last: Pending | None = None

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        return {pending.id: self._answer(pending) for pending in batch}

    def _answer(self, pending: Pending) -> Approve:
        assert CANARY.decode() not in str(pending)
        self.asked += 1
        self.last = pending
        wide = next((each.name for each in pending.request.wider if each.name.startswith("path:")), "")
        return Approve(by="ana", scope=Scope.SESSION, covers=wide) if self.remembers else Approve(by="ana")

    def saw(self) -> tuple[int, ...] | None:
        """The first folder of the last question."""
        if self.last is None or not self.last.preview.evidence:
            return None
        return cast("tuple[int, ...]", self.last.preview.evidence[0].facts["directory"])


class Agent:
    """Makes calls, and counts how they ended."""

    def __init__(self, sandbox: FileSandbox, agreeing: Agreeing, *, run: str = "run") -> None:
        self.witness = Witness(remembers=agreeing == "a grant")
        gate = Gate(
            approver=None if agreeing == "a mode" else self.witness,
            store=memory_store(),
            mode="approve_all" if agreeing == "a mode" else "interactive",
        )
        self.session = Session(gate, file_tools(sandbox), run=run)
        self.ends: Counter[str] = Counter()

    async def call(self, tool: str, args: dict[str, object]) -> str:
        """`done`, or the code of the error."""
        self.witness.last = None
        result = await self.session.call(tool, args)
        assert CANARY.decode() not in str(result)
        assert isinstance(result, dict)
        end = str(result.get("error", "done"))
        assert end in NAMED | {"done"}, result
        self.ends[f"{tool} {end}"] += 1
        return end

    def has_done(self, *tools: str) -> bool:
        return all(self.ends[f"{tool} done"] for tool in tools)

    def was_refused(self, *tools: str) -> bool:
        return all(any(self.ends[f"{tool} {code}"] for code in NAMED) for tool in tools)


CHANGING = ("write_file", "edit_file", "patch_file", "delete_file", "move_file")
ALL = ("read_file", *CHANGING, "list_files", "search_files")


def racing(enough: Callable[[], bool], told: Callable[[], object]) -> Iterator[int]:
    """Turns, for a while, and until everything was seen."""
    start = time.monotonic()
    number = 0
    while (spent := time.monotonic() - start) < PATIENCE:
        if spent > SECONDS and enough():
            return
        number += 1
        yield number
    pytest.fail(f"not every race was run: {told()}")


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """All there is, by content and inode."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else sorted(each.name for each in path.iterdir())
        found[str(path)] = (status.st_ino, status.st_mode, status.st_mtime_ns, status.st_nlink, content)
    return found


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def leftovers(base: Path) -> list[Path]:
    return [path for path in base.rglob(".assent-*") if path.suffix != ".kept"]


def sandbox_of(base: Path, kind: type[FileSandbox] = FileSandbox) -> FileSandbox:
    """One root where everything asks."""
    rule = SandboxPath(root=base / "root", mode="rw", read_approval=True, write_approval=True)
    return kind({"home": rule})


Change = tuple[Permit | None, Identity, bytes | None]


class Noting(FileSandbox):
    """Writes down what every call that worked had found and left."""

    changes: list[Change]

    def note(self, permit: Permit | None, before: Identity, after: bytes | None) -> None:
        self.changes.append((permit, before, after))
        super().note(permit, before, after)


def noting(base: Path) -> Noting:
    sandbox = sandbox_of(base, Noting)
    assert isinstance(sandbox, Noting)
    sandbox.changes = []
    return sandbox
