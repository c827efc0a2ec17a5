"""As much as fits, and a count of what does not: nothing is cut without saying so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assent.ui.draw._ink import Ink, paint
from assent.ui.draw._look import Look
from assent.ui.draw._rows import Item


def cut(lines: list[str], room: int, look: Look, *, undrawn: int = 0) -> tuple[list[str], bool]:
    """The lines there is room for, and whether they are not all; `undrawn` ones are counted too."""
    if len(lines) <= room and not undrawn:
        return lines, False
    kept = lines[: max(room - 1, 1)]
    return [*kept, _more(len(lines) - len(kept) + undrawn, look)], True


def fill(items: Callable[[], Iterator[Item]], total: int, most: int, room: int, look: Look) -> tuple[list[str], int]:
    """As many items as there is room for, and how many lines of the body they are."""
    kept: list[str] = []
    shown = 0
    for item in items():
        # The last line is for the count of what is hidden, unless nothing is.
        is_last = shown + item.rows >= total
        if len(kept) + len(item.lines) > room - (not is_last) or shown + item.rows > most:
            break
        kept += item.lines
        shown += item.rows
    if shown >= total:
        return kept, shown
    if not kept:
        # A line longer than the screen: its beginning says more than nothing.
        kept = next(items()).lines[: room - 1]
    return [*kept, _more(total - shown, look)], shown


def _more(count: int, look: Look) -> str:
    what = f"{count:,} more {'line' if count == 1 else 'lines'}"
    words = f"... {what}: press v to see all" if look.plain else f"… {what} · [v] shows all"
    return paint([Ink(words if len(words) <= look.width else f"{count} more: [v]", "warning")], look)
