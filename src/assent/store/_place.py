"""Where a record lies: its file, made for its owner alone, must stay the one that was opened."""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE

from assent.errors import StoreFailed
from assent.store import _forks

_ADDRESSES = ("file:", "sqlite:")
"""What other libraries take for an address; SQLite itself may open something else than is named."""

_Identity = tuple[int, int]
"""Device and number: a path may come to name another file, and several paths the same one."""
_open: list[tuple[int, _Identity]] = []
"""Every file that is open here or was where this process was forked from, and how many forks led there."""


class Place:
    """The file of one record, at its path."""

    def __init__(self, path: str) -> None:
        """Make the file if there is none, before SQLite opens it.

        Raises:
            OSError: no file can be there.
            StoreFailed: it was open when this process was forked.
        """
        if not path or "\0" in path or path.startswith(_ADDRESSES):
            message = "that is no path of a file; give one, such as assent.sqlite3"
            raise OSError(message)
        # Only the owner reads it: the record holds what was proposed, word for word.
        Path(path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        Path(path).touch(mode=0o600)
        self._path = os.path.abspath(path)  # noqa: PTH100 — as it is named, whatever the working directory is later
        self._file = _identity(self._path)
        # SQLite knows in memory what it has locked. A fork inherits that, but not the locks: a new connection to the
        # file would take none, and what is approved once could run twice.
        if any(forks < _forks.count and file == self._file for forks, file in tuple(_open)):
            raise _forks.refusal(path)
        opened = (_forks.count, self._file)
        _open.append(opened)
        self.leave = weakref.finalize(self, _left, opened)

    def check(self) -> None:
        """Look whether the file is where it was: what is written to one that is not, nobody would read.

        Raises:
            StoreFailed: it was removed, or another one is there.
        """
        cause = OSError("another file is there")
        try:
            if _identity(self._path) == self._file:
                return
        except OSError as error:
            cause = error
        message = (
            f"{self._path} was removed or replaced while it was open, so nothing is recorded: "
            "put it back, or open the record again"
        )
        raise StoreFailed(message) from cause

    def keep_private(self) -> None:
        """Take what others may do with the file, if it is ours; a new one is private from the start."""
        # Beside the file itself, not beside a link to it.
        file = os.path.realpath(self._path)
        for each in (file, f"{file}-wal", f"{file}-shm"):
            with suppress(OSError):
                found = os.stat(each)  # noqa: PTH116 — one look for two questions
                if found.st_uid == os.geteuid() and S_IMODE(found.st_mode) & 0o077:
                    # By its path: to open and close the file would let go of SQLite's locks on it.
                    Path(each).chmod(0o600)


def _identity(path: str) -> _Identity:
    found = os.stat(path)  # noqa: PTH116 — at every write
    return found.st_dev, found.st_ino


def _left(opened: tuple[int, _Identity]) -> None:
    """The file is closed; what a fork inherited stays known to it."""
    if opened[0] == _forks.count:
        _open.remove(opened)
