"""The lines of a whole file, numbered and coloured, page by page."""

from __future__ import annotations

from dataclasses import dataclass

from assent.diff._budget import Budget
from assent.diff._rows import LEAD, PAGE, TOKENS
from assent.diff._syntax import Token, tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a file as it is drawn; positions count characters (code points) of `text`."""

    number: int
    """Counted from 1."""
    text: str
    """Without its newline, otherwise as it is; what is invisible in it stays so."""
    tokens: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Some lines of a file, from the one behind `offset` others on, and how many there are in all."""

    rows: tuple[Line, ...]
    offset: int
    total: int
    ends_with_newline: bool


def file_lines(text: str, name: str, *, offset: int = 0, limit: int = PAGE) -> Lines:
    """A page of the lines of a file with this name; only what is on it is coloured."""
    every = text.split("\n")
    ended = not every[-1]
    if ended:
        every.pop()
    page = range(min(max(offset, 0), len(every)), min(max(offset, 0) + max(limit, 0), len(every)))
    # Some lines above are read along: a text that began there is still one here.
    lead = max(0, page.start - LEAD)
    coloured = tokens(name, every[lead : page.stop], Budget(TOKENS))[page.start - lead :]
    drawn = (Line(number=at + 1, text=every[at], tokens=found) for at, found in zip(page, coloured, strict=True))
    return Lines(rows=tuple(drawn), offset=page.start, total=len(every), ends_with_newline=ended and bool(every))
