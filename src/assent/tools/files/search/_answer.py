"""What a search answers: its matches with their numbers, and not more of them than anybody reads.

Nothing heavy is imported here: the search process, which starts for every search, uses it too.
"""

from __future__ import annotations

import os

from assent.tools.files.search._lines import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias, TypedDict

    from assent.tools.files.search._lines import Place

    Seen: TypeAlias = tuple[str, bytes, tuple[int, int], Place]
    """A file's path and content, where a line before the match starts and its number, and the match."""

    class Answer(TypedDict):
        """The first matches, as path, line number and content."""

        matches: list[tuple[str, int, str]]
        truncated: bool


MOST_TEXT = 1_000_000
"""How many characters an answer holds, whatever is asked for; the first match is always whole."""


class Room:
    """What an answer may still hold: so many matches, and so much text."""

    __slots__ = ("_matches", "_text")

    def __init__(self, matches: int, text: int = MOST_TEXT) -> None:
        self._matches = matches
        self._text = text

    def takes(self, path: str, content: str) -> bool:
        """Whether this match fits in too; if not, neither does any later one."""
        if self._matches <= 0 or self._text <= 0:
            return False
        self._matches -= 1
        self._text -= len(path) + len(content)
        return True


def answer(seen: Iterable[Seen], *, context_lines: int, room: Room) -> Answer:
    """The matches for which there is room; those of one file come one after the other."""
    matches: list[tuple[str, int, str]] = []
    here: object = None
    number = counted = 0
    for path, data, known, place in seen:
        if here != (path, known):
            here = path, known
            counted, number = known
        start = place[0]
        number += data.count(b"\n", counted, start)
        counted = start
        content = shown(data, place, context_lines)
        if not room.takes(path, content):
            return {"matches": matches, "truncated": True}
        matches.append((path, number, content))
    return {"matches": matches, "truncated": False}


def first_of_each(seen: Iterable[Seen]) -> Iterator[Seen]:
    """The first match of each file; those of one file come one after the other."""
    here = None
    for each in seen:
        if each[0] != here:
            here = each[0]
            yield each


def merged(answers: Sequence[Answer], *, room: Room) -> Answer:
    """Answers about different files as one. Each has all the matches for which there could be room."""
    if len(answers) == 1:
        return answers[0]
    found = [match for each in answers for match in each["matches"]]
    found.sort(key=lambda match: os.fsencode(match[0]))
    matches = [match for match in found if room.takes(match[0], match[2])]
    left_out = len(matches) < len(found) or any(each["truncated"] for each in answers)
    return {"matches": matches, "truncated": left_out}
