"""Who watches while the walls are built: what is half-built goes when its caller or its builder goes.

Bubblewrap's outer process dies with its caller, and the inner one waits for the outer one's word before
it is tied to it: it would wait for ever. So a process of ours is in their group, and ends the group if the
builder ends, or the caller's end of `go` is closed, before the caller has said "go". When it is said, all
ties hold, and the watcher leaves. Bubblewrap, which is its parent, expects children from before its time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from assent.os_sandbox._elf import elf, put_program, room_for_program

# It looks for "go" without taking it: there is a line for each who waits. An old kernel has no descriptor
# of a process; poll passes over a negative one, and the pipe is watched all the same.
_LISTING: Final = """
         | 6a 27 58 0f 05            | getpid()
         | 41 89 c4 89 c7 31 f6      | r12d: our own number, which is our group's
         | 68 b2 01 00 00 58 0f 05   | pidfd_open(us, 0), closed by execve
         | 89 c5                     | ebp: what shows that we have ended
         | 6a 39 58 0f 05            | fork()
         | 85 c0 0f 84 >watch        |
         | 0f 88 >fail               | nobody would watch
         | bf =own 6a 03 58 0f 05    | close(own): this program
         | 48 8b 7c 24 10            | rdi: the second of our arguments
         | 48 8d 74 24 10            | rsi: our arguments without the first
         | 48 8b 14 24               | rdx: how many arguments we have
         | 48 8d 54 d4 10            | rdx: the environment, which lies behind them
         | 6a 3b 58 0f 05            | execve(rdi, rsi, rdx)
fail     | 48 8d 35 >refused         | rsi: what to say
         | ba =refused               | edx: its length
         | 6a 02 5f 6a 01 58 0f 05   | write(2, rsi, edx)
         | 6a 7e 5f e9 >exit         | ends with 126

watch    | 6a 02 5f 6a 03 58 0f 05   | close(2)
         | 6a 01 5f 6a 03 58 0f 05   | close(1)
         | bf =go 31 f6              |
         | 6a 21 58 0f 05            | dup2(go, 0)
         | 89 ef 6a 01 5e            |
         | 6a 21 58 0f 05            | dup2(ebp, 1)
         | 89 c3                     | ebx: 1, or less than 0
         | 6a 02 5f 6a ff 5e 31 d2   |
         | 68 b4 01 00 00 58 0f 05   | close_range(2, all, 0)
         | 48 0f ba eb 20 53         | on the stack: ebx, to be readable
         | 6a 01 58 48 c1 e0 20 50   | before it: 0, to be readable
         | 48 89 e7 6a 02 5e 6a ff 5a|
         | 6a 07 58 0f 05            | poll(rsp, 2, without end)
         | 31 ff                     | ends with 0
         | f6 44 24 06 01 0f 85 >exit| 0 is readable: it was said
         | 44 89 e7 f7 df 6a 09 5e   |
         | 6a 3e 58 0f 05            | kill(-group, SIGKILL), and this process with it
         | 6a 01 5f                  | ends with 1, if it was no group
exit     | 6a 3c 58 0f 05            | exit(edi)
"""
_SCRIPT: Final = '{ read -ru "$0" || kill -KILL -- "-$$"; } </dev/null >/dev/null 2>&1 & exec -- "$@"'


def watched_by_program(argv: Sequence[str], *, go: int) -> tuple[int, tuple[str, ...]]:
    """A program that becomes the builder with a watcher beside it: its descriptor, and how it is started."""
    own = room_for_program()
    try:
        data = {"refused": os.fsencode(f"{argv[0]}: it cannot be started\n")}
        name = put_program(own, elf(_LISTING, data, {"own": own, "go": go}))
    except BaseException:
        os.close(own)
        raise
    return own, (name, *argv)


def watched_by_shell(argv: Sequence[str], *, shell: str, go: int) -> tuple[str, ...]:
    """The same with a shell, where no program of ours can be started."""
    return (shell, "--noprofile", "--norc", "-p", "-c", _SCRIPT, str(go), *argv)
