"""A pipe for the output of a command, read as it comes."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

_CHUNK: Final = 2**20


class Pipe:
    """Our own, not asyncio's: that one says a process has ended only when nobody holds its pipe any more."""

    def __init__(self) -> None:
        self._outside, self.inside = os.pipe()
        os.set_blocking(self._outside, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            # Fewer turns of the loop for much output; where it is not granted, it is only slower.
            with suppress(OSError):
                fcntl.fcntl(self._outside, fcntl.F_SETPIPE_SZ, _CHUNK)

    def close_inside(self) -> None:
        """The command has its own end now; with ours open, the output would never end."""
        if self.inside >= 0:
            os.close(self.inside)
            self.inside = -1

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Hand on everything until nobody can write any more."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        def ready() -> None:
            try:
                chunk = os.read(self._outside, _CHUNK)
                take(chunk)
            except BlockingIOError:
                return
            except Exception as error:  # noqa: BLE001 (whoever awaits the end gets it)
                loop.remove_reader(self._outside)
                ended.set_exception(error)
            else:
                if not chunk:
                    loop.remove_reader(self._outside)
                    ended.set_result(None)

        loop.add_reader(self._outside, ready)
        try:
            await ended
        finally:
            loop.remove_reader(self._outside)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close_inside()
        os.close(self._outside)
