"""One hunk a person may choose, with what stands around it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from assent.diff import Block, blocks, rows
from assent.model import PatchPresentation, Pending, Presentation
from assent.ui.draw._body import body_of
from assent.ui.draw._fit import fill
from assent.ui.draw._ink import said
from assent.ui.draw._look import Drawing, Look
from assent.ui.draw._rows import Diffed

_CONTEXT = 3
_KEYS = 4
_LEAST = 4


def hunks(pending: Pending) -> int:
    """How many hunks there are to choose from; none, where nothing is changed in a file."""
    text = _diff(pending)
    # What anybody's tool drew as a diff, it need not be able to do in parts.
    return len(blocks(text)) if text and not isinstance(pending.preview.presentation, Presentation) else 0


def hunk(pending: Pending, number: int, look: Look) -> Drawing:
    """The hunk, counted from 0, with the unchanged lines next to it."""
    text = _diff(pending)
    found = blocks(text)
    block = found[number]
    where = _path(pending, number)
    name = f"Hunk {number + 1} of {len(found)}{f' in {where}' if where else ''}, line {block.new_line}"
    lines = said("", f"{name}: +{block.added} -{block.removed}", look, fore="strong")
    around, room = _around(text, block), max(look.height - _KEYS - len(lines), _LEAST)
    some = around[: room * 2]
    drawn, shown = fill(partial(Diffed(text=text).some, look, some), len(around), len(around), room, look)
    text = "\n".join([*lines, *drawn])
    clipped = len(lines) + len(drawn) + _KEYS > look.height
    return Drawing(text=text, shown=shown, total=len(around), opens_pager=False, clipped=clipped)


def _path(pending: Pending, number: int) -> str:
    """The file the hunk is in, where there are several."""
    shown = pending.preview.presentation
    if isinstance(shown, PatchPresentation) and len(shown.changes) > 1:
        for change in shown.changes:
            number -= len(blocks(change.unified_diff))
            if number < 0:
                return change.path
    return ""


def _diff(pending: Pending) -> str:
    return body_of(pending, Look(), "diff").diff


def _around(text: str, block: Block) -> range:
    """The rows of the block, and the unchanged ones next to it."""
    start = max(block.first - _CONTEXT, 0)
    page = rows(text, offset=start, limit=block.last - start + 1 + _CONTEXT).rows
    before = [row.kind for row in page[: block.first - start]]
    behind = [row.kind for row in page[block.last - start + 1 :]]
    return range(block.first - _alike(reversed(before)), block.last + 1 + _alike(iter(behind)))


def _alike(kinds: Iterator[str]) -> int:
    count = 0
    for kind in kinds:
        if kind != "context":
            break
        count += 1
    return count
