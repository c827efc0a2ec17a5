"""Finds the edits that make one version of a file of the other, without looking at most of it.

What is equal is passed over in strides and never split into lines. At a difference some lines are
compared: the change is over as soon as both sides agree for long. Where there are so many changes,
or so large ones, that looking ahead does not pay, the rest of the file is one edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assent.diff._budget import Budget
from assent.diff._gallop import common_head, common_tail
from assent.diff._lines import line_start, lines_at
from assent.diff._match import match
from assent.diff._myers import LONG, Block, Search

_GLANCE = 40
"""How many lines are looked at behind a difference,"""
_WINDOWS = (256, 2048)
"""and how many are compared if that was not enough."""
_SMALL = 4096
"""A rest of so many bytes is one edit: to look for smaller ones does not pay."""
_LOOK = 80
"""Steps of the budget for a look behind a difference, besides those of the comparison."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The bytes from `start` up to `end` give way to `replacement`."""

    start: int
    end: int
    replacement: bytes


def find_edits(before: bytes, after: bytes, budget: Budget) -> Iterator[Edit]:
    """Edits that turn `before` into `after`, in order: one by one, then all that is left as one.

    At most half the budget is used, since what is left has to be compared.
    """
    return _Finder(before, after, budget).edits()


class _Finder:
    def __init__(self, before: bytes, after: bytes, budget: Budget) -> None:
        self._before = before
        self._after = after
        self._budget = budget
        self._reserve = budget.left // 2
        self._ahead = len(before) + len(after)
        """Bytes that may be looked at ahead: as many as to read both versions once more."""

    def edits(self) -> Iterator[Edit]:
        i = j = 0
        while True:
            same = common_head(self._before, i, self._after, j)
            if i + same == len(self._before) and j + same == len(self._after):
                return
            # Back to where the line begins; up to there both are the same.
            start = line_start(self._before, i + same)
            i, j = start, start - i + j
            edit = self._next_edit(i, j)
            if not edit:
                yield self._rest(i, j)
                return
            yield edit
            i, j = edit.end, j + len(edit.replacement)

    def _next_edit(self, i: int, j: int) -> Edit | None:
        """The edit that begins here, if its end is in sight."""
        if len(self._before) - i < _SMALL:
            return None
        for count in (_GLANCE, *_WINDOWS):
            old, new = lines_at(self._before, i, count), lines_at(self._after, j, count)
            self._ahead -= sum(map(len, old)) + sum(map(len, new))
            if self._ahead < 0 or self._budget.left < self._reserve or not self._budget.take(_LOOK + len(old)):
                return None
            for block in self._agreeing(old, new, glance=count == _GLANCE):
                if block.size >= LONG:
                    i_end, j_end = i + sum(map(len, old[: block.i])), j + sum(map(len, new[: block.j]))
                    return Edit(start=i, end=i_end, replacement=self._after[j:j_end])
        return None

    def _agreeing(self, old: list[bytes], new: list[bytes], *, glance: bool) -> list[Block]:
        return Search(self._budget).first_blocks(old, new) if glance else match(old, new, self._budget)

    def _rest(self, i: int, j: int) -> Edit:
        """One edit from here to the end, without what both have there."""
        tail = common_tail(self._before, i, self._after, j)
        return Edit(start=i, end=len(self._before) - tail, replacement=self._after[j : len(self._after) - tail])
