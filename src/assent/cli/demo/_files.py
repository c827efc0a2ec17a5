"""The demo's files: what the agent finds, what it may do with it, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from assent.config import Sandbox, SandboxPath, Settings, Shell

_FILES: Final = {
    "handbook/dates.md": "Releases go out on Thursday, at noon.\n",
    "notes/meeting.md": "The release moves to Friday. Ana should know.\n",
    "notes/plan.md": "Freeze on Tuesday\nRelease on Thursday\nBen checks the upgrade guide\n",
    "notes/todo.md": "release on Thursday\nwater the plants\n",
    "private/addresses.md": "Ana, Ben, and 4,000 customers\n",
}


def fill(folder: Path) -> None:
    """A few notes, a handbook, and a folder that is none of the agent's business."""
    for name, text in _FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def settings_in(folder: Path) -> Settings:
    """The agent's places and commands: what is not named here does not exist for its tools."""
    paths = {
        "handbook": SandboxPath(root=folder / "handbook", mode="ro"),
        "notes": SandboxPath(root=folder / "notes", mode="rw"),
    }
    return Settings(sandbox=Sandbox(paths=paths), shell=Shell(preset="read-only"))


def what_became_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Each file, and whether it is new, changed, gone or as it was."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in sorted(there | _FILES.keys()):
        yield name, _fate(folder / name, _FILES.get(name))


def _fate(path: Path, before: str | None) -> str:
    if not path.exists():
        return "gone"
    after = path.read_bytes()
    if before is None:
        return f"new, {len(after)} bytes"
    return "as it was" if after == before.encode() else "changed"
