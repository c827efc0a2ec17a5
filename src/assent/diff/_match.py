"""Where two sequences agree, found the way a person would: by what stands out.

Patience diff (Bram Cohen): an item that is there exactly once on both sides is an anchor; a function's
name is one, a closing brace is not. The longest chain of anchors that come in the same order on both
sides holds the two together, and what lies between two anchors is compared in the same way again.
Where nothing stands out, a short way from one to the other is searched (`_myers`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Hashable, Sequence
from operator import lt
from typing import TypeAlias

from assent.diff._budget import Budget
from assent.diff._gallop import common_prefix, common_suffix
from assent.diff._myers import Block, Items, Search

_DEPTH = 3
"""Anchors between anchors between anchors …; without an end to it, the budget would buy little."""
_FEW = 1_000
"""So few items are always worth another look."""
_COMPARISON, _ITEM, _ANCHOR, _BLOCK = 30, 3, 20, 80
"""Steps of the budget: for a comparison, for each item in it, for what stands out, and for what is found.

A block costs most, since what lies between two of them is drawn as a change of its own.
"""

Anchor: TypeAlias = tuple[int, int]


def match(old: Items, new: Items, budget: Budget) -> list[Block]:
    """The blocks that agree, in order on both sides; whatever lies between them differs.

    Once the budget is used up nothing more is found: what follows the last block counts as rewritten.
    """
    matching = _Matching(old, new, budget)
    matching.compare(0, len(old), 0, len(new), depth=_DEPTH)
    return matching.blocks


class _Matching:
    def __init__(self, old: Items, new: Items, budget: Budget) -> None:
        self._old = old
        self._new = new
        self._budget = budget
        self._search = Search(budget)
        self.blocks: list[Block] = []

    def compare(self, i: int, i_end: int, j: int, j_end: int, *, depth: int) -> None:
        """Find what agrees between old[i:i_end] and new[j:j_end]."""
        head = self._agree(i, i_end, j, j_end)
        i, j = i + head, j + head
        tail = common_suffix(self._old, i_end, self._new, j_end, most=min(i_end - i, j_end - j))
        i_end, j_end = i_end - tail, j_end - tail
        if i < i_end and j < j_end and i_end - i + j_end - j > 2:  # noqa: PLR2004 — one and one that differ
            self._compare_inside(i, i_end, j, j_end, depth=depth)
        self._found(i_end, j_end, tail)

    def _compare_inside(self, i: int, i_end: int, j: int, j_end: int, *, depth: int) -> None:
        """The same where both sides have something, and differ at both ends."""
        if not self._budget.take(_COMPARISON + _ITEM * (i_end - i + j_end - j)):
            return
        old, new = self._old[i:i_end], self._new[j:j_end]
        kinds = set(old)
        if kinds.isdisjoint(new):
            return
        anchors = _anchors(old, new, self._budget) if depth else ()
        if anchors:
            chain = [(i + x, j + y) for x, y in _longest_chain(anchors)]
            self._hang_on(chain, i, i_end, j, j_end, depth=depth - 1)
        else:
            self._look_for(kinds.intersection(new), i, i_end, j, j_end)

    def _hang_on(self, chain: Sequence[Anchor], i: int, i_end: int, j: int, j_end: int, *, depth: int) -> None:
        """Settle the anchors and what agrees right behind each; compare what is left between them."""
        # A part that is nearly as large as the whole will hardly have other anchors: not worth another look.
        most = max(3 * (i_end - i + j_end - j) // 4, _FEW)
        for x, y in [*chain, (i_end, j_end)]:
            if x < i:  # it stood behind another anchor, and is settled with it
                continue
            if not self._budget.left:
                return
            if x > i and y > j:
                self.compare(i, x, j, y, depth=depth if x - i + y - j <= most else 0)
            size = self._agree(x, i_end, y, j_end)
            i, j = x + size, y + size

    def _look_for(self, shared: Container[Hashable], i: int, i_end: int, j: int, j_end: int) -> None:
        """Search among the items that both sides have; the others cannot agree with anything."""
        left = [x for x in range(i, i_end) if self._old[x] in shared]
        right = [y for y in range(j, j_end) if self._new[y] in shared]
        for block in self._search.blocks([self._old[x] for x in left], [self._new[y] for y in right]):
            self._found_apart(left[block.i : block.i + block.size], right[block.j : block.j + block.size])

    def _found_apart(self, left: Sequence[int], right: Sequence[int]) -> None:
        """Add the blocks in which these items agree, one by one; neighbours on both sides are one block."""
        start = 0
        for at in range(1, len(left)):
            if left[at] != left[at - 1] + 1 or right[at] != right[at - 1] + 1:
                self._found(left[start], right[start], at - start)
                start = at
        self._found(left[start], right[start], len(left) - start)

    def _agree(self, i: int, i_end: int, j: int, j_end: int) -> int:
        size = common_prefix(self._old, i, self._new, j, most=min(i_end - i, j_end - j))
        self._found(i, j, size)
        return size

    def _found(self, i: int, j: int, size: int) -> None:
        """Add a block; one that continues the last becomes part of it."""
        if not size:
            return
        last_i, last_j, last_size = self.blocks[-1] if self.blocks else (-1, -1, 0)
        if last_i + last_size == i and last_j + last_size == j:
            self.blocks[-1] = Block(last_i, last_j, last_size + size)
        elif self._budget.take(_BLOCK):
            self.blocks.append(Block(i, j, size))


def _anchors(old: Items, new: Items, budget: Budget) -> list[Anchor]:
    """Where each item stands that is there exactly once on both sides, in the order of `old`."""
    if not budget.take(_ITEM * (len(old) + len(new))):
        return []
    old_places, new_places = _places_of_single(old), _places_of_single(new)
    anchors = [(i, new_places[item]) for item, i in old_places.items() if item in new_places]
    return anchors if budget.take(_ANCHOR * len(anchors)) else []


def _places_of_single(items: Items) -> dict[Hashable, int]:
    """Where each item stands that is there exactly once, in order."""
    places = range(len(items))
    last = dict(zip(items, places, strict=True))
    if len(last) == len(items):
        return last
    first = dict(zip(reversed(items), reversed(places), strict=True))
    return {item: place for item, place in last.items() if first[item] == place}


def _longest_chain(anchors: Sequence[Anchor]) -> Sequence[Anchor]:
    """The most anchors that are in order on both sides: patience sorting, after the card game.

    Each anchor goes on the leftmost pile whose top is not below it, and remembers the top of the
    pile before; there are as many piles as the longest chain has links.
    """
    places = [j for _, j in anchors]
    if all(map(lt, places, places[1:])):
        return anchors
    tops: list[int] = []
    top_anchors: list[int] = []
    before: list[int] = []
    for number, place in enumerate(places):
        pile = bisect_left(tops, place)
        before.append(top_anchors[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            top_anchors.append(number)
        else:
            tops[pile] = place
            top_anchors[pile] = number
    chain: list[Anchor] = []
    link = top_anchors[-1]
    while link >= 0:
        chain.append(anchors[link])
        link = before[link]
    return chain[::-1]
