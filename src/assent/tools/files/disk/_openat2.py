"""The kernel's own way to open beneath a folder: one system call, which no rename gets in between.

Only Linux (5.6 and later) has it; a seccomp filter may hide it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ctypes import _CArgObject  # pyright: ignore[reportPrivateUsage] (the type of what byref makes)

Syscall = Callable[..., int]

_NO_MAGICLINKS: Final = 0x02
_NO_SYMLINKS: Final = 0x04
_BENEATH: Final = 0x08


class _OpenHow(ctypes.Structure):
    """`struct open_how`; the kernel only reads it, so one for each kind of opening serves all threads."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


# Ready-made C values: converting them anew costs a quarter of the whole call. With argtypes it would be more.
NUMBER: Final = ctypes.c_long(437)
SIZE: Final = ctypes.c_size_t(ctypes.sizeof(_OpenHow))


@cache
def how(flags: int, *, links: bool) -> _CArgObject:
    """The kernel's order form: beneath, no magic links, and no links at all unless `links`."""
    resolve = _BENEATH | _NO_MAGICLINKS | (0 if links else _NO_SYMLINKS)
    return ctypes.byref(_OpenHow(flags=flags, mode=0, resolve=resolve))


@cache
def openat2() -> Syscall | None:
    """`syscall`, to be called with NUMBER, folder, path, order form, SIZE; None where the kernel has no openat2."""
    if sys.platform != "linux":
        return None
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_int
    # A real call: what is missing answers ENOSYS, what a seccomp filter hides EPERM.
    fd: int = syscall(NUMBER, ctypes.c_long(-100), b".", how(os.O_PATH | os.O_CLOEXEC, links=True), SIZE)
    if fd < 0:
        return None
    os.close(fd)
    return syscall
