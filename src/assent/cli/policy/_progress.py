"""How far a long run is, in a line on the terminal that is written over."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
import time
from typing import Final

_EVERY: Final = 0.1


class Progress:
    """A line on the terminal that is written over; without a terminal, nothing."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._shown = False
        self._next = time.monotonic() + _EVERY
        self._wanted = sys.stderr.isatty()

    def show(self, done: int) -> None:
        """Say how many are done, if it is time to."""
        if self._wanted and time.monotonic() >= self._next:
            print(f"\r{done} of {self._total} …", end="", file=sys.stderr, flush=True)
            self._shown = True
            self._next = time.monotonic() + _EVERY

    def clear(self) -> None:
        """Leave no trace on the screen."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = False
