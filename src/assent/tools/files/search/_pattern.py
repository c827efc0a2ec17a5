r"""The regular expressions that ripgrep and Python both understand, and understand alike.

A pattern is taken apart and written anew, in ASCII and over bytes, so that both engines get the very
same text and give the same answers. What only one of them has, or both in different ways, is refused
with its reason: look-around, back-references, possessive and atomic forms, `\p{...}`, `\A` and `\z`,
set operations in classes, and a newline, since a search looks at lines one by one.

`\d \w \s \b` and the folding of case know ASCII only. `.` and classes take whole UTF-8 characters.
`$` stands before the end of a line, whether that is `\n` or `\r\n`; `\r` is otherwise a character like
any other. `^` and `$` are about lines, so the flags `m` and `s` are accepted and change nothing.

With `multiline` a newline is a character like any other too: it may be written, `.`, `\s` and `[^a]` take
it, and a match may go over several lines. `^` and `$` are still about each line: `^` is at the start and
behind every newline, `$` before every newline and at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from assent.errors import InvalidPattern
from assent.tools.files.search._characters import CLASSES, LAST, NEWLINE, SURROGATES, Characters, Range, escaped
from assent.tools.files.search._pieces import (
    LINE_END,
    LINE_START,
    Piece,
    every_needle,
    joined,
    repeated,
    without_margins,
)

MOST_CHARACTERS = 2_000
MOST_DEPTH = 50
MOST_REPEATED = 1_000

_ALLOWED = (
    r"Allowed are plain characters, ., classes such as [a-z], \d \w \s \b, groups, |, ^, $ and the "
    r"repetitions * + ? {m,n}; a backslash makes a special character plain."
)
_REPEATS = frozenset("*+?{")
_CONTROLS = {"t": 0x09, "v": 0x0B, "f": 0x0C, "r": 0x0D, "a": 0x07, "n": NEWLINE}
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_NO_NEWLINE = "a search looks at one line at a time, so nothing matches a newline"
_REFUSED = {
    "B": r"the engines differ on it; say what may stand there, such as \w",
    "A": "use ^ for the start of a line",
    "z": "use $ for the end of a line",
    "Z": "use $ for the end of a line",
    "G": "use ^ for the start of a line",
    "p": "the engines' Unicode tables differ; use a class such as [a-zA-Zà-ü]",
    "P": "the engines' Unicode tables differ; use a class such as [^a-zA-Z]",
    "<": r"use \b for the edge of a word",
    ">": r"use \b for the edge of a word",
    "k": "back-references are not supported",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A pattern for both engines."""

    source: str
    """ASCII, over bytes, to be read with `^` and `$` at every line and without Unicode."""
    ignore_case: bool
    needles: tuple[bytes, ...]
    """Every match holds one of these, in lower case where case is ignored; none: not known."""
    every_needle: tuple[tuple[bytes, ...], ...]
    """The same for all that is known: a match holds one of each."""
    effort: int | None
    """Python tries at most this times the square of a line's length; None: it may be far more."""


def parse(text: str, *, ignore_case: bool, multiline: bool = False) -> Pattern:
    """The pattern for both engines; raises `InvalidPattern` if they would not agree on it."""
    return _Parser(text, ignore_case=ignore_case, multiline=multiline).pattern()


