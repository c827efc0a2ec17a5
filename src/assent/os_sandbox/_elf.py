"""Small programs for x86-64, put together from listings: nothing to compile, and nothing on the disk.

Each line of a listing has a label, the bytes, and what they do; `>name` is the distance to a label or to
data, `=name` a number or the length of data.
"""

from __future__ import annotations

import fcntl
import os
import platform
import struct
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import Final

from assent.os_sandbox._descriptors import fill

_MACHINE: Final = "x86_64"
_AT: Final = 0x400000
_PAGE: Final = 0x1000
_PATIENCE: Final = 20.0
_EXECUTABLE: Final = 0x10
"""MFD_EXEC: kernels from Linux 6.3 on may give files in memory no right to be executed unless they are asked."""
_NOTHING: Final = """
         | 31 ff 6a 3c 58 0f 05      | exit(0)
"""


@cache
def knows_this_machine() -> bool:
    """Whether such a program means anything to it, and may be started from memory: tried, once."""
    if platform.machine() != _MACHINE:
        return False
    fd = -1
    try:
        fd = room_for_program()
        argv = put_program(fd, elf(_NOTHING, {}, {}))
        return subprocess.run([argv], env={}, pass_fds=(fd,), timeout=_PATIENCE, check=False).returncode == 0  # noqa: S603 (ours)
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        if fd >= 0:
            os.close(fd)


def room_for_program() -> int:
    """An empty file that exists only as a descriptor, and may be executed.

    Raises:
        OSError: this machine executes nothing from memory.
    """
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    try:
        return os.memfd_create("assent", flags | _EXECUTABLE)
    except PermissionError:
        raise
    except OSError:
        # An older kernel does not know the flag, and needs none.
        return os.memfd_create("assent", flags)


def put_program(fd: int, content: bytes) -> str:
    """Write the program, so that nobody can change it any more; by what name the descriptor's holder starts it."""
    fill(fd, content)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
    return f"/proc/self/fd/{fd}"


def elf(listing: str, data: Mapping[str, bytes], numbers: Mapping[str, int]) -> bytes:
    """The program of the listing, with the data behind it and the numbers put in."""
    return _file(_code(listing, data, {name: len(text) for name, text in data.items()} | dict(numbers)))


@cache
def _words(listing: str) -> tuple[tuple[str, ...], Mapping[str, int], int]:
    """The listing as bytes, distances and numbers, where its labels are, and where it ends."""
    words: list[str] = []
    labels: dict[str, int] = {}
    end = 0
    for line in filter(None, listing.splitlines()):
        label, code, _ = line.split("|")
        labels[label.strip()] = end
        words += code.split()
        end += sum(4 if word[0] in "=>" else 1 for word in code.split())
    return tuple(words), labels, end


def _code(listing: str, data: Mapping[str, bytes], numbers: Mapping[str, int]) -> bytes:
    words, labels, end = _words(listing)
    where = dict(labels)
    for name, text in data.items():
        where[name] = end
        end += len(text)
    code = bytearray()
    for word in words:
        match word[0]:
            case "=":
                code += struct.pack("<I", numbers[word[1:]])
            case ">":
                # It is always an instruction's last part, and counted from the next one.
                code += struct.pack("<i", where[word[1:]] - len(code) - 4)
            case _:
                code.append(int(word, 16))
    return bytes(code) + b"".join(data.values())


def _file(code: bytes) -> bytes:
    """The code as an ELF file, which the kernel can start: nothing of it is writable, and no stack executable."""
    head = 64 + 2 * 56
    size = head + len(code)
    about = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, _AT + head, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    loaded = struct.pack("<IIQQQQQQ", 1, 5, 0, _AT, _AT, size, size, _PAGE)
    stack = struct.pack("<IIQQQQQQ", 0x6474E551, 6, 0, 0, 0, 0, 0, 16)
    return about + loaded + stack + code
