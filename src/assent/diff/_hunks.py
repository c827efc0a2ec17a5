"""Puts changes that lie close to each other into one hunk, with context around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assent.diff._changes import Change
from assent.diff._hunk import Hunk, Run
from assent.diff._lines import lines_after, lines_before


def hunks(before: bytes, changes: Iterable[Change], *, context: int) -> Iterator[Hunk]:
    """The hunks that show the changes with `context` unchanged lines on either side."""
    grown = 0
    for group in _close_together(changes, 2 * context):
        yield _hunk(before, group, context=context, grown=grown)
        grown += sum(change.added - change.removed for change in group)


def _close_together(changes: Iterable[Change], distance: int) -> Iterator[list[Change]]:
    """Groups of changes with at most `distance` lines from one to the next."""
    group: list[Change] = []
    for change in changes:
        if group and change.line - group[-1].line - group[-1].removed > distance:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(before: bytes, group: list[Change], *, context: int, grown: int) -> Hunk:
    """One hunk; `grown` says how many more lines the new file has before it."""
    first, last = group[0], group[-1]
    start, above = lines_before(before, first.start, context)
    end, below = lines_after(before, last.end, context)
    runs: list[Run] = []
    at, line = start, first.line - above
    for change in group:
        if change.line > line:
            runs.append(Run(kind="context", body=before[at : change.start], count=change.line - line))
        if change.removed:
            runs.append(Run(kind="removed", body=before[change.start : change.end], count=change.removed))
        if change.added:
            runs.append(Run(kind="added", body=change.new, count=change.added))
        at, line = change.end, change.line + change.removed
    if below:
        runs.append(Run(kind="context", body=before[at:end], count=below))
    return Hunk(
        start=start,
        lines_before=first.line - above,
        new_lines_before=first.line - above + grown,
        runs=tuple(runs),
    )
