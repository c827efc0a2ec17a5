"""What every UI draws of a diff: rows with line numbers, changed words and syntax, page by page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from operator import attrgetter

from assent.diff._budget import Budget
from assent.diff._syntax import Token, tokens
from assent.diff._unified import Entry, RowKind, Stretch, Unified, read
from assent.diff._words import Spans, changed_words, in_order, pairs

PAGE = 500
"""Rows on a page, unless the caller says otherwise."""
LEAD = 40
"""Rows above a page that are read along for its syntax; without an end, a late page would be slow."""
_STEPS = 2_000_000
"""For the changed words of a page: some tenths of a second."""
TOKENS = 20_000
"""So many are read for the colours of a page, more than an ordinary one has: lexers are slow."""
_CHANGED = frozenset({"removed", "added", "no_newline"})
_LINES = frozenset({"context", "removed", "added"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a diff as it is drawn; positions count characters (code points) of `text`."""

    kind: RowKind
    old: int | None = None
    """The line's number in the old file; an added line has none."""
    new: int | None = None
    """The line's number in the new file; a removed line has none."""
    text: str
    """The line without its mark and newline, otherwise as it is; what is invisible in it stays so."""
    changed: Spans = ()
    """What differs from the line's other version, where it has one."""
    tokens: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some rows of a diff, from row `offset` on, and how many there are in all."""

    rows: tuple[Row, ...]
    offset: int
    total: int


def rows(text: str, *, offset: int = 0, limit: int = PAGE) -> Page:
    """A page of the rows of a unified diff; only what is on it is compared and coloured."""
    diff = read(text)
    page = range(min(max(offset, 0), diff.total), min(max(offset, 0) + max(limit, 0), diff.total))
    words, colours = _changed(diff, page), _coloured(diff, page)
    drawn = (
        _row(line, words.get(at, ()), colours.get(at, ())) for at, line in zip(page, diff.entries(page), strict=True)
    )
    return Page(rows=tuple(drawn), offset=page.start, total=diff.total)


def _row(line: Entry, changed: Spans, coloured: tuple[Token, ...]) -> Row:
    return Row(kind=line.kind, old=line.old, new=line.new, text=line.text, changed=changed, tokens=coloured)


def _changed(diff: Unified, page: range) -> dict[int, Spans]:
    """The changed words on the page, by row. The other version of a line may stand on another page."""
    found: dict[int, Spans] = {}
    budget = Budget(_STEPS)
    for group in _groups(diff, page, _CHANGED):
        paired = [(i, j) for i, j in _Block(diff, group).pairs(page, budget) if i in page or j in page]
        texts = diff.texts({row for pair in paired for row in pair})
        for i, j in paired:
            found[i], found[j] = changed_words(texts[i], texts[j], budget)
    return found


class _Block:
    """Changed rows with nothing between them. Lines that go are numbered from 0, and so are those that come."""

    def __init__(self, diff: Unified, group: range) -> None:
        self._diff = diff
        self._group = group
        self._first, last = diff.stretches[group.start], diff.stretches[group.stop - 1]
        self._removed = last.old - self._first.old + last.size * (last.kind == "removed")
        self._added = last.new - self._first.new + last.size * (last.kind == "added")

    def pairs(self, page: range, budget: Budget) -> list[tuple[int, int]]:
        """The rows of which one became the other; where there are many, only those on the page."""
        if not (self._removed and self._added):
            return []
        if in_order(self._removed, self._added):
            both = range(min(self._removed, self._added))
            return [(self._old_row(number), self._new_row(number)) for number in self._numbers(page) if number in both]
        old, new = [*map(self._old_row, range(self._removed))], [*map(self._new_row, range(self._added))]
        texts = self._diff.texts([*old, *new])
        likest = pairs([texts[row] for row in old], [texts[row] for row in new], budget)
        return [(old[i], new[j]) for i, j in likest]

    def _numbers(self, page: range) -> list[int]:
        """The numbers of the lines on the page, of both sides."""
        numbers: set[int] = set()
        at = max(self._diff.index(page.start), self._group.start)
        while at < self._group.stop and (stretch := self._diff.stretches[at]).row < page.stop:
            number = stretch.old - self._first.old if stretch.kind == "removed" else stretch.new - self._first.new
            start, end = max(page.start, stretch.row), min(page.stop, stretch.end)
            if stretch.kind != "no_newline":
                numbers.update(range(number + start - stretch.row, number + end - stretch.row))
            at += 1
        return sorted(numbers)

    def _old_row(self, number: int) -> int:
        stretch = self._stretch(self._first.old + number, attrgetter("old"))
        return stretch.row + self._first.old + number - stretch.old

    def _new_row(self, number: int) -> int:
        stretch = self._stretch(self._first.new + number, attrgetter("new"))
        return stretch.row + self._first.new + number - stretch.new

    def _stretch(self, number: int, counter: Callable[[Stretch], int]) -> Stretch:
        """The stretch that has the line with this number of the file: the last one that is not behind it."""
        at = bisect_right(self._diff.stretches, number, self._group.start, self._group.stop, key=counter)
        return self._diff.stretches[at - 1]


def _coloured(diff: Unified, page: range) -> dict[int, tuple[Token, ...]]:
    """The tokens on the page, by row: each side of a hunk is read as the text it was and will be."""
    found: dict[int, tuple[Token, ...]] = {}
    budget = Budget(TOKENS)
    for hunk in _groups(diff, page, _LINES | _CHANGED):
        name = diff.stretches[hunk.start - 1].name if hunk.start else ""
        first, last = diff.stretches[hunk.start], diff.stretches[hunk.stop - 1]
        near = range(max(first.row, page.start - LEAD), min(last.end, page.stop))
        lines = dict(zip(near, diff.entries(near), strict=True))
        for other in ("added", "removed"):
            side = [row for row, line in lines.items() if line.kind in _LINES and line.kind != other]
            found.update(zip(side, tokens(name, [lines[row].text for row in side], budget), strict=True))
    return found


def _groups(diff: Unified, page: range, kinds: Container[str]) -> Iterator[range]:
    """The whole groups of stretches of these kinds that lie on the page, or reach into it."""
    stretches = diff.stretches
    at = diff.index(page.start)
    while page and at < len(stretches) and stretches[at].row < page.stop:
        start = end = at
        while start > 0 and stretches[start - 1].kind in kinds:
            start -= 1
        while end < len(stretches) and stretches[end].kind in kinds:
            end += 1
        if end > at:
            yield range(start, end)
        at = max(end, at + 1)
