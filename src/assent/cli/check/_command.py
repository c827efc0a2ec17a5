"""A judged command, for people and for programs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final, TextIO

from assent.cli._screen import Screen, cells, short, wrapped
from assent.cli.check._paint import painted
from assent.cli.check._words import happens, header, noted, remembered
from assent.config import Settings
from assent.model import ApprovalRequest
from assent.tools.shell import Judgement, Looked, Part, worth_a_line
from assent.ui import visible

TOOL: Final = "run_command"
_INDENT: Final = "  "
_VERDICT: Final = 7
_MOST_TEXT: Final = 60
_MOST_ROWS: Final = 60


def command_text(words: Sequence[str], stdin: TextIO) -> str:
    """One word is the command's text, `-` reads it, several are quoted and joined to one command."""
    if list(words) == ["-"]:
        return stdin.read().removesuffix("\n")
    return words[0] if len(words) == 1 else shlex.join(words)


def spelled(looked: Looked, settings: Settings) -> dict[str, object]:
    """The verdict as JSON data."""
    judgement, verdict, places = looked.judgement, looked.verdict(TOOL), places_of(settings)
    return {
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "mode": settings.approvals.mode,
        "command": looked.command,
        "cwd": str(looked.folder),
        "config": str(settings.file) if settings.file else None,
        "parts": [asdict(part) | {"where": places.get(part.rule)} for part in judgement.parts],
        "warnings": [asdict(warning) for warning in judgement.warnings],
        "remember": remembered(verdict),
        "argv": judgement.argv,
    }


def explained(looked: Looked, settings: Settings, screen: Screen) -> Iterator[str]:
    """The verdict for people: the command, every part of it, and what would happen."""
    verdict = looked.verdict(TOOL)
    yield from header(settings, str(looked.folder), screen)
    yield ""
    yield from pictured(looked.command, looked.judgement, places_of(settings), screen)
    if looked.unknown:
        yield from noted(f"ask: {verdict.reason}", _INDENT, screen)
    yield ""
    if isinstance(verdict, ApprovalRequest):
        yield "A remembered answer could cover"
        for each in remembered(verdict):
            yield from noted(f"- {each['covers']}", _INDENT, screen, hanging="  ")
        yield ""
    yield happens(verdict, settings.approvals.mode, screen)


def pictured(command: str, judgement: Judgement, places: Mapping[str, str], screen: Screen) -> Iterator[str]:
    """The command with its parts marked, and a row for each of them."""
    yield from painted(command, judgement.parts, screen, _INDENT)
    yield ""
    yield from _table(judgement, places, screen)


def places_of(settings: Settings) -> dict[str, str]:
    """Where each rule stands in the configuration, by how answers name it."""
    if settings.file is None:
        return {}
    lines = (settings.lines.get(("shell", "rules", str(at), "pattern")) for at in range(len(settings.shell.rules)))
    named = zip((shlex.join(rule.pattern) for rule in settings.shell.rules), lines, strict=True)
    return {title: f"{settings.file.name}:{line}" for title, line in named if line}


def _table(judgement: Judgement, places: Mapping[str, str], screen: Screen) -> Iterator[str]:
    """A row for each part; what is dangerous stands below the part it is about."""
    parts = worth_a_line(judgement.parts)
    rows = {id(part): short(part.text, _MOST_TEXT) for part in [*_first(parts, "ask deny"), *_first(parts, "allow")]}
    room = max(12, screen.width * 2 // 5)
    column = max((cells(text) for text in rows.values() if cells(text) <= room), default=0)
    warnings = list(dict.fromkeys((each.start, each.end, f"⚠ {each.kind}: {each.why}") for each in judgement.warnings))
    for part in parts:
        if id(part) in rows:
            yield from _row(part, rows[id(part)], column, places, screen)
            for warning in [each for each in warnings if each[:2] == (part.start, part.end)]:
                yield from noted(warning[2], _behind(column), screen)
                warnings.remove(warning)
    for _, _, text in warnings:
        yield from noted(text, _INDENT, screen)
    if len(rows) < len(parts):
        yield screen.faint(f"{_INDENT}… and {len(parts) - len(rows)} more parts; --json lists them all")


def _first(parts: Sequence[Part], verdicts: str) -> list[Part]:
    """As many parts with these verdicts as anybody would read."""
    return [part for part in parts if part.verdict in verdicts.split()][:_MOST_ROWS]


def _row(part: Part, text: str, column: int, places: Mapping[str, str], screen: Screen) -> Iterator[str]:
    where = part.rule.strip("[]") if part.rule.startswith("[") else places.get(part.rule)
    why = visible(part.why, keep="") + (f" · {where}" if where else "")
    start = f"{_INDENT}{screen.verdict(part.verdict, part.verdict.ljust(_VERDICT))}"
    indent = _behind(column)
    first, *rest = wrapped(why, screen.width - len(indent))
    if cells(text) > column:
        # It needs the line for itself.
        head, *more = wrapped(text, screen.width - len(_INDENT) - _VERDICT)
        yield f"{start}{head}"
        yield from (f"{_INDENT}{' ' * _VERDICT}{each}" for each in more)
        yield f"{indent}{first}"
    else:
        yield f"{start}{text}{' ' * (column - cells(text))}  {first}"
    yield from (f"{indent}{each}" for each in rest)


def _behind(column: int) -> str:
    return " " * (len(_INDENT) + _VERDICT + column + 2)
