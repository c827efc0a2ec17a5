"""One round of killing: a file, a call that changes it, and what the file may be afterwards."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assent.config import SandboxPath
from assent.model import Permit, Tool, ToolCall
from assent.tools.files import FileSandbox, file_tools
from assent.tools.files.disk._held import Held, Identity
from assent.tools.files.sandbox._spot import Spot
from tests.durability.killing import ROUNDS_PER_FILE

KINDS = ("create", "write", "edit", "patch")
MODE = 0o640
LINES = 1_000
PADDING = "." * 500
"""Long lines: it takes a while to write them, and not much longer to compare them."""
SIGN = "of the file as it"
"""A text that every file has, before and after."""
BEFORE = "".join(f"{PADDING} line {number} {SIGN} was\n" for number in range(LINES))
AFTER = "".join(f"{PADDING} line {number} {SIGN} will be\n" for number in range(LINES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Where a round happens: its record, its file, its call, and what that makes of the file."""

    store: Path
    files: Path
    call: ToolCall
    before: bytes | None
    after: bytes
    asks: bool
    """Whether a person is asked; else a mode agrees."""

    @property
    def file(self) -> Path:
        return self.files / str(self.call.args["path"])

    def tool(self, sandbox: FileSandbox) -> Tool:
        return next(tool for tool in file_tools(sandbox) if tool.name == self.call.tool_name)

    def state(self) -> str:
        """`before` or `after`, and nothing else."""
        found = self.file.read_bytes() if self.file.exists() else None
        assert found in (self.before, self.after), "neither before nor after"
        if self.before is not None:
            assert stat.S_IMODE(self.file.stat().st_mode) == MODE
        return "after" if found == self.after else "before"


class Telling(FileSandbox):
    """Says when a file is held to be changed, and when it was; one root where every change asks."""

    def __init__(self, files: Path, say: Callable[[str], None] = lambda _: None) -> None:
        super().__init__({"": SandboxPath(root=files, mode="rw", write_approval=True)})
        self.say = say
        self.changes = False
        """Whether files are held to be changed now, not only to be looked at."""

    @contextmanager
    def held(self, spot: Spot) -> Generator[Held]:
        with super().held(spot) as held:
            if self.changes:
                self.say("held")
            yield held

    def note(self, permit: Permit | None, before: Identity, after: bytes | None) -> None:
        self.say("changed")
        super().note(permit, before, after)


def planted(folder: Path, number: int, kind: str, *, asks: bool) -> Round:
    """A round of its own: another file and another call."""
    args, after = _wanted(kind)
    path = f"{number}/new/deep/file.txt" if kind == "create" else f"{number}/file.txt"
    tool = "write_file" if kind == "create" else f"{kind}_file"
    here = Round(
        store=folder / str(number // ROUNDS_PER_FILE) / "store.db",
        files=folder / "files",
        call=ToolCall(run=f"run {number}", id=str(number), tool_name=tool, args={"path": path, **args}),
        before=None if kind == "create" else BEFORE.encode(),
        after=after.encode(),
        asks=asks,
    )
    here.files.mkdir(parents=True, exist_ok=True)
    if here.before is not None:
        here.file.parent.mkdir()
        here.file.write_bytes(here.before)
        here.file.chmod(MODE)
    return here


def _wanted(kind: str) -> tuple[dict[str, object], str]:
    match kind:
        case "edit":
            old = f"line {LINES // 2} {SIGN} was\n"
            args: dict[str, object] = {"old_string": old, "new_string": "edited\n", "replace_all": False}
            return args, BEFORE.replace(old, "edited\n")
        case "patch":
            first, last = (f"line {number} {SIGN} was\n" for number in (0, LINES - 1))
            patches = [{"find": first, "replace": "first\n"}, {"find": last, "replace": "last\n"}]
            return {"patches": patches}, BEFORE.replace(first, "first\n").replace(last, "last\n")
        case _:
            return {"content": AFTER}, AFTER


VERSIONS = {BEFORE.encode(), *(_wanted(kind)[1].encode() for kind in KINDS)}
"""All that any of the files may hold."""


def has_unnamed_files(folder: Path) -> bool:
    """Whether this disk can hold a file that has no name yet."""
    try:
        os.close(os.open(folder, os.O_RDWR | os.O_TMPFILE))
    except OSError:
        return False
    return True
