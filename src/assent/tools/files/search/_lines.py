"""Finding lines in the bytes of a file, and showing them: both engines' answers come from here."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_LINE_BYTES = 1_000
"""A longer line is shown in part, around what matched."""

_BEFORE_HIT = 300
_WORTH_LOOKING_FOR = 3
_MATCH, _CONTEXT = "--> ", "    "


class Lines:
    """Finds the lines that match a pattern, which cannot match a newline."""

    __slots__ = ("_ignore_case", "_needles", "_search")

    def __init__(self, source: bytes, *, ignore_case: bool, needles: Sequence[bytes]) -> None:
        self._search = re.compile(source, re.MULTILINE | (re.IGNORECASE if ignore_case else re.NOFLAG)).search
        self._ignore_case = ignore_case
        self._needles = needles

    def find(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Start and end of each matching line, without its newline, and where the match begins."""
        for first, last in worth_a_look(data, self._needles, ignore_case=self._ignore_case):
            position = first
            while position <= last and (match := self._search(data, position, last)):
                hit = match.start()
                end = _line_end(data, hit)
                yield data.rfind(b"\n", 0, hit) + 1, end, hit
                position = end + 1


def worth_a_look(data: bytes, needles: Sequence[bytes], *, ignore_case: bool) -> Iterator[tuple[int, int]]:
    """The stretches of whole lines that can hold a match, each without its last newline.

    Every match holds one of `needles`, if there are any. Where they are is found far faster than matches.
    """
    # The newline that ends the last line begins no further one.
    end = len(data) - data.endswith(b"\n")
    folded = data.lower() if ignore_case and needles else data
    if not data or (needles and not any(needle in folded for needle in needles)):
        return
    if len(needles) != 1 or len(needles[0]) < _WORTH_LOOKING_FOR:
        yield 0, end
        return
    position = 0
    while (seen := folded.find(needles[0], position, end)) >= 0:
        line_end = _line_end(data, seen)
        yield data.rfind(b"\n", 0, seen) + 1, line_end
        position = line_end + 1


def shown(data: bytes, start: int, end: int, hit: int, context: int) -> str:
    """The line from `start` to `end` with its neighbours, marked among them if there are any."""
    line = _shown_line(data[start:end], hit - start)
    if not context:
        return line
    before = [_CONTEXT + _shown_line(one, 0) for one in _lines_before(data, start, context)]
    after = [_CONTEXT + _shown_line(one, 0) for one in _lines_after(data, end, context)]
    return "\n".join([*before, _MATCH + line, *after])


def _line_end(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    return len(data) if end < 0 else end


def _lines_before(data: bytes, start: int, count: int) -> list[bytes]:
    lines: list[bytes] = []
    while start > 0 and len(lines) < count:
        previous = data.rfind(b"\n", 0, start - 1) + 1
        lines.append(data[previous : start - 1])
        start = previous
    return lines[::-1]


def _lines_after(data: bytes, end: int, count: int) -> list[bytes]:
    lines: list[bytes] = []
    while end + 1 < len(data) and len(lines) < count:
        following = _line_end(data, end + 1)
        lines.append(data[end + 1 : following])
        end = following
    return lines


def _shown_line(line: bytes, hit: int) -> str:
    """The line as text, bytes that are no UTF-8 escaped; a long one in part, with what is missing counted."""
    line = line.removesuffix(b"\r")
    if len(line) <= MOST_LINE_BYTES:
        return line.decode("utf-8", "backslashreplace")
    start = max(0, min(hit - _BEFORE_HIT, len(line) - MOST_LINE_BYTES))
    start = _character_start(line, start)
    end = _character_start(line, start + MOST_LINE_BYTES)
    text = line[start:end].decode("utf-8", "backslashreplace")
    before = f"[{start} bytes not shown] " if start else ""
    after = f" [{len(line) - end} bytes not shown]" if end < len(line) else ""
    return f"{before}{text}{after}"


def _character_start(line: bytes, position: int) -> int:
    """Back to where the UTF-8 character at `position` begins, so that none is cut in two."""
    start = position
    while start > 0 and start > position - 3 and start < len(line) and line[start] & 0xC0 == 0x80:  # noqa: PLR2004 (UTF-8)
        start -= 1
    return min(start, len(line))
