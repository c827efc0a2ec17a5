"""Reads one word of bash after another: quotes and escapes.

A second reading beside tree-sitter's, written from bash's own rules: what is allowed must be
read alike by both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from assent.tools.shell._word import Word, word_from

# The usual word, which needs no second look: nothing in it means anything to a shell.
_ORDINARY: Final = re.compile(r"[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*(?=[ \t\n;&|)]|\Z)")
_PLAIN: Final = re.compile(r"[^ \t\n\\'\"$`;&|()<>]+")
_IN_QUOTES: Final = re.compile(r"[^\\\"$`]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Something that must not be allowed unseen, and where it stands."""

    kind: str
    why: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Shell text found inside a command, and the place it came from."""

    text: str
    start: int
    end: int


class WordReader:
    """Reads words from a text; whoever extends it reads what expands in them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.limit = len(text)
        self.depth: int = 0
        self.doubts: list[Doubt] = []
        self.scripts: list[Script] = []
        self._pieces: list[tuple[str, bool]] = []
        self._dynamic = False
        self._splits = False

    def doubt(self, kind: str, why: str, start: int, end: int | None = None) -> None:
        """Note what keeps the command from being allowed."""
        self.doubts.append(Doubt(kind=kind, why=why, start=start, end=self.at if end is None else end))

    def word(self) -> Word:
        """The word that begins here; at least one character is consumed."""
        ordinary = _ORDINARY.match(self.text, self.at, self.limit)
        if ordinary:
            text, start = ordinary.group(), self.at
            self.at = ordinary.end()
            return Word(text=text, start=start, end=self.at, value=text, prefix=text, guess=text, literal=text)
        outer = self._pieces, self._dynamic, self._splits
        self._pieces, self._dynamic, self._splits = [], False, False
        start = self.at
        while self.at < self.limit and self._piece(start):
            pass
        word = word_from(
            text=self.text[start : self.at],
            start=start,
            pieces=self._pieces,
            dynamic=self._dynamic,
            splits=self._splits,
        )
        self._pieces, self._dynamic, self._splits = outer
        return word

    def _piece(self, start: int) -> bool:
        plain = _PLAIN.match(self.text, self.at, self.limit)
        if plain:
            self._pieces.append((plain.group(), False))
            self.at = plain.end()
            return True
        match self.text[self.at]:
            case "\\":
                self._escape()
            case "'":
                self._single()
            case '"':
                self._double()
            case "$" | "`":
                self._dollar(quoted=False)
            case "<" | ">" if self.text.startswith("(", self.at + 1) and self.at + 1 < self.limit:
                # It becomes the name of a pipe.
                self._pieces.append(("/dev/fd/", True))
                self._expands(splits=False)
                self._nested(2)
            case _:
                # A metacharacter ends the word; a word is never empty.
                self.at += self.at == start
                return False
        return True

    def _escape(self) -> None:
        start = self.at
        self.at = min(self.at + 2, self.limit)
        escaped = self.text[start + 1 : self.at]
        if escaped == "\n":
            self.doubt("continuation", "a line is continued inside a word", start)
        elif escaped:
            self._pieces.append((escaped, True))
        else:
            self.doubt("unparsable", "it ends in the middle of an escape", start)

    def _single(self) -> None:
        start = self.at
        end = self.text.find("'", start + 1, self.limit)
        if end < 0:
            self.doubt("unparsable", "a single quote is not closed", start, self.limit)
            end = self.limit
        self._pieces.append((self.text[start + 1 : end], True))
        self.at = min(end + 1, self.limit)

    def _double(self) -> None:
        start = self.at
        self.at += 1
        self._pieces.append(("", True))
        if not self._quoted('"'):
            self.doubt("unparsable", "a double quote is not closed", start)

    def _quoted(self, closer: str) -> bool:
        """Read what double quotes or an expanding here-document hold, and whether it was closed."""
        while self.at < self.limit:
            plain = _IN_QUOTES.match(self.text, self.at, self.limit)
            if plain:
                self._pieces.append((plain.group(), True))
                self.at = plain.end()
                continue
            char = self.text[self.at]
            if char == closer:
                self.at += 1
                return True
            self._in_quotes(char)
        return False

    def _in_quotes(self, char: str) -> None:
        if char == "\\":
            escaped = self.text[self.at + 1 : min(self.at + 2, self.limit)]
            if escaped == "\n":
                self.doubt("continuation", "a line is continued inside quotes", self.at, self.at + 2)
            else:
                self._pieces.append((escaped if escaped in '$`"\\' else f"\\{escaped}", True))
            self.at = min(self.at + 2, self.limit)
        elif char == '"':
            self._pieces.append(('"', True))
            self.at += 1
        else:
            self._dollar(quoted=True)

    def _expands(self, *, splits: bool) -> None:
        self._dynamic = True
        self._splits |= splits
        self._pieces.append(("", False))

    def _dollar(self, *, quoted: bool) -> None:
        """Read what begins with a dollar sign or a backtick."""
        raise NotImplementedError

    def _nested(self, length: int) -> None:
        """Read the script in parentheses that begin after `length` characters."""
        raise NotImplementedError
