"""A diff in pieces: hunks, and the runs of lines they consist of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assent.diff._lines import split_lines

Kind = Literal["context", "removed", "added"]
_MARKS: dict[Kind, bytes] = {"context": b" ", "removed": b"-", "added": b"+"}
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Neighbouring lines of one kind, just as they stand in the file."""

    kind: Kind
    body: bytes
    count: int
    """How many lines `body` has."""

    def text(self) -> bytes:
        """The lines as a unified diff writes them, each behind its mark."""
        mark = _MARKS[self.kind]
        if self.body.endswith(b"\n"):
            return mark + self.body[:-1].replace(b"\n", b"\n" + mark) + b"\n"
        return mark + self.body.replace(b"\n", b"\n" + mark) + _NO_NEWLINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Changes close to each other, with the unchanged lines around them."""

    start: int
    """Where the hunk's first byte is in `before`."""
    lines_before: int
    """How many lines of the old file stand before it."""
    new_lines_before: int
    """How many lines of the new file stand before it."""
    runs: tuple[Run, ...]

    @property
    def end(self) -> int:
        """Where the hunk ends in `before`: `before[start:end]` is what it shows of the old file."""
        return self.start + len(self.before)

    @property
    def before(self) -> bytes:
        """What the old file has here, byte for byte."""
        return b"".join(run.body for run in self.runs if run.kind != "added")

    @property
    def after(self) -> bytes:
        """What the new file has here, byte for byte."""
        return b"".join(run.body for run in self.runs if run.kind != "removed")

    @property
    def removed(self) -> int:
        """How many lines go."""
        return self._count("removed")

    @property
    def added(self) -> int:
        """How many lines come."""
        return self._count("added")

    @property
    def old_count(self) -> int:
        """How many lines it shows of the old file."""
        return self._count("context", "removed")

    @property
    def new_count(self) -> int:
        """How many lines it shows of the new file."""
        return self._count("context", "added")

    @property
    def old_start(self) -> int:
        """The number of its first old line; if it has none, of the line it comes after."""
        return self.lines_before + (self.old_count > 0)

    @property
    def new_start(self) -> int:
        """The number of its first new line; if it has none, of the line it comes after."""
        return self.new_lines_before + (self.new_count > 0)

    def lines(self) -> Iterator[tuple[Kind, bytes]]:
        """Each line with its kind; the newline is part of the line."""
        for run in self.runs:
            for line in split_lines(run.body):
                yield run.kind, line

    def text(self) -> bytes:
        """The hunk as a unified diff writes it."""
        return b"".join(self.pieces())

    def pieces(self) -> list[bytes]:
        """The same text, its head and its runs apart: a text of many hunks is put together only once."""
        old, new = _range(self.lines_before, self.old_count), _range(self.new_lines_before, self.new_count)
        return [b"@@ -%b +%b @@\n" % (old, new), *[run.text() for run in self.runs]]

    def _count(self, *kinds: Kind) -> int:
        return sum([run.count for run in self.runs if run.kind in kinds])


def _range(before: int, count: int) -> bytes:
    return b"%d" % (before + 1) if count == 1 else b"%d,%d" % (before + (count > 0), count)
