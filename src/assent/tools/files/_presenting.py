"""The drawings of file operations, made from the very bytes that execution will check."""

from __future__ import annotations

from assent.diff import Diff
from assent.model import Change
from assent.tools.files._place import Place
from assent.tools.files._planning import Plan
from assent.tools.files._text import counted, lines_of, shown_text, version

_CONTEXT = 3


def change_of(place: Place, difference: Diff, before: bytes | None, after: bytes | None) -> Change:
    """What becomes of one file."""
    sides = [None if data is None else version(place.plain, data) for data in (before, after)]
    binary = next((side for side in sides if side is not None and side.media_type is not None), None)
    if binary is not None:
        text, escaped = "", False
    else:
        text, escaped = shown_text(difference.text(place.plain, place.plain))
    return Change(
        path=place.shown,
        unified_diff=text,
        diff_lines=text.count("\n"),
        escaped=escaped,
        before=sides[0],
        after=sides[1],
    )


def around(plan: Plan) -> tuple[str, str]:
    """The three lines before the first match, and the three after it."""
    data = plan.before
    start, end = _up(data, plan.first + 1, 1), _down(data, max(plan.first, plan.last - 1), 1)
    above, below = data[_up(data, start, _CONTEXT) : start], data[end : _down(data, end, _CONTEXT)]
    return shown_text(above.removesuffix(b"\n"))[0], shown_text(below.removesuffix(b"\n"))[0]


def _up(data: bytes, at: int, lines: int) -> int:
    """Where the line begins that many lines above."""
    for _ in range(lines):
        at = data.rfind(b"\n", 0, max(0, at - 1)) + 1
    return at


def _down(data: bytes, at: int, lines: int) -> int:
    """Where the line begins that many lines below."""
    for _ in range(lines):
        at = data.find(b"\n", at) + 1 or len(data)
    return at


def what_happens(plan: Plan) -> tuple[str, str]:
    """The change in words: what would happen, and what did."""
    added, removed = plan.diff.added, plan.diff.removed
    where = f"at line {plan.line}"
    if not removed:
        return f"add {counted(added, 'line')} {where}", f"Added {counted(added, 'line')} {where}"
    if not added:
        return f"remove {counted(removed, 'line')} {where}", f"Removed {counted(removed, 'line')} {where}"
    return f"replace {counted(removed, 'line')}", f"Replaced {counted(removed, 'line')} {where}"


def first_lines(text: str, most: int) -> tuple[str, bool]:
    """The beginning of a text, and whether there is more of it."""
    lines = lines_of(text)
    return ("\n".join(lines[:most]), True) if len(lines) > most else (text, False)
