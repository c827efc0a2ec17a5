"""A root: a folder opened once, and the only way to what lies beneath it.

Every path is resolved by the kernel (`openat2`, `RESOLVE_BENEATH`) or by our own walk, from the open
folder on: no path is checked first and used afterwards, so there is nothing to swap in between. Both
ways answer alike for every tree.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from pathlib import Path
from typing import Final, Literal

from assent.errors import ConfigError, FileError, IsDirectory, NoSuchFile, NotRegularFile, PathNotInSandboxError
from assent.tools.files.disk._descriptors import FOLDER, O_PATH, identity, opened, path_of, reopened
from assent.tools.files.disk._failures import failure
from assent.tools.files.disk._making import make_folders, reach
from assent.tools.files.disk._openat2 import NUMBER, SIZE, how, openat2
from assent.tools.files.disk._renames import Renames
from assent.tools.files.disk._spelling import check_spelling, decoded, encoded, shown
from assent.tools.files.disk._walk import walk

__all__ = ["Root", "Way", "check_regular", "check_spelling"]

Way = Literal["openat2", "walk"]
"""How paths are resolved; `walk` uses nothing that only Linux has, for writing too."""

_ALLOWED: Final = os.O_RDONLY | os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_DIRECTORY | O_PATH | os.O_CLOEXEC
_ATTEMPTS: Final = 16
_DELETED: Final = b" (deleted)"


class Root:
    """A folder no path gets out of."""

    def __init__(self, path: Path, *, way: Way | None = None) -> None:
        self.fd = _opened(path)
        """The folder itself, as `O_PATH`."""
        self.path = _real(self.fd)
        """Where it was when it was opened, with every link resolved."""
        self._places = _prefixes(path, self.path)
        self._syscall = None if way == "walk" else openat2()
        if way == "openat2" and self._syscall is None:
            self.close()
            raise ConfigError("This kernel has no openat2; leave the way open, or choose walk.")
        self.way: Way = "openat2" if self._syscall else "walk"
        self._number = ctypes.c_long(self.fd)
        self._reading = _HOW[os.O_RDONLY, True]
        self.renames = Renames(portable=way == "walk")
        """How names are changed beneath this root."""

    def close(self) -> None:
        """Let go of the folder; what was opened beneath it stays open."""
        if self.fd >= 0:
            os.close(self.fd)
            # The number may soon be another file's: nothing is ever looked up beneath that one.
            self.fd = -1
            self._number = ctypes.c_long(-1)

    def open(self, relative: str, flags: int = os.O_RDONLY, *, links: bool = True) -> int:
        """An fd of what the path leads to beneath this root; never blocks, never creates.

        `links=False` refuses a path with any symbolic link in it.

        Raises:
            PathNotInSandboxError: It leads out of the root.
            FileError: It does not exist, or cannot be opened; the class says which.
        """
        path = encoded(relative)
        syscall = self._syscall
        if syscall is not None:
            order = self._reading if links and not flags else _HOW[flags, links]
            fd = syscall(NUMBER, self._number, path, order, SIZE)
            if fd >= 0:
                return fd
        return self._open_patiently(relative, path, flags, links=links)

    def _open_patiently(self, relative: str, path: bytes, flags: int, *, links: bool) -> int:
        number = self._ask_kernel(path, flags, links=links) if self._syscall else -errno.EXDEV
        # EXDEV: the kernel follows no absolute link, not even one that stays inside; ours is the last word.
        # EAGAIN: a rename anywhere while a .. was resolved; the walk does not mind what is elsewhere.
        if number in {-errno.EXDEV, -errno.EAGAIN}:
            number = self._ask_walk(path, flags, links=links)
        if number < 0:
            raise failure(-number, relative, flags=flags)
        return number

    def _ask_kernel(self, path: bytes, flags: int, *, links: bool) -> int:
        """An fd, or the error's number below zero."""
        assert self._syscall is not None  # noqa: S101 (the caller looked)
        number = 0
        for _ in range(_ATTEMPTS):
            fd = self._syscall(NUMBER, self._number, path, _HOW[flags, links], SIZE)
            if fd >= 0:
                return fd
            number = ctypes.get_errno()
            if number not in {errno.EAGAIN, errno.EINTR}:
                break
        return -number

    def _ask_walk(self, path: bytes, flags: int, *, links: bool) -> int:
        """An fd, or the error's number below zero."""
        number = 0
        for _ in range(_ATTEMPTS):
            try:
                return walk(self.fd, path, _wanted(flags), links=links, inside=self._inside, hangs=self._hangs)
            except OSError as error:
                number = error.errno or errno.EIO
            if number != errno.EAGAIN:
                break
        return -number

    def _inside(self, target: bytes) -> bytes | None:
        parts = [part for part in target.split(b"/") if part not in {b"", b"."}]
        for place in self._places:
            if parts[: len(place)] == place:
                # The slash at the end, which demands a folder, is kept.
                return b"/".join([*parts[len(place) :], *([b""] if target.endswith((b"/", b"/.")) else [])]) or b"."
        return None

    def _hangs(self, folder: int) -> bool:
        try:
            self.where(folder)
        except PathNotInSandboxError:
            return False
        return True

    def regular(self, relative: str) -> int:
        """A regular file, open for reading; anything else is not even opened.

        Raises:
            IsDirectory, NotRegularFile: It is something else.
            FileError: as for `open`.
        """
        fd = self.open(relative, O_PATH)
        try:
            check_regular(relative, os.fstat(fd))
            return self.for_reading(relative, fd)
        finally:
            os.close(fd)

    def for_reading(self, relative: str, fd: int) -> int:
        """The very file that `open` found, in an fd that can be read."""
        try:
            return reopened(fd, _wanted(os.O_RDONLY))
        except OSError as error:
            raise failure(error.errno or errno.EIO, relative) from error

    def where(self, fd: int) -> str:
        """The real path of an open file or folder, relative to this root; "" is the root itself.

        Raises:
            PathNotInSandboxError: It was deleted, or moved out of the root.
        """
        for _ in range(_ATTEMPTS):
            top = self._path_of(self.fd)
            path = self._path_of(fd)
            if self._path_of(self.fd) == top:  # else the root itself was moved in between
                break
        else:
            raise FileError("The root is being moved all the time; try again when it stays where it is.")
        above = top.rstrip(b"/") + b"/"
        if path == top and os.fstat(fd).st_nlink:
            return ""
        relative = decoded(path.removeprefix(above))
        if not path.startswith(above) or (path.endswith(_DELETED) and not self._leads_to(relative, fd)):
            raise PathNotInSandboxError(
                f"{shown(decoded(path))} is no longer beneath its root: it was moved or deleted meanwhile. Look again."
            )
        return relative

    def _path_of(self, fd: int) -> bytes:
        try:
            return path_of(fd)
        except OSError as error:
            raise FileError(f"The system does not say where an open file is: {error.strerror}.") from error

    def _leads_to(self, relative: str, fd: int) -> bool:
        """Whether the name ends in ` (deleted)` because it is called so."""
        try:
            with opened(self.open(relative, O_PATH, links=False)) as found:
                return identity(os.fstat(found)) == identity(os.fstat(fd))
        except FileError:
            return False

    def folder(self, relative: str, *, create: bool = False) -> int:
        """A folder, open for listing; with `create`, missing ones on the way are made.

        Raises:
            NotDirectory: It is something else.
            WriteFailed: A folder could not be made.
            FileError: as for `open`.
        """
        try:
            return self.open(relative, os.O_DIRECTORY)
        except NoSuchFile:
            if not create:
                raise
        base, missing = reach(self, relative)
        with opened(base), opened(make_folders(self, base, missing, relative)) as made:
            return os.open(".", _wanted(os.O_DIRECTORY), dir_fd=made)


