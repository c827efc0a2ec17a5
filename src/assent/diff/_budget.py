"""How much work one diff may take, whatever it is given."""

from __future__ import annotations

STEPS = 8_000_000
"""For a whole diff. A step is about a tenth of a microsecond, so all of them are well under a second."""


class Budget:
    """Steps to spend. Once there are too few, there are none: what is left is not looked at closely."""

    __slots__ = ("left",)

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def take(self, steps: int) -> bool:
        """Spend so many steps; False if there are not so many, and from then on always."""
        if steps > self.left:
            self.left = 0
            return False
        self.left -= steps
        return True
