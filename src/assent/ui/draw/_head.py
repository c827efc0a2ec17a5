"""What stands above the body: what, where, who asks, why, how long, and what would be remembered."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assent.model import Pending, Presentation, coverage
from assent.ui.draw._body import Body
from assent.ui.draw._ink import Ink, hidden, indented, paint, said, warned
from assent.ui.draw._look import Look


def title(position: tuple[int, int], look: Look, *, answered: int = 0) -> str:
    """The line every question begins with."""
    number, total = position
    done = f", {answered} answered" if answered else ""
    words = f"Approval needed{f' ({number} of {total}{done})' if total > 1 else ''}"
    return words if look.plain else paint([Ink(f"── {words} ".ljust(look.width, "─")[: look.width], "title")], look)


def head(pending: Pending, body: Body, look: Look, now: float | None) -> Iterator[list[str]]:
    """All that is said of the question, a list of lines for each thing, the most important first."""
    call, request = pending.call, pending.request
    yield said("What: ", line_of(pending), look, fore="strong")
    for warning in body.warnings:
        yield warned(warning, look)
    count, example = hidden(_texts(pending, body))
    if count:
        many = "characters are" if count > 1 else "character is"
        words = f"{'Warning: ' if look.plain else '⚠ '}{count:,} invisible or control {many} shown as "
        yield indented([Ink(words, "warning"), Ink(example, "mark")], look)
    yield from _places(pending, body, look)
    yield said("Tool: ", call.tool_name, look)
    if call.agents:
        yield said("Agent: ", (" > " if look.plain else " › ").join(call.agents), look)
    yield said("Why: ", request.reason, look)
    if now is not None and pending.expires is not None:
        yield said("Time left: ", _duration(pending.expires - now), look)
    yield said("[s] covers: ", covered(pending), look)


def _places(pending: Pending, body: Body, look: Look) -> Iterator[list[str]]:
    is_command = isinstance(pending.preview.presentation, Presentation)
    if body.where:
        yield said("In: " if is_command else "From: " if body.target else "Where: ", body.where, look)
    if body.target:
        yield said("To: ", body.target, look)
    if body.sandbox:
        yield said("Sandbox: ", body.sandbox, look)


def line_of(pending: Pending) -> str:
    """The tool's own line; of a file, the line of its drawing, which knows what is in it."""
    shown = pending.preview.presentation
    return pending.request.description if isinstance(shown, Presentation) else shown.description


def too_long(pending: Pending, body: Body, longest: int) -> int:
    """How many characters above the body are more than the longest text that is drawn has."""
    texts = [text for text, keep in _texts(pending, body) if not keep]
    return sum(max(0, len(text) - longest) for text in [*texts, " > ".join(pending.call.agents)])


def _texts(pending: Pending, body: Body) -> Iterator[tuple[str, str]]:
    """Everything that is drawn, and what of it needs no spelling."""
    call, request = pending.call, pending.request
    ours = (line_of(pending), body.where, body.target, body.sandbox, call.tool_name, request.reason, *body.warnings)
    yield from ((text, "") for text in (*ours, *call.agents, covered(pending)))
    yield body.text.replace("\r\n", "\n"), "\n\t"


def covered(pending: Pending) -> str:
    """Which later calls an approval for the session would let through."""
    return coverage(pending.call, pending.request)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(max(0, math.ceil(seconds)), 60)
    return " ".join([f"{minutes} min"] * (minutes > 0) + [f"{rest} s"] * (rest > 0 or not minutes))
