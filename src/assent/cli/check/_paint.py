"""A command with each of its parts in the colour of its verdict, or marked below without colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from assent.cli._screen import MARKS, Screen, Verdict, cells
from assent.tools.shell import Part
from assent.ui import visible

_TAB: Final = "⇥   "


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character of the command as it is shown, and the verdict on the part it belongs to."""

    text: str
    verdict: Verdict | None


def painted(command: str, parts: Sequence[Part], screen: Screen, indent: str) -> Iterator[str]:
    """The whole command; nothing in it acts on the terminal or hides."""
    for line in _lines(command, _verdicts(command, parts)):
        for row in _rows(line, screen.width - len(indent)):
            yield f"{indent}{''.join(_runs(row, screen))}"
            if not screen.colours and any(glyph.verdict for glyph in row):
                yield f"{indent}{''.join(_marks(row))}".rstrip()


def _verdicts(command: str, parts: Sequence[Part]) -> list[Verdict | None]:
    """The verdict on each character: that of the smallest part around it, the strictest if there are several."""
    verdicts: list[Verdict | None] = [None] * len(command)
    order = list(MARKS)
    for part in sorted(parts, key=lambda part: (part.start - part.end, order.index(part.verdict))):
        for place in range(part.start, min(part.end, len(command))):
            verdicts[place] = part.verdict
    return verdicts


def _lines(command: str, verdicts: Sequence[Verdict | None]) -> Iterator[list[Glyph]]:
    line: list[Glyph] = []
    for char, verdict in zip(command, verdicts, strict=True):
        if char == "\n":
            yield line
            line = []
        else:
            line.append(Glyph(_TAB if char == "\t" else visible(char, keep=""), verdict))
    if line or not command.endswith("\n"):
        yield line


def _rows(line: list[Glyph], width: int) -> Iterator[list[Glyph]]:
    """The line in rows that fit, broken behind a blank where there is one."""
    row: list[Glyph] = []
    used = blank = 0
    for glyph in line:
        size = cells(glyph.text)
        if row and used + size > width:
            end = blank or len(row)
            yield row[:end]
            row = row[end:]
            used, blank = sum(cells(each.text) for each in row), 0
        row.append(glyph)
        used += size
        blank = len(row) if glyph.text == " " else blank
    yield row


def _runs(row: list[Glyph], screen: Screen) -> Iterator[str]:
    for verdict, glyphs in groupby(row, key=attrgetter("verdict")):
        text = "".join(glyph.text for glyph in glyphs)
        yield screen.underlined(verdict, text) if verdict else text


def _marks(row: list[Glyph]) -> Iterator[str]:
    for glyph in row:
        yield (MARKS[glyph.verdict] if glyph.verdict else " ") * cells(glyph.text)
