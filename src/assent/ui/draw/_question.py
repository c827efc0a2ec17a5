"""A question on one screen: as much of it as fits, and a count of what does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from assent.model import ApprovalDecision, Pending, PendingId
from assent.ui.draw._body import Body, body_of
from assent.ui.draw._fit import cut, fill
from assent.ui.draw._head import head, line_of, title
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
    answered: Mapping[PendingId, ApprovalDecision] | None = None,
) -> Drawing:
    """The question, as much of it as fits the screen."""
    body = body_of(pending, look, view)
    total, room = body.total, max(look.height - _KEYS, _LEAST)
    told = [line for lines in head(pending, body, look, now) for line in lines]
    last, is_cut = cut(asked(pending, look), 2 if room < _LOW else 4, look) if not body.known else ([], False)
    label = said("", body.label, look) if body.label else []
    least = 0 if not total else 1 if room < _LOW else 3
    above, clipped = cut(told, room - 2 - len(last) - len(label) - least, look)
    left = room - 2 - len(last) - len(above) - len(label)
    most = total if total < look.inline_lines else look.preview_lines
    drawn, shown = fill(partial(_items, body, left, look), total, min(most, total), left, look)
    lines = ["", title(position, look, answered=len(answered or ())), *above, *label, *drawn, *last]
    return Drawing(
        text="\n".join(lines), shown=shown, total=total, opens_pager=total > look.pager_lines, clipped=clipped or is_cut
    )


def asked(pending: Pending, look: Look) -> list[str]:
    """The one line for a presentation of a type that nobody here knows."""
    return said("", f'"{line_of(pending)}" - Approve? [y/n]', look)


def _items(body: Body, room: int, look: Look) -> Iterator[Item]:
    for source in body.sources:
        yield from source.items(look, page=max(room * 2, 1), longest=look.width * look.height * 2)