class _Parser:
    """Reads a pattern once, from left to right."""

    def __init__(self, text: str, *, ignore_case: bool, multiline: bool) -> None:
        self._text = text
        self._multiline = multiline
        self._at = 0
        self._depth = 0
        self._names: set[str] = set()
        self._everywhere = ignore_case
        self._folds = ignore_case

    def pattern(self) -> Pattern:
        if len(self._text) > MOST_CHARACTERS:
            raise InvalidPattern(f"The pattern is longer than {MOST_CHARACTERS} characters; search for a part of it.")
        self._leading_flags()
        branches = self._branches()
        if self._at < len(self._text):
            self._refuse("a ) that closes nothing", r"write \) for the bracket itself")
        if len(branches) == 1 and not self._multiline:
            branches = [without_margins(branches[0])]
        whole = joined(branches)
        every = every_needle(branches[0]) if len(branches) == 1 else (whole.needles,) if whole.needles else ()
        return Pattern(
            source=whole.source,
            ignore_case=self._everywhere,
            needles=whole.needles,
            every_needle=every,
            # Branches that stand alone are tried one after the other, and never within each other.
            effort=whole.size if whole.choices <= len(branches) else None,
        )

    # What stands beside each other

    def _branches(self) -> list[list[Piece]]:
        branches = [self._branch()]
        while self._take("|"):
            branches.append(self._branch())
        return branches

    def _branch(self) -> list[Piece]:
        pieces: list[Piece] = []
        while self._at < len(self._text) and self._peek() not in "|)":
            pieces.append(self._repeated(self._atom()))
        return pieces

    # Repetitions

    def _repeated(self, piece: Piece) -> Piece:
        start = self._at
        bounds = self._bounds()
        if bounds is None:
            return piece
        if not piece.repeatable:
            self._refuse("a repetition of something that takes no characters", "leave it out", at=start)
        least, most = bounds
        lazy = self._take("?")
        if self._peek() in _REPEATS:
            self._refuse("a repetition of a repetition", "possessive forms do not exist; group what is repeated")
        return repeated(piece, least, most, lazy=lazy)

    def _bounds(self) -> tuple[int, int | None] | None:
        simple = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._peek())
        if simple is not None:
            self._at += 1
            return simple
        return self._counted() if self._peek() == "{" else None

    def _counted(self) -> tuple[int, int | None]:
        start = self._at
        inner, closed, _ = self._text[start + 1 :].partition("}")
        least, comma, most = inner.partition(",")
        digits = least + (most or "0")
        if not closed or not least or not (digits.isascii() and digits.isdigit()):
            self._refuse("a { that begins no {m}, {m,} or {m,n}", r"write \{ for the brace itself")
        self._at += len(inner) + 2
        if max(len(least), len(most)) > len(str(MOST_REPEATED)) or int(max(least, most, key=len)) > MOST_REPEATED:
            self._refuse(f"a repetition of more than {MOST_REPEATED} times", "repeat less", at=start)
        low, high = int(least), None if comma and not most else int(most or least)
        if high is not None and high < low:
            self._refuse("a repetition whose upper bound is below its lower one", "swap them", at=start)
        return low, high

    # Single pieces

    def _atom(self) -> Piece:
        character = self._next()
        if character in _REPEATS:
            self._refuse("a repetition of nothing", f"write \\{character} for the character itself", at=self._at - 1)
        match character:
            case "(":
                return self._group()
            case "[":
                return self._set(self._class())
            case ".":
                return self._set(self._characters([], negated=True))
            case "^" | "$":
                return Piece(source=LINE_START if character == "^" else LINE_END, repeatable=False)
            case "\\":
                return self._escape()
            case _:
                return self._literal(ord(character))

    def _literal(self, point: int) -> Piece:
        if point == NEWLINE and not self._multiline:
            self._refuse("a newline", _NO_NEWLINE, at=self._at - 1)
        if not point or SURROGATES[0] <= point <= SURROGATES[1]:
            self._refuse("a character that no text file has", "leave it out", at=self._at - 1)
        encoded = chr(point).encode()
        needles = self._needles(encoded)
        source = "".join(map(escaped, encoded))
        return Piece(source=source, size=len(encoded), literal=encoded, needles=needles)

    def _needles(self, literal: bytes) -> tuple[bytes, ...]:
        """A literal as something to look for first; not if only here the case is ignored."""
        if self._everywhere:
            return (literal.lower(),)
        return () if self._folds else (literal,)

    def _characters(self, ranges: Sequence[Range], *, negated: bool = False) -> Characters:
        return Characters.of(ranges, negated=negated, newline=self._multiline)

    def _set(self, characters: Characters) -> Piece:
        if not characters.ranges or characters.ranges == ((0, 0),):
            why = "no file has it" if self._multiline else _NO_NEWLINE
            self._refuse("a class that no character of a line is in", why, at=self._at - 1)
        source = characters.spelled()
        return Piece(source=source, size=1 + source.count("|") * 4, characters=characters)

    def _escape(self) -> Piece:
        match self._peek():
            case "b":
                self._at += 1
                return Piece(source=r"\b", repeatable=False)
            case letter if letter and letter.lower() in CLASSES:
                return self._set(self._characters(self._shorthand()))
            case _:
                return self._literal(self._point())

    def _shorthand(self) -> tuple[Range, ...]:
        letter = self._next()
        ranges = CLASSES[letter.lower()]
        return self._characters(ranges, negated=True).ranges if letter.isupper() else ranges

    def _point(self) -> int:
        """The code point that the escape after a backslash stands for."""
        start = self._at - 1
        letter = self._next(missing="a backslash at the end")
        if letter in _REFUSED:
            self._refuse(f"\\{letter}", _REFUSED[letter], at=start)
        if letter in _HEX_DIGITS:
            return self._hex(letter, start)
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter.isdigit():
            self._refuse(f"\\{letter}", "back-references and octal escapes are not supported", at=start)
        if letter.isalpha() or not letter.isascii():
            self._refuse(f"\\{letter}", "it means nothing in both engines", at=start)
        return ord(letter)

    def _hex(self, letter: str, start: int) -> int:
        digits = self._text[self._at : self._at + _HEX_DIGITS[letter]]
        self._at += len(digits)
        if len(digits) < _HEX_DIGITS[letter] or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            self._refuse(f"\\{letter}", f"it takes {_HEX_DIGITS[letter]} hexadecimal digits", at=start)
        point = int(digits, 16)
        if point > LAST:
            self._refuse(f"\\{letter}{digits}", "there is no such character", at=start)
        return point

    # Classes

    def _class(self) -> Characters:
        start = self._at - 1
        negated = self._take("^")
        ranges: list[Range] = []
        first = True
        while first or self._peek() != "]":
            if self._at >= len(self._text):
                self._refuse("a [ that is not closed", r"write \[ for the bracket itself", at=start)
            ranges += self._member(first=first)
            first = False
        self._at += 1
        characters = self._characters(ranges)
        return self._characters((characters.folded() if self._folds else characters).ranges, negated=negated)

    def _member(self, *, first: bool) -> Sequence[Range]:
        start = self._at
        for operator in ("&&", "--", "~~", "||"):
            if self._text.startswith(operator, start):
                self._refuse(f"{operator} in a class", "write each character once, with a backslash before it")
        if self._peek() == "\\" and self._text[start + 1 : start + 2].lower() in CLASSES:
            self._at += 1
            return self._closed_range(self._shorthand())
        low = self._member_point(first=first)
        if self._peek() != "-" or self._text[self._at + 1 : self._at + 2] == "]":
            return [(low, low)]
        self._at += 1
        if self._text.startswith("-", self._at):
            self._refuse("-- in a class", "write each character once, with a backslash before it", at=self._at - 1)
        high = self._member_point(first=False)
        if high < low:
            self._refuse("a range that runs backwards", "swap its ends", at=start)
        return self._closed_range([(low, high)])

    def _closed_range(self, ranges: Sequence[Range]) -> Sequence[Range]:
        """Nothing may go on from here with a `-`, which the engines would read differently."""
        if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
            self._refuse("a - after a range or a class", r"write \- for the character itself, or put it last")
        return ranges

    def _member_point(self, *, first: bool) -> int:
        start = self._at
        character = self._next(missing="a [ that is not closed")
        if character == "\\":
            return self._point()
        if character == "[":
            self._refuse("a [ in a class", r"write \[ for the bracket itself", at=start)
        if character == "-" and not first and self._peek() != "]":
            self._refuse("a - in the middle of a class", r"write \- for the character itself, or put it last", at=start)
        return ord(character)

    # Groups and flags

    def _group(self) -> Piece:
        start = self._at - 1
        outer = self._folds
        flags = self._group_flags(start)
        self._depth += 1
        if self._depth > MOST_DEPTH:
            self._refuse(f"groups more than {MOST_DEPTH} deep", "use fewer", at=start)
        inner = joined(self._branches())
        self._depth -= 1
        if not self._take(")"):
            self._refuse("a ( that is not closed", r"write \( for the bracket itself", at=start)
        self._folds = outer
        return replace(inner, source=f"(?{flags}:{inner.source})")

    def _group_flags(self, start: int) -> str:
        """What stands between `(?` and `:` in the new pattern."""
        if not self._take("?"):
            return ""
        if self._take("P<"):
            self._name(start)
            return ""
        flags, colon, _ = self._text[self._at :].partition(":")
        if not colon or not (_are_flags(flags) or flags in {"", "-i"}):
            what = "look-around, atomic groups, conditions and most flags are not supported"
            self._refuse("an unknown form of group", f"{what}; use (...), (?:...), (?P<name>...) or (?i:...)", at=start)
        self._at += len(flags) + 1
        if "i" in flags:
            self._folds = not flags.startswith("-")
            return "i" if self._folds else "-i"
        return ""

    def _name(self, start: int) -> None:
        name, closed, _ = self._text[self._at :].partition(">")
        if not closed or not (name.isascii() and name.isidentifier()) or name in self._names:
            self._refuse("a group name", "a name is letters, digits and _, and is given once", at=start)
        self._names.add(name)
        self._at += len(name) + 1

    def _leading_flags(self) -> None:
        flags, closed, _ = self._text.removeprefix("(?").partition(")")
        if self._text.startswith("(?") and closed and _are_flags(flags):
            self._at = len(flags) + 3
            self._everywhere = self._folds = self._everywhere or "i" in flags

    # Reading on

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _next(self, *, missing: str = "an end too early") -> str:
        if self._at >= len(self._text):
            self._refuse(missing, r"write \\ for a backslash")
        self._at += 1
        return self._text[self._at - 1]

    def _refuse(self, what: str, instead: str, *, at: int | None = None) -> NoReturn:
        where = (self._at if at is None else at) + 1
        raise InvalidPattern(f"The pattern has {what} at character {where}: {instead}. {_ALLOWED}")


def _are_flags(text: str) -> bool:
    """Some of the flags that both engines have, each once."""
    return bool(text) and set(text) <= set("ims") and len(text) == len(set(text))
