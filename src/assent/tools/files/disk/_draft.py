"""A draft: a new file's bytes, safe on disk before anybody can see them under a name.

Where the disk can, a draft has no name at all until the moment it takes its place: a process that is
killed before leaves nothing behind. Temporary files are never cleaned up after the fact: in the moment
after a swap such a name may hold what somebody else wrote, and no lock of ours can be on that.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import Final, Self

from assent.tools.files.disk._descriptors import content_of, identity
from assent.tools.files.disk._renames import Renames, spare_name

_UNNAMED: Final[int] = getattr(os, "O_TMPFILE", 0)
_NAMED: Final = os.O_RDWR | os.O_CLOEXEC | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_NO_UNNAMED: Final = {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.ENOSYS}
_KEPT_ATTRIBUTES: Final = ("user.", "system.posix_acl_access")


class Draft:
    """A file in a folder that is held open, not yet in the place it is meant for."""

    def __init__(self, folder: int, renames: Renames, *, is_new: bool) -> None:
        self._folder = folder
        self._renames = renames
        self._name = b""
        self._content = b""
        # A new file's mode is what the umask leaves of it; one that replaces another is private until it is dressed.
        mode = 0o666 if is_new else 0o600
        self._fd = -1 if renames.portable or not _UNNAMED else _unnamed(folder, mode)
        if self._fd < 0:
            self._name = spare_name()
            self._fd = os.open(self._name, _NAMED, mode, dir_fd=folder)
        self.identity = identity(os.fstat(self._fd))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            # After a swap the name may hold somebody else's file; only our own is removed here.
            with suppress(OSError):
                if self._name and self._named() == self.identity:
                    os.unlink(self._name, dir_fd=self._folder)
        finally:
            os.close(self._fd)

    def _named(self) -> tuple[int, int]:
        return identity(os.stat(self._name, dir_fd=self._folder, follow_symlinks=False))

    def write(self, content: bytes) -> None:
        """The whole content."""
        self._content = content
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(self._fd, rest) :]

    def dress(self, like: os.stat_result, model: int) -> None:
        """The mode, owner and attributes of the file it is to replace."""
        own = os.fstat(self._fd)
        if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
            for owner in (like.st_uid, -1):
                with suppress(PermissionError):
                    os.fchown(self._fd, owner, like.st_gid)
                    break
        # As when a file is written in place: new content does not run with the old one's privileges.
        os.fchmod(self._fd, stat.S_IMODE(like.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))
        if hasattr(os, "listxattr"):
            self._copy_attributes(model)

    def _copy_attributes(self, model: int) -> None:
        """Access lists and users' attributes, as far as the disk takes them."""
        with suppress(OSError):
            for name in os.listxattr(model):
                if name.startswith(_KEPT_ATTRIBUTES):
                    os.setxattr(self._fd, name, os.getxattr(model, name))

    def sync(self) -> None:
        """Make it survive the loss of power."""
        os.fsync(self._fd)

    def is_untouched(self) -> bool:
        """Whether nobody has written to it since it got its place."""
        return content_of(self._fd, len(self._content)) == self._content

    def take_name(self) -> bytes:
        """A spare name, which a swap needs."""
        if not self._name:
            name = spare_name()
            self._renames.appear(self._fd, self._folder, name)
            self._name = name
        return self._name

    def place(self, free: bytes) -> None:
        """Appear under a name that must be free: `FileExistsError` if it is not."""
        if self._name:
            self._renames.place(self._folder, self._name, self._folder, free)
        else:
            self._renames.appear(self._fd, self._folder, free)


def _unnamed(folder: int, mode: int) -> int:
    try:
        return os.open(".", os.O_RDWR | os.O_CLOEXEC | _UNNAMED, mode, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_UNNAMED:
            return -1
        raise
