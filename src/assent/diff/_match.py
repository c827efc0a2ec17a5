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

from assent.diff._gallop import common_prefix, common_suffix
from assent.diff._myers import Block, Items, Search

_WORK = 600_000
"""Steps of the search in one comparison, about 0.3 s; what is left over then counts as rewritten."""
_DEPTH = 3
"""Anchors between anchors between anchors …; without an end to it, made-up input could take forever."""

Anchor: TypeAlias = tuple[int, int]


def match(old: Items, new: Items) -> list[Block]:
    """The blocks that agree, in order on both sides; whatever lies between them differs."""
    if set(old).isdisjoint(new):
        return []
    matching = _Matching(old, new)
    matching.compare(0, len(old), 0, len(new), depth=_DEPTH)
    return matching.blocks


class _Matching:
    def __init__(self, old: Items, new: Items) -> None:
        self._old = old
        self._new = new
        self._search = Search(work=_WORK)
        self.blocks: list[Block] = []

    def compare(self, i: int, i_end: int, j: int, j_end: int, *, depth: int) -> None:
        """Find what agrees between old[i:i_end] and new[j:j_end]."""
        head = self._agree(i, i_end, j, j_end)
        i, j = i + head, j + head
        tail = common_suffix(self._old, i_end, self._new, j_end, most=min(i_end - i, j_end - j))
        i_end, j_end = i_end - tail, j_end - tail
        shared = set(self._old[i:i_end]).intersection(self._new[j:j_end])
        anchors = _anchors(self._old[i:i_end], self._new[j:j_end]) if shared and depth else ()
        if anchors:
            chain = [(i + x, j + y) for x, y in _longest_chain(anchors)]
            self._hang_on(chain, i, i_end, j, j_end, depth=depth - 1)
        elif shared:
            self._look_for(shared, i, i_end, j, j_end)
        self._found(i_end, j_end, tail)

    def _hang_on(self, chain: Sequence[Anchor], i: int, i_end: int, j: int, j_end: int, *, depth: int) -> None:
        """Settle the anchors and what agrees right behind each; compare what is left between them."""
        for x, y in chain:
            if x < i:  # it stood behind another anchor, and is settled with it
                continue
            self.compare(i, x, j, y, depth=depth)
            size = self._agree(x, i_end, y, j_end)
            i, j = x + size, y + size
        self.compare(i, i_end, j, j_end, depth=depth)

    def _look_for(self, shared: Container[Hashable], i: int, i_end: int, j: int, j_end: int) -> None:
        """Search among the items that both sides have; the others cannot agree with anything."""
        left = [x for x in range(i, i_end) if self._old[x] in shared]
        right = [y for y in range(j, j_end) if self._new[y] in shared]
        for block in self._search.blocks([self._old[x] for x in left], [self._new[y] for y in right]):
            for step in range(block.size):
                self._found(left[block.i + step], right[block.j + step], 1)

    def _agree(self, i: int, i_end: int, j: int, j_end: int) -> int:
        size = common_prefix(self._old, i, self._new, j, most=min(i_end - i, j_end - j))
        self._found(i, j, size)
        return size

    def _found(self, i: int, j: int, size: int) -> None:
        """Add a block; one that continues the last becomes part of it."""
        if not size:
            return
        last = self.blocks[-1] if self.blocks else Block(-1, -1, 0)
        if last.i + last.size == i and last.j + last.size == j:
            self.blocks[-1] = Block(last.i, last.j, last.size + size)
        else:
            self.blocks.append(Block(i, j, size))


def _anchors(old: Items, new: Items) -> list[Anchor]:
    """Where each item stands that is there exactly once on both sides, in the order of `old`."""
    places = range(max(len(old), len(new)))
    last_old, last_new = dict(zip(old, places, strict=False)), dict(zip(new, places, strict=False))
    first_old = dict(zip(reversed(old), reversed(places[: len(old)]), strict=True))
    first_new = dict(zip(reversed(new), reversed(places[: len(new)]), strict=True))
    return [
        (i, last_new[item])
        for item, i in last_old.items()
        if item in last_new and first_old[item] == i and first_new[item] == last_new[item]
    ]


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
