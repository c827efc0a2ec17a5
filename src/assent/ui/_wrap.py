"""Lines that fit the terminal; nothing is cut, and nothing wraps to where we speak."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_TAB_CELLS: Final = 8
_WORDS = re.compile(r"\S+\s*|\s+")


def wrap(line: str, width: int) -> list[str]:
    """The line in pieces of at most `width` cells; joined, they are the line again."""
    if len(line) <= width and line.isascii() and "\t" not in line:
        return [line]
    pieces, used = [""], 0
    for word in _WORDS.findall(line):
        for part in [word] if cells(word) <= width else _parts(word, width, max(0, width - used)):
            taken = cells(part)
            if used and used + taken > width:
                pieces.append("")
                used = 0
            pieces[-1] += part
            used += taken
    return pieces


def _parts(word: str, width: int, room: int) -> Iterator[str]:
    """A word that is wider than the line: what there is room for, then a line at a time; else by character."""
    if word.isascii() and "\t" not in word:
        yield word[:room]
        yield from (word[at : at + width] for at in range(room, len(word), width))
    else:
        yield from word


def cells(text: str) -> int:
    """How many columns the text takes on a terminal; a tab at its widest."""
    return len(text) if text.isascii() and "\t" not in text else sum(map(_cell, text))


@lru_cache(maxsize=4096)
def _cell(char: str) -> int:
    if char == "\t":
        return _TAB_CELLS
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    # Terminals disagree about some: what may take two cells is counted as two, so that no line
    # is longer than we think and goes on where we speak.
    wide = unicodedata.east_asian_width(char) in "WFA" or "\u3248" <= char <= "\u324f" or "\u4dc0" <= char <= "\u4dff"
    return 2 if wide else 1
