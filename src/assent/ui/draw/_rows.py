"""The lines of a body, a few at a time: only what is drawn is compared, coloured and wrapped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple, Protocol

from assent.diff import Row, rows
from assent.ui.draw._frame import Frame, side_by_side
from assent.ui.draw._look import Look

_PAGE = 500
_FEWEST_DIGITS = 3


class Item(NamedTuple):
    """What is drawn together: so many lines of the body, in so many lines of the screen."""

    rows: int
    lines: list[str]


class Source(Protocol):
    """Where the lines of a body come from."""

    @property
    def total(self) -> int:
        """How many lines there are."""
        ...

    def items(self, look: Look, *, page: int = _PAGE, longest: int | None = None) -> Iterator[Item]:
        """All of them, made ready by the page; what is longer than the longest that can be shown is cut."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Diffed:
    """The rows of a unified diff; a text or a file is one in which no line changes."""

    text: str
    skip: int = 0
    """So many rows at the top say what was said already."""
    shape: Literal["diff", "side_by_side", "file", "text"] = "diff"

    @property
    def total(self) -> int:
        """How many lines there are."""
        return rows(self.text, limit=0).total - self.skip

    def items(self, look: Look, *, page: int = _PAGE, longest: int | None = None) -> Iterator[Item]:
        """The rows, framed."""
        # The first page is a screen or two: whoever opens the pager waits for no more than that.
        at, size, total = 0, min(page, 2 * look.height), self.total
        while at < total:
            yield from self.some(look, range(at, at + size), longest=longest)
            at, size = at + size, page

    def some(self, look: Look, wanted: range, *, longest: int | None = None) -> Iterator[Item]:
        """Only these rows."""
        found = rows(self.text, offset=self.skip + wanted.start, limit=len(wanted)).rows
        frame = Frame(look=look, digits=self._digits(found), marks=self.shape in {"diff", "side_by_side"})
        if self.shape == "side_by_side" and not look.plain:
            yield from _beside(found, frame)
        else:
            yield from (_item(row, frame, longest) for row in found)

    def _digits(self, found: tuple[Row, ...]) -> int:
        highest = max((max(row.old or 0, row.new or 0) for row in found), default=0)
        return 0 if self.shape == "text" else max(_FEWEST_DIGITS, len(str(highest)))


def _item(row: Row, frame: Frame, longest: int | None) -> Item:
    if longest is None or len(row.text) <= longest:
        return Item(1, frame.lines(row))
    # Not counted as shown: a part of a line is not the line.
    return Item(0, frame.lines(replace(row, text=row.text[:longest])))


def _beside(found: tuple[Row, ...], frame: Frame) -> Iterator[Item]:
    """Lines that go beside those that come in their place."""
    removed: list[Row] = []
    added: list[Row] = []
    for row in found:
        if row.kind == "removed" and not added:
            removed.append(row)
        elif row.kind == "added":
            added.append(row)
        else:
            yield from _pairs(removed, added, frame)
            removed, added = ([row], []) if row.kind == "removed" else ([], [])
            if row.kind == "context":
                yield Item(1, side_by_side(row, row, frame))
            elif row.kind != "removed":
                yield Item(1, replace(frame, marks=False).lines(row))
    yield from _pairs(removed, added, frame)


def _pairs(removed: list[Row], added: list[Row], frame: Frame) -> Iterator[Item]:
    for at in range(max(len(removed), len(added))):
        old, new = (next(islice(side, at, None), None) for side in (removed, added))
        yield Item(sum(row is not None for row in (old, new)), side_by_side(old, new, frame))


def content(text: str, name: str = "", *, numbered: bool = True) -> Diffed:
    """A text in the language that the name tells, as rows."""
    body = text.removesuffix("\n")
    count = body.count("\n") + 1
    lines = body.replace("\n", "\n ")
    known = safe_name(name)
    end = "" if text.endswith("\n") or not numbered or not text else "\n\\ No newline at end of file"
    whole = f"--- a/{known}\n+++ b/{known}\n@@ -1,{count} +1,{count} @@\n {lines}{end}\n"
    return Diffed(text=whole, skip=2, shape="file" if numbered else "text")


def safe_name(path: str) -> str:
    """A file name of the same language; one with a line break would write a diff of its own."""
    return re.sub(r"[^\w.+#-]", "_", path.rpartition("/")[2])


def beside(source: Diffed) -> Diffed:
    """The same diff, old and new beside each other."""
    return replace(source, shape="side_by_side")
