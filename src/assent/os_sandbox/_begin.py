"""The guard as a program of some hundred bytes, for x86-64: a shell takes longer than the walls.

It does what the script in `_guard` does; `_elf` says how the listing reads.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from assent.os_sandbox._elf import elf

_LISTING: Final = """
         | 48 8d 1d >places          | rbx: the first place where the program may lie
look     | 48 89 df                  | rdi = rbx
         | 6a 01 5e 6a 15 58 0f 05   | access(rdi, X_OK)
         | 85 c0 0f 84 >found        | it can be executed
         | e8 >next 0f 85 >look      | the next place, if there is one
         | 48 8d 35 >missing         | rsi: what to say
         | ba =missing               | edx: its length
         | bd 7f 00 00 00 e9 >fail   | ends with 127
found    | 48 8d 3d >self e8 >filters| rax: how many filters we have
         | 49 89 c4                  | r12 = rax
until    | 6a 18 58 0f 05            | sched_yield()
         | 48 8d 3d >init e8 >filters| rax: how many the first process has
         | 4c 39 e0 0f 85 >until     | other than ours: it is not tied yet
         | bf =told 48 8d 35 >tied   |
         | ba =tied                  |
         | 6a 01 58 0f 05            | write(told, tied)
         | 39 d0 0f 85 >gone         | not all of it was written
         | bf =go 48 8d 74 24 80     | rsi: below the stack
         | 6a 01 5a 31 c0 0f 05      | read(go, rsi, 1)
         | 83 f8 01 0f 85 >gone      | nobody has said go, and nobody will
         | bf =told 6a 03 58 0f 05   | close(told)
         | bf =go 6a 03 58 0f 05     | close(go)
         | bf =status 6a 03 58 0f 05 | close(status)
begin    | 48 89 df                  | rdi = rbx
         | 48 8d 74 24 10            | rsi: our arguments without the first
         | 48 8b 14 24               | rdx: how many arguments we have
         | 48 8d 54 d4 10            | rdx: the environment, which lies behind them
         | 6a 3b 58 0f 05            | execve(rdi, rsi, rdx)
         | e8 >next 0f 85 >begin     | it came back: the next place, if there is one
         | 48 8d 35 >refused         |
         | ba =refused               |
         | bd 7e 00 00 00            | ends with 126
fail     | 6a 02 5f 6a 01 58 0f 05   | write(2, rsi, edx)
         | 89 ef e9 >exit            | edi = ebp
gone     | 6a 01 5f                  | ends with 1
exit     | 6a 3c 58 0f 05            | exit(edi)

next     | 8a 03 48 ff c3            | al: the character at rbx, which moves on
         | 84 c0 0f 85 >next         | until behind the end of this place
         | 80 3b 00 c3               | equal: there is no other

filters  | 48 81 ec 00 00 01 00      | 64 kB of the stack
         | 31 f6 6a 02 58 0f 05      | open(rdi, O_RDONLY)
         | 89 c7 48 89 e6            | edi: the file, rsi: the stack
         | ba 00 00 01 00            |
         | 31 c0 0f 05               | read(edi, rsi, 64 kB)
         | 4c 8d 44 06 f0            | r8: the last place with 16 bytes behind it
         | 6a 03 58 0f 05            | close(edi)
         | 48 b8 =key_low =key_high  | rax: the name of the line
scan     | 4c 39 c6 0f 87 >gone      | it is not there
         | 48 ff c6 48 39 46 ff      | is it here?
         | 0f 85 >scan               |
         | 48 8b 46 07               | rax: the eight bytes behind it
         | 48 81 c4 00 00 01 00 c3   |
"""


def program(name: str, places: Sequence[str], *, tied: bytes, told: int, go: int, status: int) -> bytes:
    """A program that becomes the first of `places` there is, with its own arguments but the first.

    Before that it writes `tied` to `told`, waits for a word from `go`, and closes all three.
    """
    data = {
        "places": b"".join(os.fsencode(place) + b"\0" for place in places) + b"\0",
        "missing": os.fsencode(f"{name}: there is no such program\n"),
        "refused": os.fsencode(f"{name}: it cannot be started\n"),
        "tied": tied,
        "self": b"/proc/self/status\0",
        "init": b"/proc/1/status\0",
    }
    low, high = struct.unpack("<II", _key())
    numbers = {"told": told, "go": go, "status": status, "key_low": low, "key_high": high}
    return elf(_LISTING, data, numbers)


@cache
def _key() -> bytes:
    """The name of the line that counts filters, or its last eight letters."""
    # Before Linux 5.9 they are not counted: there is only whether there are any.
    counted = "Seccomp_filters:" in Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    return b"filters:" if counted else b"Seccomp:"
