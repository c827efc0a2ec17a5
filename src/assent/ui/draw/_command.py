"""A command: all of it, with what is not allowed marked, and a line for each of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from assent.diff import Row, rows
from assent.model import Command, CommandPart
from assent.ui.draw._frame import Frame, inked
from assent.ui.draw._ink import Ink, cells, indented, paint, spelled, untabbed, wrapped
from assent.ui.draw._look import Look
from assent.ui.draw._rows import Item, Source, content

_MARKS: Final = {"allow": "✓ ", "ask": "? ", "deny": "✗ "}
_RISKY: Final = {"ask": "risky", "deny": "denied"}
_MOST_PARTS: Final = 30
_MOST_TEXT: Final = 60


def command_body(text: str, command: Command) -> tuple[Source, ...]:
    """The command, and what its parts are judged."""
    return (Marked(text=text, parts=command.parts), *([Parts(parts=command.parts)] if command.parts else []))


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """The text of a command; what is not allowed in it stands out from what is."""

    text: str
    parts: tuple[CommandPart, ...]

    @property
    def total(self) -> int:
        """How many lines there are."""
        return self.text.removesuffix("\n").count("\n") + 1

    def items(self, look: Look, *, page: int = 500, longest: int | None = None) -> Iterator[Item]:
        """Each line, and without colours another below it for the marks."""
        risky, source = self._risky(), content(self.text, "run.sh", numbered=False)
        start = 0
        for at in range(0, self.total, page):
            for row in rows(source.text, offset=source.skip + at, limit=page).rows:
                spans = [
                    (max(part.start - start, 0), min(part.end - start, len(row.text)), _RISKY[part.verdict])
                    for part in risky
                    if part.start - start < len(row.text) and part.end > start
                ]
                # A part of a line is not the line: it does not count as shown.
                whole = longest is None or len(row.text) <= longest
                yield Item(int(whole), _lines(row if whole else replace(row, text=row.text[:longest]), spans, look))
                start += len(row.text) + 1

    def _risky(self) -> list[CommandPart]:
        """What to mark: where nothing is allowed, there is nothing it has to be told from."""
        found = [part for part in self.parts if part.verdict != "allow" and part.start < part.end]
        return found if len(found) < len(self.parts) else []


def _lines(row: Row, spans: list[tuple[int, int, str]], look: Look) -> list[str]:
    if look.plain or not spans:
        return Frame(look=look).lines(row)
    lines: list[str] = []
    for piece, _ in wrapped(untabbed(inked(row, "", spans), look), look.width - 4):
        lines.append(paint([Ink("  ┆ " if lines else "  │ ", "dim"), *piece], look).rstrip(" "))
        marks = "".join(("^" if ink.fore in _RISKY.values() else " ") * cells(ink.text) for ink in piece).rstrip()
        if marks and look.colours == "none":
            lines.append(f"  ┆ {marks}")
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a command, each with its verdict and why; as many as anybody would read."""

    parts: tuple[CommandPart, ...]

    @property
    def total(self) -> int:
        """How many lines there are."""
        return len(self._some()) + (len(self._some()) < len(self.parts))

    def items(self, look: Look, *, page: int = 500, longest: int | None = None) -> Iterator[Item]:  # noqa: ARG002 (few)
        """A line for each part, further in where it goes on."""
        some = self._some()
        for part in some:
            yield Item(1, indented(_judged(part, look), look, "  ", 4))
        if len(some) < len(self.parts):
            yield Item(1, indented([Ink(f"and {len(self.parts) - len(some)} more parts", "dim")], look, "  "))

    def _some(self) -> list[CommandPart]:
        # Those that are not allowed and those that are, each up to a number: a flood of one hides none of the other.
        shown: set[int] = set()
        for allowed in (True, False):
            shown.update([id(part) for part in self.parts if (part.verdict == "allow") is allowed][:_MOST_PARTS])
        return [part for part in self.parts if id(part) in shown]


def _judged(part: CommandPart, look: Look) -> list[Ink]:
    verdict = part.verdict if look.plain else f"{_MARKS[part.verdict]}{part.verdict}"
    text = part.text if len(part.text) <= _MOST_TEXT else f"{part.text[:_MOST_TEXT]}… ({len(part.text)} characters)"
    rule = f" (rule: {part.rule})" if part.rule and not part.rule.startswith("[") and part.rule not in part.why else ""
    return [
        Ink(f"{verdict:<7}  ", part.verdict),
        *spelled(text, "strong", keep=""),
        Ink(": " if look.plain else " — ", "dim"),
        *spelled(f"{part.why}{rule}", "dim", keep=""),
    ]
