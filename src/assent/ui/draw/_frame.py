"""The frame content stands in: numbers, a mark and a bar, so that no line of it looks like ours."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Final

from assent.diff import Row
from assent.ui.draw._ink import Ink, paint, spelled, untabbed, wrapped
from assent.ui.draw._look import Look

_MARKS: Final = {"added": "+", "removed": "-"}
_PLAIN: Final = {"file": "file", "hunk": "hunk", "no_newline": "note"}
_NARROW: Final = 60
"""Below this width there is room for one column of numbers only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """How rows are framed: as a diff with its marks, as a file with its numbers, or as a text."""

    look: Look
    digits: int = 0
    """How wide a line number is; 0 where lines have none."""
    marks: bool = False

    def lines(self, row: Row) -> list[str]:
        """The row as lines of the screen."""
        return self._plain(row) if self.look.plain else self._framed(row)

    def _framed(self, row: Row) -> list[str]:
        back = row.kind if self.marks and row.kind in _MARKS else ""
        numbers = self._numbers(row)
        mark = f"{_MARKS.get(row.kind, ' ')} " if self.marks else ""
        room = self.look.width - len(numbers) - len(mark) - 2
        lines: list[str] = []
        for piece, used in wrapped(untabbed(inked(row, back), self.look), room):
            gutter = Ink(f"{' ' * len(numbers) if lines else numbers}{'┆' if lines else '│'}", "dim")
            fill = Ink(" " * (room - used), "", back) if back else Ink("")
            lines.append(paint([gutter, Ink(f" {mark}", "", back), *piece, fill], self.look).rstrip(" "))
        return lines

    def _numbers(self, row: Row) -> str:
        if not self.digits:
            return "  "
        both = self.marks and self.look.width >= _NARROW
        shown = (row.old, row.new) if both else (row.new or row.old,)
        return " ".join(["", *(f"{number or '':>{self.digits}}" for number in shown), ""])

    def _plain(self, row: Row) -> list[str]:
        mark = f"{_MARKS.get(row.kind, ' ')} " if self.marks else ""
        label = _PLAIN.get(row.kind) or f"{mark}{row.new or row.old or '':>{self.digits}}"
        more = ".." if row.kind in _PLAIN else f"{mark}{'..':>{self.digits}}"
        room = self.look.width - max(len(label), len(more)) - 4
        pieces = [piece for piece, _ in wrapped(untabbed(inked(row, ""), self.look), room)]
        return [
            paint([Ink(f"  {more if at else label}: "), *piece], self.look).rstrip(" ")
            for at, piece in enumerate(pieces)
        ]


def inked(row: Row, back: str, over: Sequence[tuple[int, int, str]] = ()) -> list[Ink]:
    """The text of a row: each token in its colour, each changed word on its tint, all of it visible.

    What is `over` the tokens has its own colour.
    """
    if row.kind in _PLAIN:
        return spelled(row.text, {"file": "file", "hunk": "hunk"}.get(row.kind, "dim"))
    text = row.text.removesuffix("\r")
    edges = {0, len(text)}
    edges.update(edge for token in row.tokens for edge in (token.start, token.end))
    edges.update(edge for span in row.changed for edge in span)
    edges.update(edge for start, end, _ in over for edge in (start, end))
    cuts = sorted(edge for edge in edges if edge <= len(text))
    fore: dict[int, str] = {at: token.kind for token in row.tokens for at in _within(cuts, token.start, token.end)}
    fore.update((at, name) for start, end, name in over for at in _within(cuts, start, end))
    word = {at for start, end in row.changed for at in _within(cuts, start, end)}
    if row.kind in _MARKS:
        # Blanks at the end may be all that changed: without colours nobody would see them.
        text = text.rstrip(" ").ljust(len(text), "·")
    inks: list[Ink] = []
    for start, end in pairwise(cuts):
        inks += spelled(text[start:end], fore.get(start, ""), f"{back}_word" if back and start in word else back)
    # The end of a line as Windows writes it is no trick, and on every line of the file.
    return [*inks, Ink("␍", "dim", back)] if len(text) < len(row.text) else inks


def _within(cuts: list[int], start: int, end: int) -> list[int]:
    return cuts[bisect_left(cuts, start) : bisect_left(cuts, end)]


def side_by_side(old: Row | None, new: Row | None, frame: Frame) -> list[str]:
    """Two versions of a line beside each other, each in its own half."""
    width = (frame.look.width - 1) // 2
    left = _half(old, old.old if old else None, width, frame)
    right = _half(new, new.new if new else None, width, frame)
    (nothing,) = _half(None, None, width, frame)
    return [f"{one} {other}".rstrip(" ") for one, other in zip_longest(left, right, fillvalue=nothing)]


def _half(row: Row | None, number: int | None, width: int, frame: Frame) -> list[str]:
    back = row.kind if row and row.kind in _MARKS else ""
    mark = Ink(f" {_MARKS.get(row.kind, ' ') if row else ' '} ", "", back)
    room = width - frame.digits - 6
    lines: list[str] = []
    for piece, used in wrapped(untabbed(inked(row, back), frame.look) if row else [], room):
        gutter = Ink(f" {'' if lines else number or '':>{frame.digits}} {'┆' if lines else '│'}", "dim")
        lines.append(paint([gutter, mark, *piece, Ink(" " * (room - used), "", back)], frame.look))
    return lines