def check_regular(relative: str, found: os.stat_result) -> None:
    """Refuse what is not a regular file."""
    if stat.S_ISDIR(found.st_mode):
        raise IsDirectory(f"{shown(relative)} is a folder; name a file in it.")
    if not stat.S_ISREG(found.st_mode):
        raise NotRegularFile(f"{shown(relative)} is a pipe, device or socket; only regular files can be opened.")


def _wanted(flags: int) -> int:
    """The flags, with what every opening has: no child inherits it, no pipe blocks, no terminal takes over."""
    if flags & ~_ALLOWED:
        raise ValueError(f"only existing files are opened here, and links are refused by links=False: {flags:#o}")
    return flags | os.O_CLOEXEC | (0 if O_PATH and flags & O_PATH else os.O_NOCTTY | os.O_NONBLOCK)


def _opened(path: Path) -> int:
    try:
        return os.open(path, FOLDER | os.O_CLOEXEC)
    except NotADirectoryError as error:
        raise ConfigError(f"The root {path} is not a folder; name a folder, or remove what is in its place.") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(
            f"The root {path} cannot be opened ({why}); create the folder or correct its path."
        ) from error


def _real(fd: int) -> Path:
    try:
        return Path(os.fsdecode(path_of(fd)))
    except OSError as error:
        os.close(fd)
        raise ConfigError(f"The system does not say where open files are ({error}); mount /proc.") from error


def _prefixes(configured: Path, real: Path) -> list[list[bytes]]:
    """The parts of each absolute path that means this root."""
    absolute = configured if configured.is_absolute() else Path.cwd() / configured
    paths = [real] if ".." in absolute.parts else [real, absolute]
    return [[os.fsencode(part) for part in path.parts[1:]] for path in paths]


class _Hows(dict[tuple[int, bool], object]):
    """The kernel's order form for each way of opening, made when it is first wanted."""

    def __missing__(self, key: tuple[int, bool]) -> object:
        flags, links = key
        self[key] = made = how(_wanted(flags), links=links)
        return made


_HOW: Final = _Hows()
