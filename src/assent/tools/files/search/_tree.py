"""Going through a tree by open folders only: what is swapped for a link on the way is not entered.

No path is ever handed to the system, only a name below a folder that is already open, and no link is
followed. Links are left out altogether, to files and to folders, also those that stay inside: what they
lead to is found where it really lies. What vanishes or may not be read is passed over.

Nothing heavy is imported here: the search process, which starts for every search, uses it too.
"""

from __future__ import annotations

import os
import re
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    from assent.tools.files.search._glob import Glob, Name, Place
    from assent.tools.files.search._values import Suffixes

    Found: TypeAlias = Callable[[str, list[os.DirEntry[str]]], None]
    Tails: TypeAlias = tuple[str, ...] | None

MOST_FOLDERS = 100
"""How deep folders may lie in each other; each one on the way is kept open, and open files are few."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not blocking: a pipe nobody writes to would otherwise hold us when it is opened.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
# Most files are read in one go; of a binary one of some size, hardly more than its first bytes.
_FIRST = 1 << 10
_SMALL = 1 << 16
_HEAD = 1 << 19
_PIECE = 1 << 22
_OURS = re.compile(r"\.assent-[0-9a-f]+\.tmp").fullmatch


class Reach:
    """Which files below a folder may be looked at; files we are in the middle of writing are none."""

    __slots__ = ("_glob", "_nested", "_suffixes")

    def __init__(self, glob: Glob, *, suffixes: Suffixes = None, nested: Mapping[str, Suffixes] | None = None) -> None:
        self._glob = glob
        self._suffixes = _tails(suffixes)
        # By their paths with a slash behind.
        self._nested = {f"{path}/": _tails(others) for path, others in (nested or {}).items()}

    def admits(self, path: str) -> bool:
        """Whether `walk` would find this file, if it is there."""
        names = path.split("/")
        if len(names) > MOST_FOLDERS + 1 or not all(names) or not {".", ".."}.isdisjoint(names):
            return False
        inside = [folder for folder in self._nested if path.startswith(folder)]
        tails = self._nested[max(inside, key=len)] if inside else self._suffixes
        return (tails is None or path.endswith(tails)) and not _is_ours(names[-1]) and self._glob.matches(path)

    def walk(self, folder: int, found: Found) -> None:
        """Call `found` for every folder that has some, with the start of their paths and the regular files."""
        # Opened anew: two who read one open folder at a time would share their place in it.
        self._enter(folder, ".", "", self._glob.start, self._suffixes, MOST_FOLDERS, found)

    def _enter(
        self, folder: int, name: str, prefix: str, place: Place, tails: Tails, deeper: int, found: Found
    ) -> None:
        try:
            inner = os.open(name, _FOLDER, dir_fd=folder)
        except OSError:
            return  # no folder any more, or closed to us
        try:
            files, below = _read(inner, self._glob.accepts(place), tails)
            if files:
                found(prefix, files)
            for one in below if deeper else ():
                next_place = self._glob.enter(place, one)
                if next_place:
                    path = f"{prefix}{one}/"
                    others = self._nested.get(path, tails) if self._nested else tails
                    self._enter(inner, one, path, next_place, others, deeper - 1, found)
        finally:
            os.close(inner)


def _read(folder: int, fits: Name | None, tails: Tails) -> tuple[list[os.DirEntry[str]], list[str]]:
    """The files of an open folder that may be looked at, and the names of the folders in it."""
    files: list[os.DirEntry[str]] = []
    below: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if fits and fits(name) and entry.is_file(follow_symlinks=False):
                if (tails is None or name.endswith(tails)) and (name[0] != "." or not _is_ours(name)):
                    files.append(entry)
            elif entry.is_dir(follow_symlinks=False):
                below.append(name)
    return files, below


def _tails(suffixes: Suffixes) -> Tails:
    return None if suffixes is None else tuple(suffixes)


def _is_ours(name: str) -> bool:
    return name.startswith(".assent-") and _OURS(name) is not None


class Reader:
    """Reads files below a folder by their paths; folders stay open as long as neighbours come."""

    __slots__ = ("_at", "_folder", "_last", "_open")

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._open: list[tuple[str, int]] = []
        self._last: str | None = None
        self._at = folder

    def read(self, path: str, *, most: int) -> bytes | None:
        """The whole of a regular file of at most `most` bytes; None for anything else, or binary."""
        folder, _, name = path.rpartition("/")
        try:
            if folder != self._last:
                self._last = None
                self._at = self._reach(folder.split("/") if folder else [])
                self._last = folder
            file = os.open(name, _FILE, dir_fd=self._at)
        except OSError:
            return None
        try:
            return _text(file, most)
        except OSError:
            return None
        finally:
            os.close(file)

    def close(self) -> None:
        """Let go of every folder."""
        self._last = None
        self._shorten(0)

    def _reach(self, folders: list[str]) -> int:
        """The open folder at the end of `folders`, each opened in the one before, no link followed."""
        same = 0
        for (name, _), wanted in zip(self._open, folders, strict=False):
            if name != wanted:
                break
            same += 1
        self._shorten(same)
        folder = self._open[-1][1] if self._open else self._folder
        for name in folders[same:]:
            folder = os.open(name, _FOLDER, dir_fd=folder)
            self._open.append((name, folder))
        return folder

    def _shorten(self, length: int) -> None:
        while len(self._open) > length:
            os.close(self._open.pop()[1])


class Limit:
    """How large a file may be that is read, by where it lies."""

    __slots__ = ("_most", "_nested")

    def __init__(self, most: int, nested: Mapping[str, int]) -> None:
        self._most = most
        # The deepest first: it counts.
        self._nested = [(f"{path}/", nested[path]) for path in sorted(nested, key=len, reverse=True)]

    def at(self, path: str) -> int:
        """The bytes a file of this path may have."""
        if not self._nested:
            return self._most
        inner = next((most for folder, most in self._nested if path.startswith(folder)), self._most)
        return min(inner, self._most)


def in_order(paths: Iterable[str]) -> list[str]:
    """Sorted by the bytes of the paths."""
    given = list(paths)
    # The same order, but for names that are no UTF-8.
    return sorted(given) if all(map(str.isascii, given)) else sorted(given, key=os.fsencode)


def _text(file: int, most: int) -> bytes | None:
    """What an open file holds, unless it is too large, not regular, or has a NUL byte."""
    status = os.fstat(file)
    length = status.st_size
    if not stat.S_ISREG(status.st_mode) or length > most:
        return None
    if length > _SMALL and b"\0" in os.pread(file, _FIRST, 0):
        return None
    head = os.read(file, min(length, _HEAD) + 1)
    if b"\0" in head:
        return None
    if len(head) == length <= _HEAD:
        return head
    pieces, size = [head], len(head)
    while piece := os.read(file, min(max(length - size, 0) + 1, _PIECE)):
        size += len(piece)
        # It may grow while it is read; the limit holds for what was read.
        if size > most or b"\0" in piece:
            return None
        pieces.append(piece)
    return b"".join(pieces)
