"""Pipes for the output of a command, read as it comes."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

_CHUNK: Final = 2**18
# As long as more is there, it is read at once; then whatever else waits for the loop has its turn.
_READS_A_TURN: Final = 4

Take = Callable[[memoryview], None]
"""Called with what was written next; the memory is used again afterwards, so who keeps it copies it."""


class Pipe:
    """Our own, not asyncio's: that one says a process has ended only when nobody holds its pipe any more."""

    def __init__(self) -> None:
        self.outside, self.inside = os.pipe()
        os.set_blocking(self.outside, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            # Fewer turns of the loop for much output; where it is not granted, it is only slower.
            with suppress(OSError):
                fcntl.fcntl(self.outside, fcntl.F_SETPIPE_SZ, _CHUNK)

    def close_inside(self) -> None:
        """The command has its own end now; with ours open, the output would never end."""
        if self.inside >= 0:
            os.close(self.inside)
            self.inside = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close_inside()
        os.close(self.outside)


async def read_all(pipes: Sequence[Pipe], takes: Sequence[Take]) -> None:
    """Hand on everything until nobody can write to any of the pipes any more."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    # Always the same memory: new memory for each piece costs more than reading into it does.
    buffer = bytearray(_CHUNK)
    waiting = {pipe.outside for pipe in pipes}

    def ready(fd: int, take: Take) -> None:
        try:
            if _more(fd, buffer, take):
                return
        except Exception as error:  # noqa: BLE001 (whoever awaits the end gets it)
            if not ended.done():
                ended.set_exception(error)
        loop.remove_reader(fd)
        waiting.discard(fd)
        if not waiting and not ended.done():
            ended.set_result(None)

    for pipe, take in zip(pipes, takes, strict=True):
        loop.add_reader(pipe.outside, ready, pipe.outside, take)
    try:
        await ended
    finally:
        for fd in waiting:
            loop.remove_reader(fd)


def _more(fd: int, buffer: bytearray, take: Take) -> bool:
    """Read what is there, and whether there may be more."""
    with memoryview(buffer) as memory, suppress(BlockingIOError):
        for _ in range(_READS_A_TURN):
            size = os.readv(fd, [buffer])
            if size == 0:
                return False
            take(memory[:size])
    return True
