"""Descriptors that a new process gets, and that nobody else keeps."""

from __future__ import annotations

import os


def in_memory(content: bytes) -> int:
    """A file that exists only as a descriptor, ready to be read from its start."""
    fd = os.memfd_create("assent", os.MFD_CLOEXEC)
    fill(fd, content)
    return fd


def fill(fd: int, content: bytes) -> None:
    """Write all of it into an empty file, ready to be read from its start."""
    left = memoryview(content)
    while left:
        left = left[os.write(fd, left) :]
    os.lseek(fd, 0, os.SEEK_SET)


def close_all(*lists: list[int]) -> None:
    """Close them, each once, however often this is called."""
    for fds in lists:
        while fds:
            os.close(fds.pop())
