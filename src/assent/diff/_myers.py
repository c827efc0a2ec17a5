"""A short way from one sequence to another: Myers' greedy search, looking only so far ahead.

Picture a grid: columns are the items of `old`, rows those of `new`. A step right removes an item, a
step down adds one, and a diagonal step keeps an item that both have, free of charge. A diff is a
way from the top left corner to the bottom right; the fewer steps that cost, the better it reads.

Myers (1986) asks for 0, 1, 2 … edits: how far does one get on each diagonal? The first way that
reaches the corner is the cheapest. The work grows with the square of the edits; two rules bound it:

- A long agreement is settled at once, since it is hardly ever an accident, and the search starts
  again behind it with no edits to its name.
- After `_AHEAD` edits the way that got farthest is taken, and the search starts again from there.

So the work is proportional to the length; the price is that some diffs are not the very shortest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from assent.diff._budget import Budget

_AHEAD = 32
"""So many edits are tried before the best way so far is taken."""
LONG = 20
"""So many agreeing items in a row are no accident."""
_OFF_THE_GRID = -(2**60)
"""Where a way stands that ran out of items; no number of steps leads back."""
_START, _DIAGONAL = 30, 5
"""Steps of the budget: to begin to look ahead, and to try one diagonal. An item that agrees is one more."""

Items: TypeAlias = Sequence[Hashable]


class Block(NamedTuple):
    """`size` items that agree, from `old[i]` and `new[j]` on."""

    i: int
    j: int
    size: int


_Trail: TypeAlias = "tuple[int, int, int, _Trail | None]"
"""An agreement as in `Block`, and the trail that leads to it. Ways share their beginnings: nothing is copied."""


class Search:
    """Looks for short ways until the budget is used up."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def blocks(self, old: Items, new: Items) -> Iterator[Block]:
        """What agrees on a short way from `old` to `new`, in order; nothing more once the budget is used up."""
        i = j = 0
        while i < len(old) and j < len(new) and self._budget.take(_START):
            trail, i, j = self._look_ahead(old, i, new, j)
            yield from _blocks(trail)

    def first_blocks(self, old: Items, new: Items) -> list[Block]:
        """What agrees as far as one look goes."""
        return _blocks(self._look_ahead(old, 0, new, 0)[0]) if self._budget.take(_START) else []

    def _look_ahead(self, old: Items, i: int, new: Items, j: int) -> tuple[_Trail | None, int, int]:
        """The best way on from (i, j), and where it ends."""
        columns, rows, start = len(old), len(new), i - j
        # Diagonal d has the points with x - y = start + d; for d < 0 Python counts from the list's end.
        far = [_OFF_THE_GRID] * (2 * _AHEAD + 3)
        trails: list[_Trail | None] = [None] * len(far)
        far[1] = i
        best = 0
        for edits in range(_AHEAD + 1):
            farthest = -1
            agreeing = 0
            for d in range(-edits, edits + 1, 2):
                x, trail = far[d + 1], trails[d + 1]  # by adding an item
                if far[d - 1] >= x:
                    x, trail = far[d - 1] + 1, trails[d - 1]  # by removing one
                y = x - start - d
                if x < 0 or x > columns or y > rows:
                    far[d] = _OFF_THE_GRID
                    continue
                begin = x
                while x < columns and y < rows and old[x] == new[y]:
                    x += 1
                    y += 1
                if size := x - begin:
                    trail = (begin, y - size, size, trail)
                    agreeing += size
                if size >= LONG or x + y == columns + rows:
                    self._budget.take(_DIAGONAL * (edits + 1) + agreeing)
                    return trail, x, y
                far[d], trails[d] = x, trail
                if x + y > farthest:
                    farthest, best = x + y, d
            self._budget.take(_DIAGONAL * (edits + 1) + agreeing)
        return trails[best], far[best], far[best] - start - best


def _blocks(trail: _Trail | None) -> list[Block]:
    """The agreements on a trail, from first to last."""
    blocks: list[Block] = []
    while trail:
        i, j, size, trail = trail
        blocks.append(Block(i, j, size))
    return blocks[::-1]
