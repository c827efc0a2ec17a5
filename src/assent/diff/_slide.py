"""Moves a change to where a person would have said it is.

Lines that were put in, or taken out, next to lines like them can be shown in more than one place,
and all are right:

      @property              +@property
     +def width(self): …     +def width(self): …
     +                       +
     +@property               @property
      def height(self): …     def height(self): …

The comparison finds the lowest place. The best one opens a paragraph or a block, as above on the right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assent.diff._budget import Budget
from assent.diff._changes import Change
from assent.diff._lines import line_end, line_start

_FARTHEST = 50
"""So many lines are tried; a change is hardly ever put in so high above a like one."""
_PLACE = 40
"""Steps of the budget for each place that is tried."""


def slide(before: bytes, changes: Iterable[Change], budget: Budget) -> Iterator[Change]:
    """The same changes, each at its best place, as long as the budget lasts."""
    floor = 0
    for change in changes:
        yield change if change.removed and change.added else _best_place(before, change, floor, budget)
        floor = change.end


def _best_place(before: bytes, change: Change, floor: int, budget: Budget) -> Change:
    """Where the change reads best; it never goes up into the one before it, which ends at `floor`."""
    starts = _starts(before, change, floor, budget)
    if len(starts) == 1:
        return change
    uglinesses = [_ugliness(before, change, start) for start in starts]
    up = uglinesses.index(min(uglinesses))
    start = starts[up]
    return change._replace(
        start=start,
        end=change.end - change.start + start,
        new=(before[start : change.start] + change.new)[: len(change.new)],
        line=change.line - up,
    )


def _starts(before: bytes, change: Change, floor: int, budget: Budget) -> list[int]:
    """Where the change may start: where it does, and each one line above the other.

    It can go one line up if the line above it is like its last one: that one then takes the other's place.
    """
    start, moving, end = change.start, change.new or before, len(change.new) or change.end
    starts = [start]
    while start > floor and len(starts) <= _FARTHEST and budget.take(_PLACE):
        above = before[line_start(before, start - 1) : start]
        if not moving.endswith(above, 0, end) or not (end == len(above) or moving.endswith(b"\n", 0, end - len(above))):
            break
        start, end = start - len(above), end - len(above)
        if not end:  # all of what comes has taken the place of lines like it
            moving, end = before, change.start
        starts.append(start)
    return starts


def _ugliness(before: bytes, change: Change, start: int) -> tuple[bool, int]:
    """Small is beautiful: a change that starts here opens a paragraph or a block, and is little indented."""
    text, at = (change.new, 0) if change.added and start == change.start else (before, start)
    first = text[at : line_end(text, at)]
    above = before[line_start(before, start - 1) : start] if start else b""
    opens = not above.strip() or _indent(above) < _indent(first)
    return not opens, _indent(first)


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
