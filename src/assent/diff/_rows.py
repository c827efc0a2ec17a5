"""What every UI draws of a diff: rows with line numbers, changed words and syntax, page by page."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from assent.diff._syntax import Token, tokens
from assent.diff._unified import Entry, RowKind, entries
from assent.diff._words import Spans, changed_words, pairs

PAGE = 500
"""Rows on a page, unless the caller says otherwise."""
_LEAD = 40
"""Rows above a page that are read along for its syntax; without an end, a late page would be slow."""
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
    lines = entries(text)
    page = range(min(max(offset, 0), len(lines)), min(max(offset, 0) + max(limit, 0), len(lines)))
    words, colours = _changed(lines, page), _coloured(lines, page)
    drawn = (_row(lines[at], words.get(at, ()), colours.get(at, ())) for at in page)
    return Page(rows=tuple(drawn), offset=page.start, total=len(lines))


def _row(line: Entry, changed: Spans, coloured: tuple[Token, ...]) -> Row:
    return Row(kind=line.kind, old=line.old, new=line.new, text=line.text, changed=changed, tokens=coloured)


def _changed(lines: Sequence[Entry], page: range) -> dict[int, Spans]:
    """The changed words on the page, by row. The other version of a line may stand on another page."""
    found: dict[int, Spans] = {}
    for block in _stretches(lines, page, _CHANGED):
        removed = [at for at in block if lines[at].kind == "removed"]
        added = [at for at in block if lines[at].kind == "added"]
        for i, j in pairs([lines[at].text for at in removed], [lines[at].text for at in added]):
            if removed[i] in page or added[j] in page:
                found[removed[i]], found[added[j]] = changed_words(lines[removed[i]].text, lines[added[j]].text)
    return found


def _coloured(lines: Sequence[Entry], page: range) -> dict[int, tuple[Token, ...]]:
    """The tokens on the page, by row: each side of a hunk is read as the text it was and will be."""
    found: dict[int, tuple[Token, ...]] = {}
    for hunk in _stretches(lines, page, _LINES | _CHANGED):
        name = lines[hunk.start - 1].name if hunk.start else ""
        near = [at for at in hunk if page.start - _LEAD <= at < page.stop]
        for other in ("added", "removed"):
            side = [at for at in near if lines[at].kind in _LINES and lines[at].kind != other]
            found.update(zip(side, tokens(name, [lines[at].text for at in side]), strict=True))
    return found


def _stretches(lines: Sequence[Entry], page: range, kinds: Container[str]) -> Iterator[range]:
    """The whole stretches of rows of these kinds that lie on the page, or reach into it."""
    at = page.start
    while at < page.stop:
        start = end = at
        while start > 0 and lines[start - 1].kind in kinds:
            start -= 1
        while end < len(lines) and lines[end].kind in kinds:
            end += 1
        if lines[at].kind in kinds:
            yield range(start, end)
        at = max(end, at + 1)
