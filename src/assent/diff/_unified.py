"""Reads a unified diff, anyone's, line by line: nothing in it is left out or believed.

A diff can have millions of lines and a page shows a few hundred. So what is kept is where lines of one
kind begin and how many they are; a line is looked up when it is drawn.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from assent.diff._lines import lines_below

RowKind = Literal["file", "hunk", "context", "removed", "added", "no_newline"]

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NOBODY = "/dev/null"
_KINDS: dict[str, RowKind] = {"+": "added", "-": "removed", " ": "context", "\n": "context", "\\": "no_newline"}
"""What a line in a hunk is by how it begins; some programs strip the space of an empty line."""
_OLD, _NEW = frozenset({"context", "removed"}), frozenset({"context", "added"})
_LAST: dict[RowKind, re.Pattern[str]] = {
    "added": re.compile(r"\n(?!\+)"),
    "removed": re.compile(r"\n(?!-)"),
    "context": re.compile(r"\n(?![ \n])"),
    "no_newline": re.compile(r"\n(?!\\)"),
    "file": re.compile(r"\n(?=@@ -|--- |\\)"),
}
"""Where the last of some lines of one kind ends; outside the hunks, where it may."""


class Entry(NamedTuple):
    """One line of a diff, and the numbers it has in the old and in the new file."""

    kind: RowKind
    text: str
    old: int | None = None
    new: int | None = None


class Stretch(NamedTuple):
    """Neighbouring rows of one kind."""

    kind: RowKind
    row: int
    size: int
    """How many they are."""
    at: int
    """Where the first one begins in the text."""
    old: int = 0
    """The number that the next line of the old file has here,"""
    new: int = 0
    """and of the new file."""
    name: str = ""
    """For files and hunks: the file's name, from which its language can be told."""
    title: str | None = None
    """What a row says that stands for several lines."""

    @property
    def end(self) -> int:
        """The row behind the last one."""
        return self.row + self.size


class Unified:
    """The rows of a diff, to be looked up."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.stretches = list(_Reader(text).stretches())
        self.total = self.stretches[-1].end if self.stretches else 0

    def index(self, row: int) -> int:
        """Which stretch the row belongs to."""
        return bisect_right(self.stretches, row, key=attrgetter("row")) - 1

    def entries(self, rows: range) -> Iterator[Entry]:
        """What these rows say; all of them must be there."""
        row = rows.start
        while row < rows.stop:
            stretch = self.stretches[self.index(row)]
            end = min(rows.stop, stretch.end)
            yield from self._entries(stretch, row - stretch.row, end - stretch.row)
            row = end

    def texts(self, rows: Iterable[int]) -> dict[int, str]:
        """The texts of some rows, wherever they are; neighbours are looked up together."""
        found: dict[int, str] = {}
        for _, group in groupby(enumerate(sorted(rows)), key=lambda one: one[1] - one[0]):
            together = [row for _, row in group]
            entries = self.entries(range(together[0], together[-1] + 1))
            found.update(zip(together, (entry.text for entry in entries), strict=True))
        return found

    def _entries(self, stretch: Stretch, first: int, end: int) -> Iterator[Entry]:
        at = lines_below(self._text, stretch.at, first, "\n")
        for number in range(first, end):
            line = self._text[at : (at := line_end(self._text, at))].removesuffix("\n")
            old, new = stretch.old + number, stretch.new + number
            match stretch.kind:
                case "context":
                    yield Entry("context", line[1:], old, new)
                case "removed":
                    yield Entry("removed", line[1:], old)
                case "added":
                    yield Entry("added", line[1:], None, new)
                case _:
                    yield Entry(stretch.kind, line if stretch.title is None else stretch.title)


@lru_cache(maxsize=2)  # whoever turns the pages of a diff reads it once
def read(text: str) -> Unified:
    r"""The rows of the diff; lines end at "\n" only."""
    return Unified(text)


class _Reader:
    """Goes through the text from stretch to stretch."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._row = 0
        self._name = ""

    def stretches(self) -> Iterator[Stretch]:
        while self._at < len(self._text):
            end = line_end(self._text, self._at)
            if hunk := _HUNK.match(self._text, self._at):
                yield self._next("hunk", end, 1, name=self._name)
                yield from self._hunk(*(1 if number is None else int(number) for number in hunk.groups()))
            elif self._text.startswith("--- ", self._at) and self._text.startswith("+++ ", end):
                yield self._file(end, line_end(self._text, end))
            else:
                yield self._outside()

    def _next(self, kind: RowKind, end: int, size: int, *, name: str = "", title: str | None = None) -> Stretch:
        """The stretch outside the hunks that goes from here up to `end`; go on behind it."""
        stretch = Stretch(kind, self._row, size, self._at, name=name, title=title)
        self._row, self._at = stretch.end, end
        return stretch

    def _hunk(self, old: int, old_count: int, new: int, new_count: int) -> Iterator[Stretch]:
        """The lines that belong to the hunk.

        The numbers in its head say where it ends: a removed line "-- x" looks like the head of a file.
        """
        text, old_end, new_end = self._text, old + old_count, new + new_count
        while kind := _KINDS.get(text[self._at : self._at + 1]):
            if old >= old_end and new >= new_end and kind != "no_newline":
                return
            end, size = line_end(text, self._at), 1
            if _KINDS.get(text[end : end + 1]) == kind:
                end, size = self._alike(kind, _most(kind, old_end - old, new_end - new))
            yield Stretch(kind, self._row, size, self._at, old, new)
            self._row, self._at = self._row + size, end
            if kind in _OLD:
                old += size
            if kind in _NEW:
                new += size

    def _alike(self, kind: RowKind, most: int | None) -> tuple[int, int]:
        """Where the lines end that begin with the same mark as the one here, but only so many; and their number."""
        end = self._end(_LAST[kind])
        size = self._count(end)
        return (end, size) if most is None or size <= most else (lines_below(self._text, self._at, most, "\n"), most)

    def _file(self, end: int, last: int) -> Stretch:
        """The head of a file, in one row: its name, or both where they differ."""
        old, new = _plain(self._text[self._at : end], "a/"), _plain(self._text[end:last], "b/")
        self._name = (old if new == _NOBODY else new).strip('"')
        return self._next("file", last, 1, name=self._name, title=new if old == new else f"{old} → {new}")

    def _outside(self) -> Stretch:
        """Whatever else stands outside the hunks belongs to some file's head: shown as it is."""
        kind: RowKind = "no_newline" if self._text[self._at] == "\\" else "file"
        end = self._end(_LAST[kind])
        return self._next(kind, end, self._count(end))

    def _end(self, last: re.Pattern[str]) -> int:
        found = last.search(self._text, self._at)
        return found.end() if found else len(self._text)

    def _count(self, end: int) -> int:
        return self._text.count("\n", self._at, end) + (not self._text.endswith("\n", self._at, end))


def _most(kind: RowKind, old_left: int, new_left: int) -> int | None:
    """How many lines of this kind may follow in a hunk that has so many lines left; None if it is no matter."""
    match kind:
        case "added":
            return None if old_left > 0 else new_left
        case "removed":
            return None if new_left > 0 else old_left
        case "context":
            return max(old_left, new_left)
        case _:
            return None


def _plain(head: str, side: str) -> str:
    name = head[4:].removesuffix("\n").removesuffix("\t")
    quote = '"' if name.startswith('"') else ""
    return quote + name.removeprefix(quote).removeprefix(side)


def line_end(text: str, at: int) -> int:
    """Where the line ends that begins at `at`, its newline included."""
    return text.find("\n", at) + 1 or len(text)
