"""Lines that fit the terminal; nothing is cut, and nothing wraps to where we speak."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_TAB_CELLS: Final = 8
_WORDS = re.compile(r"\S+\s*|\s+")


def wrap(line: str, width: int) -> list[str]:
    """The line in pieces of at most `width` cells; joined, they are the line again."""
    if len(line) <= width and line.isascii() and "\t" not in line:
        return [line]
    pieces, used = [""], 0
    for part in _parts(line, width):
        taken = cells(part)
        if used and used + taken > width:
            pieces.append("")
            used = 0
        pieces[-1] += part
        used += taken
    return pieces


def _parts(line: str, width: int) -> Iterator[str]:
    """Words with the blanks behind them; one that is wider than the line, by character."""
    for word in _WORDS.findall(line):
        if cells(word) <= width:
            yield word
        else:
            yield from word


def cells(text: str) -> int:
    """How many columns the text takes on a terminal; a tab at its widest."""
    return len(text) if text.isascii() and "\t" not in text else sum(map(_cell, text))


def _cell(char: str) -> int:
    if char == "\t":
        return _TAB_CELLS
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    # Terminals disagree about some: what may take two cells is counted as two, so that no line
    # is longer than we think and goes on where we speak.
    wide = unicodedata.east_asian_width(char) in "WFA" or "\u3248" <= char <= "\u324f" or "\u4dc0" <= char <= "\u4dff"
    return 2 if wide else 1
