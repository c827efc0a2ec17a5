"""A question on one screen: as much of it as fits, and a count of what does not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from assent.model import ApprovalDecision, Pending, PendingId
from assent.ui.draw._body import Body, body_of
from assent.ui.draw._fit import cut, fill
from assent.ui.draw._head import head, line_of, title, too_long
from assent.ui.draw._ink import said
from assent.ui.draw._look import Drawing, Look, View
from assent.ui.draw._rows import Item

_KEYS: Final = 4
"""Lines of the screen that belong to the keys."""
_LEAST: Final = 8
"""However low the screen is, so many lines are drawn."""
_LOW: Final = 14
"""Below this there is room for one line of the body only, and two of the line that asks."""


def question(
    pending: Pending,
    look: Look,
    *,
    position: tuple[int, int] = (1, 1),
    now: float | None = None,
    view: View = "auto",
    keys: int = _KEYS,
    answered: Mapping[PendingId, ApprovalDecision] | None = None,
) -> Drawing:
    """The question, as much of it as fits the screen above so many lines of `keys`."""
    body = body_of(pending, look, view)
    total, room = body.total, max(look.height - max(keys, _KEYS), _LEAST)
    longest = look.width * look.height * 2
    # Rounded up: also what would take no column is missing.
    brief, undrawn = replace(look, longest=longest), math.ceil(too_long(pending, body, longest) / look.width)
    told = [line for lines in head(pending, body, brief, now) for line in lines]
    last, is_cut = cut(asked(pending, brief), 2 if room < _LOW else 4, look) if not body.known else ([], False)
    label = said("", body.label, look) if body.label else []
    least = 0 if not total else 1 if room < _LOW else 3
    above, clipped = cut(told, room - 2 - len(last) - len(label) - least, look, undrawn=undrawn)
    left = room - 2 - len(last) - len(above) - len(label)
    most = total if total < look.inline_lines else look.preview_lines
    drawn, shown = fill(partial(_items, body, left, look), total, min(most, total), left, look)
    lines = ["", title(position, look, answered=len(answered or ())), *above, *label, *drawn, *last]
    # The first line is empty; but on a screen as low as this, what was said above has gone.
    scrolled = len(lines) - 1 + keys > look.height
    return Drawing(
        text="\n".join(lines),
        shown=shown,
        total=total,
        opens_pager=total > look.pager_lines,
        clipped=clipped or is_cut or scrolled,
    )


def asked(pending: Pending, look: Look) -> list[str]:
    """The one line for a presentation of a type that nobody here knows."""
    return said("", f'"{line_of(pending)}" - Approve? [y/n]', look)


def _items(body: Body, room: int, look: Look) -> Iterator[Item]:
    for source in body.sources:
        yield from source.items(look, page=max(room * 2, 1), longest=look.width * look.height * 2)
