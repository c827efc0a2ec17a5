"""What an open file or folder tells about itself, whatever happens to its name."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

O_PATH: Final[int] = getattr(os, "O_PATH", 0)
"""Hold it without opening it: a pipe's writer is not woken, a device not started. 0 where there is no such thing."""
FOLDER: Final = O_PATH | os.O_DIRECTORY
_CHUNK: Final = 1 << 20
_F_GETPATH: Final = 50
_F_GETPATH_BYTES: Final = 1024


def identity(found: os.stat_result) -> tuple[int, int]:
    """What tells one file or folder from every other."""
    return found.st_dev, found.st_ino


@contextmanager
def opened(fd: int) -> Generator[int]:
    """An fd that is closed at the end."""
    try:
        yield fd
    finally:
        os.close(fd)


def path_of(fd: int) -> bytes:
    """Where it is now, as the system itself knows it; a deleted file's path ends in ` (deleted)` on Linux."""
    if sys.platform == "darwin":
        import fcntl

        return fcntl.fcntl(fd, _F_GETPATH, bytes(_F_GETPATH_BYTES)).rstrip(b"\0")
    return os.readlink(b"/proc/self/fd/%d" % fd)  # noqa: PTH115 (bytes: a name need not be text)


def reopened(fd: int, flags: int) -> int:
    """The very file that is held as `O_PATH`, opened for use: no name is looked up again."""
    return os.open(b"/proc/self/fd/%d" % fd, flags) if O_PATH else os.dup(fd)


def content_of(fd: int, most: int) -> bytes:
    """All bytes of an open file, but never more than one above `most`."""
    chunks: list[bytes] = []
    size = 0
    while size <= most and (chunk := os.pread(fd, min(_CHUNK, most + 1 - size), size)):
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)
