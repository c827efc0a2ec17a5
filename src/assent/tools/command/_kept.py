"""Long outputs in files: a folder for each run, for this user only, and the old ones swept away."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOST_KEPT: Final = 4 * 2**30
"""The most that is written to a file: an endless output must not fill the disk."""
KEPT_FOR: Final = 7 * 24 * 3600.0
"""Seconds a file stays after it was last written."""
_OF_A_RUN: Final = "run-"
_OF_A_CALL: Final = "call-"
_MOST_OF_A_NAME: Final = 40
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The folder with the long outputs of every run."""

    place: Path
    for_agents: bool
    """Whether the agent's own tools can read there."""

    def file_for(self, run: str, name: str, *, most: int = MOST_KEPT) -> Kept:
        """A file in the run's own folder, made when there is something to write."""
        return Kept(self, self.place / _name_of(run), _plain(name), most)

    def sweep(self, before: float) -> None:
        """Remove what nobody has written to since then; nothing but folders and files of ours, and no link."""
        with suppress(OSError), _opened(self.place) as shelf:
            for name in os.listdir(shelf):  # noqa: PTH208 (by descriptor, so that it is this very folder)
                if name.startswith(_OF_A_RUN):
                    with suppress(OSError):
                        _sweep(name, shelf, before)


class Kept:
    """A file with all of one output; a disk that takes no more ends it, not the command."""

    def __init__(self, shelf: Shelf, folder: Path, name: str, most: int) -> None:
        self.file: Path | None = None
        self._shelf = shelf
        self._folder = folder
        self._name = name
        self._most = most
        self._fd = -1
        self._written = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write as much of it as may be kept."""
        with memoryview(data) as view:
            rest = view[: self._most - self._written]
            try:
                if self._fd < 0 and rest:
                    self._open()
                while rest:
                    done = os.write(self._fd, rest)
                    self._written += done
                    rest = rest[done:]
            except OSError:
                self._most = self._written

    def note(self, total: int) -> str:
        """Where it is, and who can read it there."""
        if not self._written:
            return "they could not be kept in a file"
        kept = "all of it" if self._written == total else f"the first {self._written} bytes"
        if self._shelf.for_agents:
            return f"{kept}: {self.file}"
        return f"{kept}: {self.file}, which only the operator can read; to see more, run it again and write less"

    def close(self) -> None:
        """Nothing more will be written."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def discard(self) -> None:
        """Take the file away again."""
        self.close()
        if self.file is not None:
            self.file.unlink(missing_ok=True)
            self.file = None

    def _open(self) -> None:
        self._shelf.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        # A name nobody can foresee, beneath folders that are ours: no other file can lie in its place.
        name = f"{_OF_A_CALL}{self._name}-{secrets.token_hex(4)}.txt"
        with _opened(self._shelf.place) as shelf, _opened(self._folder.name, shelf) as folder:
            self._fd = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
        self.file = self._folder / name


def _name_of(run: str) -> str:
    # Two runs whose names differ only in what no file name holds must not share a folder.
    return f"{_OF_A_RUN}{_plain(run)}-{hashlib.sha256(run.encode(errors='surrogatepass')).hexdigest()[:8]}"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text)[:_MOST_OF_A_NAME]


def _sweep(name: str, shelf: int, before: float) -> None:
    with _opened(name, shelf) as folder:
        unused = os.fstat(folder).st_mtime < before
        for each in os.listdir(folder):  # noqa: PTH208 (by descriptor)
            found = os.stat(each, dir_fd=folder, follow_symlinks=False)
            if each.startswith(_OF_A_CALL) and stat.S_ISREG(found.st_mode) and found.st_mtime < before:
                os.unlink(each, dir_fd=folder)
    if unused:
        # Fails if anything is left in it, and then it stays.
        os.rmdir(name, dir_fd=shelf)


@contextmanager
def _opened(place: Path | str, within: int | None = None) -> Generator[int]:
    """A folder of this user, itself and no link to it.

    Raises:
        OSError: it is not there, is no folder, or belongs to somebody else.
    """
    fd = os.open(place, _FOLDER, dir_fd=within)
    try:
        if os.fstat(fd).st_uid != os.geteuid():
            raise PermissionError(f"{os.fspath(place)!r} belongs to another user")
        yield fd
    finally:
        os.close(fd)
