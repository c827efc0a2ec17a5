"""Where people read a verdict: how wide it is, and whether it has colours."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TextIO

from assent.ui import visible

Verdict = Literal["allow", "ask", "deny"]

MARKS: Final[dict[Verdict, str]] = {"allow": "─", "ask": "?", "deny": "✗"}
_COLOURS: Final[dict[Verdict, str]] = {"allow": "32", "ask": "33", "deny": "1;31"}
_NARROWEST: Final = 40
_WIDEST: Final = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A terminal, or what stands in for one."""

    width: int = 80
    colours: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> Screen:
        """The screen a stream writes to; without a terminal, plain text of 80 columns."""
        if not stream.isatty():
            return cls()
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            columns = 0
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(width=max(_NARROWEST, min(columns or 80, _WIDEST)), colours=wanted)

    def verdict(self, verdict: Verdict, text: str) -> str:
        """Text in the colour of a verdict."""
        return self._styled(_COLOURS[verdict], text)

    def underlined(self, verdict: Verdict, text: str) -> str:
        """A piece of a command, underlined in the colour of its verdict."""
        return self._styled(f"4;{_COLOURS[verdict]}", text)

    def faint(self, text: str) -> str:
        """Text that is there for whoever looks for it."""
        return self._styled("2", text)

    def strong(self, text: str) -> str:
        """Text that is seen first."""
        return self._styled("1", text)

    def _styled(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text


def cells(text: str) -> int:
    """How many columns the text takes."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def wrapped(text: str, width: int) -> Iterator[str]:
    """The text in lines of at most `width` columns, broken at blanks where there are any."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if cells(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        *full, line = _pieces(word, width)
        yield from full
    yield line


def short(text: str, most: int) -> str:
    """Untrusted text on one line; where it is cut, how long it is."""
    if len(text) <= most:
        return visible(text, keep="")
    return f"{visible(text[:most], keep='')}… ({len(text)} characters)"


def _pieces(word: str, width: int) -> list[str]:
    pieces = [""]
    for char in word:
        if cells(pieces[-1] + char) > width:
            pieces.append("")
        pieces[-1] += char
    return pieces


def _cell(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
