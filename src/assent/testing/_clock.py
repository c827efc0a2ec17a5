"""A clock that moves when the test says so."""

from __future__ import annotations


class VirtualClock:
    """Seconds since 1970 as the test wants them; give it to `Gate(clock=…)`."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass; questions that expire meanwhile end at the desk's next look."""
        self.now += seconds
