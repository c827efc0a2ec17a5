"""All of a question, line by line, for the pager."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from assent.diff import diff
from assent.model import Change, Pending, Presentation, changes_of
from assent.ui.draw._body import Body, body_of
from assent.ui.draw._head import head, title
from assent.ui.draw._ink import said
from assent.ui.draw._look import Look
from assent.ui.draw._question import asked
from assent.ui.draw._rows import Diffed

_ALL: Final = 1 << 30
"""More lines of context than any file has."""
_MOST_BYTES: Final = 4_000_000
"""Of a larger file, the diff is enough: to compare it all again would take too long."""


def whole(pending: Pending, look: Look, *, content: Callable[[str], bytes | None] | None = None) -> Iterator[str]:
    """Every line; of an edit the whole resulting file with the change marked, where `content` has it."""
    body = body_of(pending, look, "diff")
    if content is not None and (text := _files(pending, content)):
        source = Diffed(text=text, skip=_said(pending))
        body = replace(body, label=f"{body.label}, in the whole file:", sources=(source,), text=text)
    yield title((1, 1), look)
    yield from (line for lines in head(pending, body, look, None) for line in lines)
    yield from _below(body, look)
    if not body.known:
        yield from asked(pending, look)


def _below(body: Body, look: Look) -> Iterator[str]:
    if body.label:
        yield from said("", body.label, look)
    yield from (line for source in body.sources for item in source.items(look) for line in item.lines)


def _files(pending: Pending, content: Callable[[str], bytes | None]) -> str:
    """The diff of every file with all of its lines; nothing, if one of them is not at hand."""
    found = [_file(change, content) for change in changes_of(pending.preview.presentation)]
    return "".join(filter(None, found)) if all(found) else ""


def _file(change: Change, content: Callable[[str], bytes | None]) -> str | None:
    before, after = (
        content(version.sha256) if version is not None and version.media_type is None else None
        for version in (change.before, change.after)
    )
    # A file that is new or deleted is in its diff from the first line to the last.
    if before is None or after is None or len(before) + len(after) > _MOST_BYTES:
        return None
    return diff(before, after, context=_ALL).text(change.path, change.path).decode("utf-8", "backslashreplace")


def _said(pending: Pending) -> int:
    """Rows that say nothing new: the head and the numbers of the one file that is named above."""
    shown = pending.preview.presentation
    places = {change.path for change in changes_of(pending.preview.presentation)}
    return 2 if not isinstance(shown, Presentation) and places == {shown.path} else 0
