"""A slot: one name in a folder held open, and the moves that never lose what a stranger put there."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from assent.errors import FileError
from assent.tools.files.disk._descriptors import FOLDER, identity, opened
from assent.tools.files.disk._failures import changed
from assent.tools.files.disk._renames import spare_name
from assent.tools.files.disk._root import Root
from assent.tools.files.disk._spelling import decoded

_ATTEMPTS: Final = 16

IsOurs = Callable[[os.stat_result], bool]
"""Whether a file is the one we wrote, with nothing added to it."""


class Slot:
    """Where a file is or will be: the folder by its fd, the name in it, and the path that leads there."""

    def __init__(self, root: Root, fd: int, folder: str, name: bytes) -> None:
        self._root = root
        self.renames = root.renames
        self.fd = fd
        self.folder = folder
        self.name = name
        self.real = f"{folder}/{decoded(name)}" if folder else decoded(name)

    def found(self, name: bytes | None = None) -> os.stat_result | None:
        """What has the name now, links not followed."""
        try:
            return os.stat(self.name if name is None else name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def check(self) -> None:
        """Refuse if the folder is no longer the one that its path leads to beneath the root.

        Raises:
            ChangedSinceApproval: It was moved, replaced or removed.
        """
        try:
            with opened(self._root.open(self.folder or ".", FOLDER, links=False)) as now:
                same = identity(os.fstat(now)) == identity(os.fstat(self.fd))
        except FileError as error:
            raise changed(self.real, "lies in a folder that was moved or replaced") from error
        if not same:
            raise changed(self.real, "lies in a folder that was moved or replaced")

    def take(self) -> bytes:
        """Give whatever has the name a spare one; `FileNotFoundError` if nothing has."""
        return self.renames.take(self.fd, self.name)

    def withdraw(self, is_ours: IsOurs) -> str:
        """Take back what we put here; if it is not ours any more, it stays. The path of what was kept aside."""
        try:
            spare = self.take()
        except FileNotFoundError:
            return ""
        if (found := self.found(spare)) and is_ours(found):
            os.unlink(spare, dir_fd=self.fd)
            return ""
        return self.put_back(spare)

    def put_back(self, spare: bytes) -> str:
        """Give the name back to what was taken; if it has a new owner, keep it aside and say where."""
        try:
            self.renames.place(self.fd, spare, self.fd, self.name)
        except OSError:
            return self._keep(spare)
        return ""

    def give_back(self, spare: bytes, is_ours: IsOurs) -> str:
        """Undo a swap that brought out a stranger's file; the path of what had to be kept aside.

        What comes out now should be ours. If it is not, a stranger has put yet another file there since:
        that one is the newest and gets its place back, and the one between them is kept beside it,
        because nobody has seen it.
        """
        try:
            if not self._return(spare):
                return ""
            if (found := self.found(spare)) and is_ours(found):
                os.unlink(spare, dir_fd=self.fd)
                return ""
            return self._keep(spare) if self._return(spare) else ""
        except OSError:
            return self._keep(spare)

    def _return(self, spare: bytes) -> bool:
        """Put what was taken back; True if something else came out in exchange."""
        for _ in range(_ATTEMPTS):
            try:
                return self.renames.swap(self.fd, spare, self.name)
            except FileNotFoundError:
                # Removed meanwhile; whoever did that had not seen what we took.
                with suppress(FileExistsError):
                    self.renames.place(self.fd, spare, self.fd, self.name)
                    return False
        raise FileExistsError

    def _keep(self, spare: bytes) -> str:
        kept = spare_name("kept")
        try:
            os.rename(spare, kept, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        except OSError:
            kept = spare
        return f"{self.folder}/{decoded(kept)}" if self.folder else decoded(kept)

    def sync(self) -> None:
        """Make the change of names durable."""
        # It is already made: an error here would say that it was not.
        with suppress(OSError), opened(os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.fd)) as fd:
            os.fsync(fd)
