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

from assent.diff._changes import Change
from assent.diff._lines import line_end, line_start

_FARTHEST = 50
"""So many lines are tried; a change is hardly ever put in so high above a like one."""


def slide(before: bytes, changes: Iterable[Change]) -> Iterator[Change]:
    """The same changes, each at its best place."""
    floor = 0
    for change in changes:
        yield change if change.removed and change.added else _best_place(before, change, floor)
        floor = change.end


def _best_place(before: bytes, change: Change, floor: int) -> Change:
    """Where the change reads best; it never goes up into the one before it, which ends at `floor`."""
    places = [change]
    while len(places) <= _FARTHEST and (higher := _one_line_up(before, places[-1], floor)):
        places.append(higher)
    return min(places, key=lambda place: _ugliness(before, place)) if len(places) > 1 else change


def _one_line_up(before: bytes, change: Change, floor: int) -> Change | None:
    """The same change one line higher; possible if the line above it is like its last line."""
    start = line_start(before, change.start - 1) if change.start > floor else change.start
    above = before[start : change.start]
    moving = before[change.start : change.end] or change.new
    if not above or not moving.endswith(above):
        return None
    last = moving[: -len(above)]
    if last and not last.endswith(b"\n"):
        return None
    return change._replace(
        start=start,
        end=change.end - len(above) if change.removed else start,
        new=above + change.new[: -len(above)] if change.added else b"",
        line=change.line - 1,
    )


def _ugliness(before: bytes, change: Change) -> tuple[bool, int]:
    """Small is beautiful: it opens a paragraph or a block, and it is little indented."""
    moving = before[change.start : change.end] or change.new
    first = moving[: line_end(moving, 0)]
    above = before[line_start(before, change.start - 1) : change.start] if change.start else b""
    opens = not above.strip() or _indent(above) < _indent(first)
    return not opens, _indent(first)


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
