"""The drawings of file operations, made from the very bytes that execution will check."""

from __future__ import annotations

from assent.diff import Diff
from assent.model import Change
from assent.tools.files._planning import Plan
from assent.tools.files._text import counted, lines_of, shown_text, version
from assent.tools.files.sandbox._spot import Spot

_CONTEXT = 3


def change_of(spot: Spot, difference: Diff, before: bytes | None, after: bytes) -> Change:
    """What becomes of one file. What it becomes is text, since a model wrote it; what it was may not be."""
    was = None if before is None else version(spot.real, before)
    # No diff against bytes that are no text: the whole of the new text is shown instead.
    is_text = was is None or was.media_type is None
    text, escaped = shown_text(difference.text(spot.real, spot.real)) if is_text else ("", False)
    return Change(
        path=spot.path,
        unified_diff=text,
        diff_lines=text.count("\n"),
        escaped=escaped,
        before=was,
        after=version(spot.real, after, is_text=True),
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
