"""Renames that never overwrite what nobody looked at: trade two names, or take a name that is free."""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Final

_NOREPLACE: Final = 1
_EXCHANGE: Final = 2
# Not in this kernel, hidden by a seccomp filter, or not on this kind of disk.
_MISSING: Final = {errno.ENOSYS, errno.EPERM, errno.EINVAL, errno.EOPNOTSUPP}
_NO_HARD_LINKS: Final = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK}


def spare_name(ending: str = "tmp") -> bytes:
    """A name of ours that nobody can guess."""
    return f".assent-{secrets.token_hex(8)}.{ending}".encode()


@cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    if sys.platform != "linux":
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return function


class Renames:
    """What `renameat2` does in one step, and the nearest to it where there is none."""

    def __init__(self, *, portable: bool = False) -> None:
        self.portable = portable
        self._call = None if portable else _renameat2()

    def appear(self, unnamed: int, folder: int, free: bytes) -> None:
        """Give an unnamed file a name that is free: `FileExistsError` if it is not."""
        os.link(b"/proc/self/fd/%d" % unnamed, free, dst_dir_fd=folder, follow_symlinks=True)

    def take(self, folder: int, name: bytes) -> bytes:
        """Give whatever has the name a spare one, and say which; `FileNotFoundError` if nothing has."""
        spare = spare_name()
        os.rename(name, spare, src_dir_fd=folder, dst_dir_fd=folder)
        return spare

    def place(self, here: int, name: bytes, there: int, free: bytes) -> None:
        """Give a file of ours another name, which must be free: `FileExistsError` if it is not."""
        if self._in_one_step(here, name, there, free, _NOREPLACE):
            return
        try:
            os.link(name, free, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            _rename_if_free(here, name, there, free)
        else:
            os.unlink(name, dir_fd=here)

    def move(self, here: int, name: bytes, there: int, free: bytes) -> bool:
        """Move a file to a name that is free; False where that takes more than one step."""
        try:
            return self._in_one_step(here, name, there, free, _NOREPLACE)
        except OSError as error:
            if error.errno == errno.EXDEV:
                return False
            raise

    def swap(self, folder: int, ours: bytes, theirs: bytes) -> bool:
        """Trade two names; False where what stood at `theirs` could not be kept at `ours`."""
        if self._in_one_step(folder, ours, folder, theirs, _EXCHANGE):
            return True
        # The old file gets a second name first, so that it can be given back. What a stranger puts in
        # its place between these lines is lost: this disk has no better way.
        aside = spare_name()
        try:
            os.link(theirs, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.rename(ours, theirs, src_dir_fd=folder, dst_dir_fd=folder)
            return False
        try:
            os.rename(ours, theirs, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            os.unlink(aside, dir_fd=folder)
            raise
        os.rename(aside, ours, src_dir_fd=folder, dst_dir_fd=folder)
        # Between two names of one file, a rename does nothing, not even remove the first.
        with suppress(FileNotFoundError):
            os.unlink(aside, dir_fd=folder)
        return True

    def _in_one_step(self, here: int, name: bytes, there: int, other: bytes, flags: int) -> bool:
        if self._call is None:
            return False
        if self._call(here, name, there, other, flags) == 0:
            return True
        number = ctypes.get_errno()
        if number in _MISSING:
            return False
        raise OSError(number, os.strerror(number))


def _rename_if_free(here: int, name: bytes, there: int, free: bytes) -> None:
    try:
        os.stat(free, dir_fd=there, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(name, free, src_dir_fd=here, dst_dir_fd=there)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
