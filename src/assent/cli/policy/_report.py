"""A replay for people and for programs: then and now, what changes, and what could not be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from assent.cli._screen import Screen
from assent.cli.check import noted
from assent.cli.policy._past import Past
from assent.config import Settings
from assent.model import Verdict

_VERDICTS: Final = ("allow", "ask", "deny")
_MOST: Final = 20
_MOST_NAMES: Final = 5
_MOST_TEXT: Final = 200
_DISK: Final = """\
A verdict depends on the disk: these are of now, not of then. A command is judged where the \
journal says it ran, else in this folder."""


@dataclass(frozen=True, slots=True)
class Change:
    """A call that would be decided otherwise."""

    past: Past
    now: Verdict


@dataclass(slots=True, kw_only=True)
class Replayed:
    """What came of all calls."""

    since: float
    counts: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How many, by what became of them then and the verdict of now."""
    changes: list[Change] = field(default_factory=list[Change])
    skipped: dict[str, list[Past]] = field(default_factory=dict[str, list[Past]])
    """What could not be judged, by the reason."""

    @property
    def judged(self) -> int:
        """How many could be judged again."""
        return self.counts.total()

    @property
    def left(self) -> int:
        """How many could not."""
        return sum(map(len, self.skipped.values()))

    @property
    def matrix(self) -> dict[str, dict[str, int]]:
        """How many of each fate would get each verdict."""
        fates = sorted({then for then, _ in self.counts})
        return {then: {verdict: self.counts[then, verdict] for verdict in _VERDICTS} for then in fates}


def spelled(done: Replayed, settings: Settings) -> dict[str, object]:
    """The replay as JSON data; every change is in it."""
    return {
        "config": str(settings.file) if settings.file else None,
        "record": str(settings.store),
        "mode": settings.approvals.mode,
        "since": _when(done.since) if done.since else None,
        "calls": done.judged + done.left,
        "replayed": done.judged,
        "matrix": done.matrix,
        "changed": [_change(each) for each in done.changes],
        "not_replayed": [
            {"why": why, "calls": len(calls), "tools": sorted({past.tool for past in calls})}
            for why, calls in done.skipped.items()
        ],
    }


def _change(change: Change) -> dict[str, object]:
    past = change.past
    return {
        "seq": past.seq,
        "at": _when(past.at),
        "run": past.run,
        "call": past.call,
        "agents": past.agents,
        "tool": past.tool,
        "about": past.about,
        "then": past.then,
        "was": past.said,
        "now": change.now.kind,
        "reason": change.now.reason,
    }


def told(done: Replayed, settings: Settings, folder: Path, screen: Screen, *, everything: bool) -> Iterator[str]:
    """The replay for people."""
    by = settings.file or "the defaults: there is no assent.yaml from there upwards"
    since = f" since {_when(done.since)}" if done.since else ""
    calls = done.judged + done.left
    head = f"{_counted(calls, 'call')}{since} in {settings.store}, judged in {folder} by {by}"
    yield from map(screen.faint, noted(head, "", screen))
    if done.judged:
        yield ""
        yield from _table(done, screen)
    yield ""
    yield from _changes(done, screen, everything=everything)
    yield ""
    yield from _skipped(done, screen)
    yield from map(screen.faint, noted(_DISK, "", screen))


def _table(done: Replayed, screen: Screen) -> Iterator[str]:
    """A row for each fate; what would change stands out."""
    said = {change.past.then: change.past.said for change in done.changes}
    width = max(map(len, [*done.matrix, "then"])) + 2
    yield screen.faint(f"  {'then':{width}}" + "".join(f"{f'now {verdict}':>10}" for verdict in _VERDICTS))
    for then, row in done.matrix.items():
        cells = (
            screen.strong(f"{row[verdict]:>10}")
            if row[verdict] and then in said and verdict != said[then]
            else f"{row[verdict] or '·':>10}"
            for verdict in _VERDICTS
        )
        yield f"  {then:{width}}{''.join(cells)}"


def _changes(done: Replayed, screen: Screen, *, everything: bool) -> Iterator[str]:
    if not done.changes:
        yield "Nothing would be decided otherwise." if done.judged else "There was nothing to judge again."
        return
    yield f"{_counted(len(done.changes), 'call')} would be decided otherwise:"
    shown = done.changes if everything else done.changes[:_MOST]
    for change in shown:
        past, now = change.past, change.now
        yield from noted(f"{_when(past.at)} {past.tool} {_cut(past.about)} ({past.then})", "  ", screen, hanging="    ")
        arrow = f"{past.said} → {screen.verdict(now.kind, now.kind)}"
        first, *rest = noted(now.reason, "", screen)
        yield f"    {arrow}: {first}"
        yield from (f"      {line}" for line in rest)
    if len(shown) < len(done.changes):
        yield f"  … and {len(done.changes) - len(shown)} more; --all lists them"


def _skipped(done: Replayed, screen: Screen) -> Iterator[str]:
    if done.skipped:
        yield f"{_counted(done.left, 'call')} could not be judged again:"
    for why, calls in done.skipped.items():
        tools = sorted({past.tool for past in calls})
        more = f" and {len(tools) - _MOST_NAMES} more" if len(tools) > _MOST_NAMES else ""
        yield from noted(f"{len(calls)}: {why} ({', '.join(tools[:_MOST_NAMES])}{more})", "  ", screen, hanging="  ")
    if done.skipped:
        yield ""


def _cut(text: str) -> str:
    """Where it is cut, how long it is; `noted` spells it out, and twice would be once too often."""
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}… ({len(text)} characters)"


def _when(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%MZ")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
