"""A word of a shell command: what is written, and what is certain of what it becomes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")


# Not frozen: one is made for every word, and freezing would cost more than reading it.
@dataclass(slots=True, kw_only=True)
class Word:
    """One word as it stands in the command; nobody changes it."""

    text: str
    start: int
    end: int
    value: str | None
    """After quote removal; none where the shell decides."""
    prefix: str
    """What is certain of its beginning."""
    splits: bool = False
    """Whether it may become several words, or none."""
    quoted: bool = False
    """Whether any character of it is quoted, so that it is no keyword."""
    guess: str = ""
    """Its value if every expansion in it came to nothing."""
    literal: str = ""
    """Its value with globs and the like taken as they stand."""

    @property
    def is_assignment(self) -> bool:
        """Whether it sets a variable when it stands before a command."""
        return _ASSIGNMENT.match(self.text) is not None

    @property
    def may_be_option(self) -> bool:
        """Whether a program may read it as an option."""
        # What globs and braces make of a word begins as the word does.
        open_start = self.splits and not self.literal
        return open_start or self.prefix == "" or self.prefix.startswith("-")


def word_from(*, text: str, start: int, pieces: list[tuple[str, bool]], dynamic: bool, splits: bool) -> Word:
    """The word that literal pieces make, each with whether it is quoted."""
    mask = "".join("\0" * len(piece) if quoted else piece for piece, quoted in pieces)
    guess = "".join(piece for piece, _ in pieces)
    sure = len(mask) if not dynamic else _certain(pieces)
    patterns = min(_glob(mask), _braces(mask))
    fixed = not dynamic and patterns == len(mask) and not mask.startswith("~")
    return Word(
        text=text,
        start=start,
        end=start + len(text),
        value=guess if fixed else None,
        prefix=guess[: min(sure, patterns)],
        splits=splits or patterns < len(mask),
        quoted="\0" in mask or len(guess) != len(text),
        guess=guess,
        literal="" if dynamic else guess,
    )


def _glob(mask: str) -> int:
    """Where the first pattern for file names begins; the length if there is none."""
    found = [at for at in (mask.find("*"), mask.find("?")) if at >= 0]
    bracket = mask.find("[")
    if bracket >= 0 and "]" in mask[bracket + 1 :]:
        found.append(bracket)
    return min(found, default=len(mask))


def _braces(mask: str) -> int:
    """Where braces begin that the shell may expand; the length if there are none."""
    at = mask.find("{")
    rest = mask[at:] if at >= 0 else ""
    return at if "}" in rest and ("," in rest or ".." in rest) else len(mask)


def _certain(pieces: list[tuple[str, bool]]) -> int:
    """How many characters stand before the first expansion, which is an empty piece."""
    length = 0
    for piece, quoted in pieces:
        if not piece and not quoted:
            return length
        length += len(piece)
    return length


def unknown(start: int, end: int, *, prefix: str = "", splits: bool = True, text: str = "") -> Word:
    """A word that only the moment of running decides."""
    return Word(text=text, start=start, end=end, value=None, prefix=prefix, splits=splits)


def known(value: str, start: int, end: int) -> Word:
    """A word whose value is certain, from a place where it was not written as such."""
    return Word(text=value, start=start, end=end, value=value, prefix=value, guess=value, literal=value)
