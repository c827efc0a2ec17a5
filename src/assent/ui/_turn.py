"""One question at a time at a terminal, whichever gate and whichever program asks it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from assent.ui._tty import Tty

_POLL_SECONDS: Final = 0.05
# Whoever reads the keys reads all of them: two questions at once would share them out.
_one_at_a_time: Final = threading.Lock()


@asynccontextmanager
async def our_turn() -> AsyncGenerator[None]:
    """One question of this program at a time, whichever gate asks it."""
    while not _one_at_a_time.acquire(blocking=False):  # noqa: ASYNC110 — the other one may be in another loop
        await asyncio.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        _one_at_a_time.release()


@asynccontextmanager
async def turn_at(tty: Tty) -> AsyncGenerator[bool]:
    """One program at a time at this terminal; whether another one had it meanwhile."""
    try:
        yield await begin_turn(tty)
    finally:
        tty.lock.leave()


async def begin_turn(tty: Tty) -> bool:
    """Wait until no other program asks at this terminal; whether one did."""
    waited = goes_on = False
    while True:
        if not tty.lock.take():
            waited = True
            await asyncio.sleep(_POLL_SECONDS)
        elif goes_on or not tty.in_background():
            tty.displaced = False
            return waited
        else:
            # Whoever asks from the background is stopped, and must not keep others from asking meanwhile.
            tty.lock.leave()
            # Again, however often it is woken there; but where nothing can stop us, there is nobody to wait for.
            goes_on = not tty.stop_in_background()
