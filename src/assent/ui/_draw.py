"""A question as text: the whole of it, and nothing that could be taken for our own words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assent.model import Pending, Presentation, canonical
from assent.ui._content import body
from assent.ui._visible import visible
from assent.ui._wrap import wrap

_INDENT = "  "
# Behind a bar, no line of the content can look like a line of ours: also not where it wraps.
_BAR, _BAR_WRAPPED = "  │ ", "  ┆ "


def draw(pending: Pending, *, position: tuple[int, int] = (1, 1), width: int = 80, now: float | None = None) -> str:
    """The whole question: what, who asks, why it asks, how long it waits, and every argument."""
    return "\n".join(["", _title(position, width), *_head(pending, width, now), *_body(pending, width), ""])


def _title(position: tuple[int, int], width: int) -> str:
    number, total = position
    return f"── Approval needed{f' ({number} of {total})' if total > 1 else ''} ".ljust(width, "─")


def _head(pending: Pending, width: int, now: float | None) -> Iterator[str]:
    call, request = pending.call, pending.request
    yield from _row(_line(pending), width)
    yield from _row(f"Tool: {call.tool_name}", width)
    if call.agents:
        yield from _row(f"Agent: {' › '.join(call.agents)}", width)
    yield from _row(f"Why: {request.reason}", width)
    if now is not None and pending.expires is not None:
        yield f"Time left: {_duration(pending.expires - now)}"
    yield from _row(f"[s] covers: {_covered(pending)}", width)


def _line(pending: Pending) -> str:
    """The tool's own line; of a file, the line of its drawing, which knows what is in it."""
    shown = pending.preview.presentation
    return pending.request.description if isinstance(shown, Presentation) else shown.description


def _row(text: str, width: int) -> Iterator[str]:
    """One thing said in one line, or in more where it does not fit."""
    yield from _fitting(visible(text, keep=""), width)


def _fitting(line: str, width: int) -> Iterator[str]:
    first, *rest = wrap(line, width - len(_INDENT))
    yield first
    yield from (f"{_INDENT}{piece}" for piece in rest)


def _covered(pending: Pending) -> str:
    """Which later calls an approval for the session would let through."""
    tool, args, same = pending.call.tool_name, pending.call.args, pending.request.fingerprint
    if pending.request.covers:
        return pending.request.covers
    if same == args:
        return "exactly this call"
    if not same:
        return f"every {tool}, whatever its arguments"
    if same.items() <= args.items():
        return f"every {tool} with the same {', '.join(same)}"
    return f"every {tool} that amounts to {canonical(same)}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(max(0, math.ceil(seconds)), 60)
    return " ".join([f"{minutes} min"] * (minutes > 0) + [f"{rest} s"] * (rest > 0 or not minutes))


def _body(pending: Pending, width: int) -> Iterator[str]:
    label, text = body(pending.preview.presentation)
    # What a label quotes is visible already, and must not look like a line of ours where it wraps.
    for line in label.split("\n"):
        yield from _fitting(line, width)
    for line in visible(text).split("\n"):
        first, *rest = wrap(line, width - len(_BAR))
        yield f"{_BAR}{first}"
        yield from (f"{_BAR_WRAPPED}{piece}" for piece in rest)
