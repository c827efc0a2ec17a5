"""What is in front of a person now; whoever waited for it goes on when it is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import Final

from assent.model import PendingId

LEAVES_SECONDS: Final = 2.0
"""How long a question that ended elsewhere may take to leave the screen; nobody waits longer for it."""

Wake = Callable[[], None]


class Screen:
    """The batch an approver shows; not locked by itself: the desk does that.

    A caller that went on while its question still stands on the terminal would write behind the prompt,
    and could end the program before the terminal is as it was.
    """

    def __init__(self) -> None:
        self._shown: frozenset[PendingId] = frozenset()
        self._held: list[Wake] = []
        self._until = 0.0

    def show(self, batch: Iterable[PendingId]) -> None:
        """These are in front of the person from now on."""
        self._shown = frozenset(batch)

    def closes_with(self, ended: PendingId, waiting: Collection[PendingId]) -> bool:
        """Whether the approver is about to take the batch back: this was the last of it that anybody waited for."""
        return ended in self._shown and self._shown.isdisjoint(waiting)

    def hold(self, wakes: Iterable[Wake]) -> None:
        """Wake them when the screen is free, or when that takes too long."""
        if not self._held:
            self._until = time.monotonic() + LEAVES_SECONDS
        self._held.extend(wakes)

    def is_held(self) -> bool:
        """Whether somebody waits for the screen to be free."""
        return bool(self._held)

    def free(self) -> list[Wake]:
        """It is; whom to wake."""
        self._shown = frozenset()
        held, self._held = self._held, []
        return held

    def overdue(self) -> list[Wake]:
        """Whom to wake although the approver has not come back."""
        return self.free() if self._held and time.monotonic() > self._until else []
