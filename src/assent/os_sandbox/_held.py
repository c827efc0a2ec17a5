"""Folders opened without following links, and stand-ins for masked places that do not exist."""

from __future__ import annotations

import _thread
import errno
import fcntl
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assent.errors import CannotConfine
from assent.os_sandbox._descriptors import close_all

_STEP: Final = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC if hasattr(os, "O_PATH") else 0
# Git reads these as files; everywhere else the stand-in is an empty folder, which git neither
# lists nor adds, no shell reads, and `rmdir` removes only while nobody has put anything into it.
_EMPTY: Final = b"# held by assent while a command runs\n"
_CONTENTS: Final = {"config": _EMPTY, "config.worktree": _EMPTY, "commondir": b".\n"}
# The sticky bit means nothing on a folder of one's own; it tells ours from an empty one of somebody else.
_OUR_MODE: Final = 0o755 | stat.S_ISVTX
_MOST_TRIES: Final = 100
_NOBODY_WRITES: Final = {errno.EACCES, errno.EROFS, errno.EPERM}


def open_place(place: Path) -> int:
    """A descriptor of exactly this place, no link followed: what is swapped in later does not matter.

    Raises:
        CannotConfine: a part of the path is a link.
        OSError: there is no such place.
    """
    fd = os.open("/", _STEP)
    for part in place.parts[1:]:
        try:
            ahead = os.open(part, _STEP, dir_fd=fd)
        finally:
            os.close(fd)
        fd = ahead
        if stat.S_ISLNK(os.fstat(fd).st_mode):
            os.close(fd)
            raise CannotConfine(
                f"{str(place)!r} is, or lies behind, a link ({part!r}), which cannot be held in place; "
                "name the real folder, or replace the link"
            )
    return fd


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """Something empty where nothing is, so that there is something to mount read-only."""

    folder: int
    """The folder it lies in: by its path, a command that runs meanwhile could lead us elsewhere."""
    name: str
    fd: int
    """Holds a shared lock: while anybody holds one, the stand-in stays."""
    content: bytes | None
    """What it holds as a file; none for a folder."""

    def remove(self) -> None:
        """Take it away again, unless another command needs it or somebody made something of it."""
        # Removing it would also take away the mount of every sandbox that has it, and the mask with it.
        with suppress(OSError):
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(self.folder, self.name, self.fd):
                if self.content is None:
                    os.rmdir(self.name, dir_fd=self.folder)
                elif os.pread(self.fd, len(self.content) + 1, 0) == self.content:
                    os.unlink(self.name, dir_fd=self.folder)


def remove_all(stand_ins: list[StandIn]) -> None:
    """Take them all away again; the list is empty afterwards."""
    fds = [fd for each in stand_ins for fd in (each.fd, each.folder)]
    while stand_ins:
        stand_ins.pop().remove()
    if fds:
        # A disk frees a removed folder when its last descriptor is closed, and some take milliseconds for it.
        # Not `threading.Thread`, which waits until the new thread has had its turn.
        _thread.start_new_thread(close_all, (fds,))


def stand_in(place: Path) -> StandIn | None:
    """A stand-in for `place`, made or found; none if something real is there, or nobody can write there.

    Raises:
        CannotConfine: a folder above is a link, or nothing can be put there.
        OSError: there is no such folder.
    """
    folder = open_place(place.parent)
    held: StandIn | None = None
    try:
        held = _stand_in(folder, place)
    finally:
        if held is None:
            os.close(folder)
    return held


def _stand_in(folder: int, place: Path) -> StandIn | None:
    content = _CONTENTS.get(place.name) if _is_git_folder(folder) else None
    for _ in range(_MOST_TRIES):
        try:
            fd = _make(folder, place.name, content)
        except FileExistsError:
            return None
        except FileNotFoundError:
            continue  # removed by its last user between our making and our look
        except OSError as error:
            # Where we cannot make it, neither can a confined process.
            if error.errno in _NOBODY_WRITES:
                return None
            raise
        fcntl.flock(fd, fcntl.LOCK_SH)
        if _is_at(folder, place.name, fd):
            return StandIn(folder=folder, name=place.name, fd=fd, content=content)
        # Removed by its last user between our look and our lock.
        os.close(fd)
    raise CannotConfine(f"{str(place)!r} must not be written, and nothing can be put there to hold it")


def _make(folder: int, name: str, content: bytes | None) -> int:
    """Open the stand-in, made now or left by another command; FileExistsError if it is something real."""
    if content is None:
        with suppress(FileExistsError):
            os.mkdir(name, _OUR_MODE, dir_fd=folder)
        return _opened(folder, name, os.O_DIRECTORY, _is_our_folder)
    with suppress(FileExistsError):
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(name, flags, 0o644, dir_fd=folder)
        os.write(fd, content)
        os.close(fd)
    return _opened(folder, name, 0, lambda fd: os.pread(fd, len(content) + 1, 0) == content)


def _is_our_folder(fd: int) -> bool:
    return bool(os.fstat(fd).st_mode & stat.S_ISVTX) and not os.listdir(fd)


def _opened(folder: int, name: str, flags: int, is_ours: Callable[[int], bool]) -> int:
    try:
        wanted = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | flags
        fd = os.open(name, wanted, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise FileExistsError(name) from error
    if not is_ours(fd):
        os.close(fd)
        raise FileExistsError(name)
    return fd


def _is_at(folder: int, name: str, fd: int) -> bool:
    try:
        there, held = os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(fd)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)


def _is_git_folder(folder: int) -> bool:
    try:
        os.stat("HEAD", dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True
