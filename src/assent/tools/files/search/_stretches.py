"""What is worth handing to ripgrep: lines of the files it named, as we read them ourselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assent.tools.files.search._lines import around, worth_a_look
from assent.tools.files.search._pattern import Pattern
from assent.tools.files.search._tree import Limit, Reader

_MOST_AHEAD = 32_000_000


class Stretch(NamedTuple):
    """Whole lines of a file, as they are now."""

    path: str
    data: bytes
    """They and the lines around them that may be shown, or more."""
    start: int
    line: int
    """The number of its first line."""
    text: bytes
    """With the newline that ends the last of them."""


class Stretches:
    """Cuts files into stretches, some of them ahead: while ripgrep still looks, before it is known which count."""

    def __init__(self, reader: Reader, pattern: Pattern, *, limit: Limit, context_lines: int) -> None:
        self._reader = reader
        self._pattern = pattern
        self._limit = limit
        self._context = context_lines
        self._ready: dict[str, list[Stretch]] = {}
        self._left = _MOST_AHEAD

    def ahead(self, path: str) -> None:
        """Have a file's stretches ready, unless there are enough of them."""
        if self._left > 0:
            self._ready[path] = self._cut(path)

    def of(self, path: str) -> list[Stretch]:
        """The stretches of a file in which the pattern can be."""
        ready = self._ready.pop(path, None)
        return self._cut(path) if ready is None else ready

    def _cut(self, path: str) -> list[Stretch]:
        pattern = self._pattern
        data = self._reader.read(path, most=self._limit.at(path)) or b""
        self._left -= len(data)
        worthy = list(worth_a_look(data, pattern.needles, ignore_case=pattern.ignore_case))
        kept = self._kept(data, worthy)
        stretches: list[Stretch] = []
        line, counted = 1, 0
        for (start, end), (first, last) in zip(worthy, kept, strict=True):
            line += data.count(b"\n", counted, start)
            counted = start
            stretches.append(Stretch(path, data[first:last], start - first, line, data[start:end] + b"\n"))
        return stretches

    def _kept(self, data: bytes, worthy: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """How much of the data is kept for each stretch: all of it, where the pieces would be more."""
        # Not always all: memory that is written to for the first time costs more than reading the file.
        kept: list[tuple[int, int]] = []
        room = len(data)
        for start, end in worthy:
            first, last = around(data, start, end, self._context)
            room -= last - first
            if room < 0:
                return [(0, len(data))] * len(worthy)
            kept.append((first, last))
        return kept
