"""Opening beneath a folder part by part, where the kernel cannot do it in one call.

No link is ever followed by the system: each part is opened with `O_NOFOLLOW` in the folder before
it, and links are expanded here. So what a stranger swaps in is either a folder beneath the root, or
a link that is read and judged like any other.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from typing import Final, Self

from assent.tools.files.disk._descriptors import FOLDER, O_PATH, identity

LINKS: Final = 40
"""As many as Linux follows."""
_STEP: Final = FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC

Inside = Callable[[bytes], bytes | None]
"""What of an absolute link's target lies beneath the root; None if it does not."""
Hangs = Callable[[int], bool]
"""Whether an open folder still hangs beneath the root."""


def walk(root: int, path: bytes, flags: int, *, links: bool, inside: Inside, hangs: Hangs) -> int:
    """An fd of what the path leads to; `OSError` says why not.

    `EXDEV`: it leaves the root. `EAGAIN`: something was moved meanwhile, and another walk may find it.
    """
    followed = 0
    with _Position(root, hangs) as here:
        todo = path.split(b"/")[::-1]
        while todo:
            name = todo.pop()
            if name in {b"", b".", b".."}:
                here.turn(name)
                continue
            last = not any(todo)
            # A slash at the end demands a folder.
            found = here.open(name, flags | (os.O_DIRECTORY if todo else 0)) if last else here.enter(name)
            if isinstance(found, int):
                return here.vouch_for(found)
            if found is None:
                continue
            followed += 1
            if not links or followed > LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            todo.extend(here.expand(found, inside).split(b"/")[::-1])
        return here.vouch_for(os.open(".", flags, dir_fd=here.fd))


class _Position:
    """The folder the walk has come to, and which folders it came through."""

    def __init__(self, root: int, hangs: Hangs) -> None:
        self._root = root
        self._hangs = hangs
        self.fd = root
        self._above: list[tuple[int, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._go(self._root)

    def _go(self, fd: int) -> None:
        if self.fd != self._root:
            os.close(self.fd)
        self.fd = fd

    def turn(self, name: bytes) -> None:
        """Stay, or go back up; never above the root."""
        if name != b"..":
            return
        if not self._above:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        fd = os.open("..", _STEP, dir_fd=self.fd)
        # The folder may have been moved since we entered it: its parent is then not where we came from.
        if identity(os.fstat(fd)) != self._above.pop():
            os.close(fd)
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        self._go(fd)

    def enter(self, name: bytes) -> bytes | None:
        """Go into a folder; or, where there is a link instead, stay and say where it points."""
        try:
            fd = os.open(name, _STEP, dir_fd=self.fd)
        except OSError as error:
            return self._link(name, error)
        self._above.append(identity(os.fstat(self.fd)))
        self._go(fd)
        return None

    def open(self, name: bytes, flags: int) -> int | bytes:
        """The last part, opened; or, where there is a link instead, where it points."""
        try:
            fd = os.open(name, flags | os.O_NOFOLLOW, dir_fd=self.fd)
        except OSError as error:
            return self._link(name, error)
        if not flags & O_PATH or not stat.S_ISLNK(os.fstat(fd).st_mode):
            return fd
        try:
            return os.readlink(b"", dir_fd=fd)
        finally:
            os.close(fd)

    def _link(self, name: bytes, error: OSError) -> bytes:
        """Where the link points that could not be opened; anything else could not be opened either."""
        if error.errno not in {errno.ELOOP, errno.ENOTDIR}:
            raise error
        try:
            return os.readlink(name, dir_fd=self.fd)
        except OSError as no_link:
            if error.errno == errno.ELOOP:  # it was a link a moment ago
                raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from no_link
            raise error from None

    def expand(self, target: bytes, inside: Inside) -> bytes:
        """The way a link leads on from here; an absolute one begins at the root, if it lies beneath."""
        if not target.startswith(b"/"):
            return target
        rest = inside(target)
        if rest is None:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        self._go(self._root)
        self._above.clear()
        return rest

    def vouch_for(self, fd: int) -> int:
        """Hand out what was opened, only if its folder still hangs beneath the root.

        A folder that is moved out after we entered it takes us along; this is where that is seen.
        """
        is_beneath = False
        try:
            is_beneath = self.fd == self._root or self._hangs(self.fd)
        finally:
            if not is_beneath:
                os.close(fd)
        if not is_beneath:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fd
