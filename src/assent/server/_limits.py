"""How much of something may come in a while."""

from __future__ import annotations

import time
from collections.abc import Callable

_MOST_KEYS = 4096


class Bucket:
    """So many at once, and so many more a second."""

    __slots__ = ("_at", "_clock", "_left", "_most", "_rate")

    def __init__(self, *, most: float, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._rate = rate
        self._clock = clock
        self._left = most
        self._at = clock()

    def take(self) -> bool:
        """Whether one more is within the limit; then it counts."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Buckets:
    """A bucket for each of whoever comes; of too many, the first ones are forgotten."""

    def __init__(self, *, most: float, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._rate = rate
        self._clock = clock
        self._of: dict[str, Bucket] = {}

    def take(self, key: str) -> bool:
        """Whether one more of this one is within the limit."""
        found = self._of.get(key)
        if found is None:
            if len(self._of) >= _MOST_KEYS:
                del self._of[next(iter(self._of))]
            found = self._of[key] = Bucket(most=self._most, rate=self._rate, clock=self._clock)
        return found.take()
