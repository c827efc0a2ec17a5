"""Lines typed at a terminal, from now on."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from typing import TextIO

_POLL_SECONDS = 0.05


class EndOfInput(Exception):
    """Nobody is there to type any more."""


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person could be at the other end, and typing ahead can be thrown away."""
    return sys.platform != "win32" and stream is not None and stream.isatty()


def forget_typed(stream: TextIO) -> None:
    """Throw away what was typed so far, finished lines and half ones.

    Raises:
        EndOfInput: the terminal was closed.
    """
    # Imported here: Windows has no termios, and must still be able to import us.
    import termios

    try:
        termios.tcflush(stream.fileno(), termios.TCIFLUSH)
    except termios.error as error:
        raise EndOfInput from error


async def next_line(stream: TextIO) -> str:
    """The next line; cancelling leaves the terminal as it was.

    Raises:
        EndOfInput: the terminal was closed, or the person said that nothing will follow.
    """
    descriptor, typed = stream.fileno(), b""
    while not typed.endswith(b"\n"):
        # A thread that waits would hold the terminal after a cancel and take the next line from its
        # owner; a loop that watches cannot do so on every system (kqueue and /dev/tty).
        while not select.select([descriptor], [], [], 0)[0]:  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)
        try:
            chunk = os.read(descriptor, 1)
        except OSError as error:
            # A terminal that is gone ends the input on one system and fails on another.
            raise EndOfInput from error
        if not chunk:
            raise EndOfInput
        typed += chunk
    return typed.decode(errors="replace").strip()
