"""What someone may have meant by a text that is not in the file, for "did you mean …?"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, partial
from typing import NamedTuple

from assent.diff._lines import count_lines, lines_after, lines_below, split_lines

_MOST_BYTES = 10_000_000
"""So much of a file is searched."""
_WORK = 64 << 20
"""So many bytes are read for all needles together."""
_LINES = 20
"""So many lines of what is wanted are looked at; that is enough to know it again."""
_LONG_LINE = 1_000
"""In a longer line it is the place that counts, not where the line begins."""
_NEEDLE_LINES = 8
_NEEDLE_WORDS = 16
_PLACES = 64
"""A needle that is found more often says little; the rest of its places is not looked at."""
_CANDIDATES = 10
_ITEMS = 160
"""So many characters, or words, are compared: the time grows with the square."""
_ALIKE = 0.6
_SHORTEST = 3
_SHOWN = 400
"""Characters of a suggestion that are shown."""

_SPACE = b" \t\r\v\f"
_WORD = re.compile(rb"[\w\x80-\xff]+")
_ITEM = re.compile(rb"[\w\x80-\xff]+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A place in the file that is much like what was wanted."""

    line: int
    text: str
    """As many lines as were wanted, from `line` on; cut where it gets long, and the cut is marked."""


class _Needle(NamedTuple):
    """A piece of the wanted text, and where it stands in it."""

    piece: bytes
    line: int
    column: int


def suggest(data: bytes, wanted: bytes, *, most: int = 3) -> list[Suggestion]:
    """Up to `most` places that may have been meant, best first; none that is only a little alike.

    First come places that differ in nothing but spaces, tabs and line ends. Then there is a vote: pieces
    of the wanted text that are rare in the file speak for the places where they stand, and the
    places with the most votes are compared in earnest.
    """
    data, count = data[:_MOST_BYTES], count_lines(wanted)
    found: list[range] = []
    for places in (_equal_but_for_space, _alike):
        for start in places(data, wanted):
            if len(found) == most:
                break
            if any(start in other for other in found):
                continue
            window = range(start, lines_below(data, start, count, b"\n"))
            if not any(other.start in window for other in found):
                found.append(window)
        if found:
            break
    return [_shown(data, window) for window in found]


def _shown(data: bytes, window: range) -> Suggestion:
    text = data[window.start : window.stop][: 4 * _SHOWN].decode("utf-8", "backslashreplace").rstrip("\r\n")
    if len(text) > _SHOWN or len(window) > 4 * _SHOWN:
        text = f"{text[:_SHOWN]} … (cut)"
    return Suggestion(line=data.count(b"\n", 0, window.start) + 1, text=text)


def _equal_but_for_space(data: bytes, wanted: bytes) -> Iterator[int]:
    """Where lines begin that are equal once spaces, tabs and carriage returns are taken out."""
    needle = wanted.translate(None, _SPACE)
    ahead = len(needle) - len(needle.lstrip(b"\n"))
    needle = needle.strip(b"\n")
    bare = data.translate(None, _SPACE)
    line = passed = start_line = start = 0
    for at in _places(bare, needle, step=len(needle)) if len(needle) >= _SHORTEST else ():
        if at == 0 or not _WORD.fullmatch(bare, at - 1, at + 1):  # it does not begin within a word
            line, passed = line + bare.count(b"\n", passed, at), at
            below = max(line - ahead - start_line, 0)
            start_line, start = start_line + below, lines_below(data, start, below, b"\n")
            yield start


def _alike(data: bytes, wanted: bytes) -> list[int]:
    """Where the windows begin that are most like what is wanted, best first."""
    wanted = wanted[: lines_after(wanted, 0, _LINES)[0]][: _LINES * _LONG_LINE]
    count = count_lines(wanted)
    likeness = cache(partial(_likeness, wanted))
    scores: list[tuple[float, int]] = []
    for start, begin in _elected(data, wanted):
        window = data[start : start + _LINES * _LONG_LINE]
        texts = [window[: lines_after(window, 0, count)[0]]]
        if count == 1:  # it may be a piece of a longer line
            texts.append(data[begin : begin + len(wanted)])
        scores.append((-max(map(likeness, texts)), start))
    return [start for score, start in sorted(scores) if -score >= _ALIKE]


def _elected(data: bytes, wanted: bytes) -> list[tuple[int, int]]:
    """Where the windows begin that have the most votes, and where the wanted text would begin in each.

    A rare needle has a strong voice, and so has a long one.
    """
    votes: dict[int, float] = defaultdict(float)
    begins: dict[int, int] = {}
    work = _WORK
    for needle in _needles(wanted):
        places = list(_places(data, needle.piece))
        for at in places:
            start = _window_start(data, at, needle)
            votes[start] += len(needle.piece) / len(places)
            begins.setdefault(start, max(at - needle.column, start) if needle.line == 0 else start)
        work -= len(data) if len(places) < _PLACES else places[-1]
        if work < 0:
            break
    elected = sorted(votes, key=lambda start: (-votes[start], start))[:_CANDIDATES]
    return [(start, begins[start]) for start in elected]


def _needles(wanted: bytes) -> Iterator[_Needle]:
    """The longest lines, whole and in halves, since a slip of the pen spoils only one half; then words."""
    lines = list(enumerate(split_lines(wanted)))
    for number, line in sorted(lines, key=lambda one: -len(one[1].strip()))[:_NEEDLE_LINES]:
        text = line.strip()[:_LONG_LINE]
        column, half = line.find(text), len(text) // 2
        pieces = [_Needle(text, number, column), _Needle(text[:half], number, column)]
        pieces.append(_Needle(text[half:], number, column + half))
        yield from (needle for needle in pieces if len(needle.piece) >= _SHORTEST)
    places = [(word, number) for number, line in lines for word in _WORD.finditer(line)]
    words = {word.group(): _Needle(word.group(), number, word.start()) for word, number in places}
    longest = sorted(words.values(), key=lambda needle: -len(needle.piece))[:_NEEDLE_WORDS]
    yield from (needle for needle in longest if len(needle.piece) >= _SHORTEST)


def _window_start(data: bytes, at: int, needle: _Needle) -> int:
    """Where the window begins if the needle at `at` stands in it as it does in the wanted text."""
    start = _near_line_start(data, at)
    if start is None:
        return max(at - needle.column, 0)
    for _ in range(needle.line):
        above = _near_line_start(data, start - 1) if start else None
        if above is None:
            break
        start = above
    return start


def _near_line_start(data: bytes, at: int) -> int | None:
    """Where the line begins that `at` belongs to, unless that is far away."""
    floor = max(at - _LONG_LINE, 0)
    start = data.rfind(b"\n", floor, at) + 1
    return start if start or not floor else None


def _likeness(wanted: bytes, window: bytes) -> float:
    """How alike two texts are, from 0 to 1; how they are spaced does not count."""
    left, right = b" ".join(wanted.split()), b" ".join(window.split())
    if max(len(left), len(right)) <= _ITEMS:
        return SequenceMatcher(None, left, right, autojunk=False).ratio()
    return SequenceMatcher(None, _ITEM.findall(left)[:_ITEMS], _ITEM.findall(right)[:_ITEMS], autojunk=False).ratio()


def _places(data: bytes, piece: bytes, *, step: int = 1) -> Iterator[int]:
    """Where the piece stands, the first places only, each `step` bytes behind the one before or more."""
    at = -step
    for _ in range(_PLACES):
        at = data.find(piece, at + step)
        if at < 0:
            return
        yield at
