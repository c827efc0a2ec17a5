"""Finding lines in the bytes of a file, and showing them: both engines' answers come from here."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    Place: TypeAlias = tuple[int, int, int]
    """Where a match is: the start of its first line, the end of its last, and where it begins itself."""

MOST_LINE_BYTES = 1_000
"""A longer line is shown in part, around what matched."""

MOST_MATCH_LINES = 200
"""Of a match that goes over more, the first are shown and the others counted."""

_BEFORE_HIT = 300
_WORTH_LOOKING_FOR = 3
_MATCH, _CONTEXT = "--> ", "    "


class Lines:
    """Finds the lines that match a pattern; with `multiline`, a match may go over several of them."""

    __slots__ = ("_every_needle", "_ignore_case", "_multiline", "_needles", "_search")

    def __init__(
        self,
        source: bytes,
        *,
        ignore_case: bool,
        needles: Sequence[bytes],
        every_needle: Sequence[Sequence[bytes]] = (),
        multiline: bool = False,
    ) -> None:
        self._search = re.compile(source, re.MULTILINE | (re.IGNORECASE if ignore_case else re.NOFLAG)).search
        self._ignore_case = ignore_case
        self._needles = needles
        self._every_needle = every_needle
        self._multiline = multiline

    def find(self, data: bytes) -> Iterator[Place]:
        """Where the matches are, from the first line to the last; each line is in one of them."""
        folded = data.lower() if self._ignore_case and self._needles else data
        if self._needles and not any(map(folded.__contains__, self._needles)):
            # Most files end here: it is all that is done with them.
            return iter(())
        return self._over_lines(data) if self._multiline else self._in_lines(data, folded)

    def _in_lines(self, data: bytes, folded: bytes) -> Iterator[Place]:
        for first, last in _with_needles(data, folded, self._needles):
            yield from self.within(data, first, last)

    def within(self, data: bytes, first: int, last: int) -> Iterator[Place]:
        """Where the matches are in a stretch of whole lines, each in one of them."""
        position = first
        while position <= last and (match := self._search(data, position, last)):
            hit = match.start()
            end = _line_end(data, hit)
            yield data.rfind(b"\n", 0, hit) + 1, end, hit
            position = end + 1

    def _over_lines(self, data: bytes) -> Iterator[Place]:
        """One match after the other; those that have a line in common are one."""
        position, last = 0, self._last_start(data)
        found: Place | None = None
        while position <= last and (match := self._search(data, position)):
            hit, until = match.span()
            if hit == len(data) and data.endswith(b"\n"):
                break  # behind the last newline there is no line
            start, end = data.rfind(b"\n", 0, hit) + 1, _line_end(data, max(hit, until - 1))
            if found is None:
                found = start, end, hit
            elif start <= found[1]:
                found = found[0], end, found[2]
            else:
                yield found
                found = start, end, hit
            position = max(until, hit + 1)
        if found is not None:
            yield found

    def _last_start(self, data: bytes) -> int:
        """Behind it no match can begin, since something is missing there that every match holds.

        Python would look for it again from each position on.
        """
        folded = data.lower() if self._ignore_case and self._every_needle else data
        lasts = [max(map(folded.rfind, needles)) for needles in self._every_needle]
        return min(lasts, default=len(data)) if data else -1


def worth_a_look(data: bytes, needles: Sequence[bytes], *, ignore_case: bool) -> Iterator[tuple[int, int]]:
    """The stretches of whole lines that can hold a match, each without its last newline.

    Every match holds one of `needles`, if there are any. Where they are is found far faster than matches.
    """
    return _with_needles(data, data.lower() if ignore_case and needles else data, needles)


def _with_needles(data: bytes, folded: bytes, needles: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """The same in data that is known with its case folded, if that is to be ignored."""
    ahead = [folded.find(needle) for needle in needles]
    if not data or (ahead and max(ahead) < 0):
        return
    if not needles or min(map(len, needles)) < _WORTH_LOOKING_FOR:
        # The newline that ends the last line begins no further one.
        yield 0, len(data) - data.endswith(b"\n")
        return
    while found := [seen for seen in ahead if seen >= 0]:
        seen = min(found)
        end = _line_end(data, seen)
        yield data.rfind(b"\n", 0, seen) + 1, end
        ahead = [
            folded.find(needle, end) if 0 <= seen < end else seen for seen, needle in zip(ahead, needles, strict=True)
        ]


def shown(data: bytes, place: Place, context: int) -> str:
    """The lines of a match with their neighbours, marked among them if there are any."""
    start, end, hit = place
    first, *others = data[start:end].split(b"\n", MOST_MATCH_LINES)
    lines = [_shown_line(first, hit - start), *(_shown_line(line, 0) for line in others[: MOST_MATCH_LINES - 1])]
    left = others[MOST_MATCH_LINES - 1 :]
    if left:
        count = left[0].count(b"\n") + 1
        lines.append(f"[{count} more lines of this match not shown]")
    if not context:
        return "\n".join(lines)
    first_start, last_end = around(data, start, end, context)
    before = [_CONTEXT + _shown_line(line, 0) for line in _split(data[first_start:start])]
    after = [] if left else [_CONTEXT + _shown_line(line, 0) for line in _split(data[end + 1 : last_end])]
    return "\n".join([*before, *(_MATCH + line for line in lines), *after])


def around(data: bytes, start: int, end: int, context: int) -> tuple[int, int]:
    """Where the neighbours of some lines begin, and where they end with their last newline."""
    for _ in range(context):
        start = data.rfind(b"\n", 0, max(0, start - 1)) + 1
        end = _line_end(data, end + 1)
    return start, min(end + 1, len(data))


def _split(data: bytes) -> list[bytes]:
    return data.removesuffix(b"\n").split(b"\n") if data else []


def _line_end(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    return len(data) if end < 0 else end


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
