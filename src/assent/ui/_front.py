"""Another program at the terminal, for a while: the pager, the editor."""

from __future__ import annotations

import asyncio
import atexit
import errno
import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from assent.ui._tty import Tty

_POLL_SECONDS: Final = 0.03
_LEAVE_SECONDS: Final = 1.0
_LINES_AT_ONCE: Final = 60
# A program that reads the terminal before it is in front is stopped, or told that there is none. So it puts
# itself there before it becomes the program that was asked for.
_STARTER: Final = """\
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
os.tcsetpgrp(2, os.getpid())
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTTOU])
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Ended(NamedTuple):
    """How a program ended."""

    code: int
    took_all: bool
    """Whether it took the last of the lines: then it wanted to show it."""


async def run_in_front(
    command: Sequence[str], tty: Tty, *, environment: Mapping[str, str], lines: Iterable[str] | None = None
) -> Ended:
    """Run it, never through a shell, until it ends; `lines` are its standard input.

    Cancelled, it ends the program too. The terminal is ours again afterwards.

    Raises:
        OSError: there is no such program, or it cannot be started.
    """
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
    with tty.lent() as ours:
        # In a group of its own, in front, so that its Ctrl-C is not ours.
        process = subprocess.Popen(  # noqa: ASYNC220, S603 — asyncio does not tell of a stop; the person's own programs
            [sys.executable, "-I", "-S", "-c", _STARTER, *command] if ours and sys.executable else command,
            stdin=tty.descriptor if lines is None else subprocess.PIPE,
            stdout=tty.screen.fileno(),
            stderr=tty.screen.fileno(),
            env=environment,
            process_group=0 if ours else None,
        )
        # Whoever ends our program meanwhile does not leave the other one behind.
        leave = partial(_leave, process)
        atexit.register(leave)
        try:
            return await _Child(process, tty, ours=ours, lines=lines).end()
        finally:
            leave()
            atexit.unregister(leave)


class _Child:
    """A program that has the terminal."""

    def __init__(self, process: subprocess.Popen[bytes], tty: Tty, *, ours: bool, lines: Iterable[str] | None) -> None:
        self._process = process
        self._tty = tty
        self._ours = ours
        self._lines: Iterator[str] | None = None if lines is None else iter(lines)
        self._unwritten = b""
        self._kept: list[str] = []
        self._took_all = False
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
        self._go_on()

    async def end(self) -> Ended:
        """How it ended, once it has."""
        while (code := self._look()) is None:  # noqa: ASYNC110 — a child that stops is seen only by looking
            await asyncio.sleep(0 if self._feed() else _POLL_SECONDS)
        self._feed()
        return Ended(code, self._took_all)

    def _look(self) -> int | None:
        try:
            found, status = os.waitpid(self._process.pid, os.WNOHANG | os.WUNTRACED)
        except ChildProcessError:
            # Somebody else in this process has buried it.
            self._process.returncode = 0
            return 0
        if not found:
            return None
        if os.WIFSTOPPED(status):
            # Only a stop that was meant: one for reading too early is over as soon as it is in front.
            self._stop_too() if os.WSTOPSIG(status) == signal.SIGTSTP else self._go_on()
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode

    def _stop_too(self) -> None:
        """Its Ctrl-Z is for the shell we were started from: who comes back comes back to it."""
        if self._ours:
            self._tty.put_in_front(os.getpgrp())
            self._tty.send("susp")
        self._go_on()

    def _go_on(self) -> None:
        if self._ours:
            self._tty.put_in_front(self._process.pid)
        # It may have asked for the terminal before it was in front.
        with suppress(OSError):
            self._process.send_signal(signal.SIGCONT)

    def _feed(self) -> bool:
        """Hand over what the program takes now; whether there may be more to hand over at once."""
        if self._lines is None or self._process.stdin is None:
            return False
        if not self._unwritten:
            some = [*self._kept, *itertools.islice(self._lines, _LINES_AT_ONCE)]
            # The last line goes alone, when all before it was taken: a program that reads ahead has not shown it.
            some, self._kept = (some[:-1], some[-1:]) if some[1:] else (some, [])
            if not self._kept and not _is_empty(self._process.stdin.fileno()):
                self._kept = some
                return False
            self._unwritten = "".join(f"{line}\n" for line in some).encode(errors="backslashreplace")
            self._took_all = not some
        try:
            written = os.write(self._process.stdin.fileno(), self._unwritten) if self._unwritten else 0
        except BlockingIOError:
            return False
        except BrokenPipeError:
            written, self._unwritten = 0, b""
        self._unwritten = self._unwritten[written:]
        if not written:
            self._process.stdin.close()
            self._lines = None
        return bool(written)


def _is_empty(pipe: int) -> bool:
    """Whether all that was written to it was read; where nobody can tell, it is taken to be so."""
    import fcntl
    import termios

    try:
        return not any(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    except OSError:
        return True


def _leave(process: subprocess.Popen[bytes]) -> None:
    """End the program, if it has not ended by itself."""
    if process.returncode is None:
        with suppress(OSError):
            process.terminate()
            process.send_signal(signal.SIGCONT)
        try:
            process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
