"""A table for people: columns that fit, one of which gives way, and nothing raw in any cell."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from assent.cli._screen import cells
from assent.ui import visible

_GAP: Final = "  "
_LEAST: Final = 12


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, gives: str, width: int | None) -> Iterator[str]:
    """The rows under their head; the column `gives` is cut, with a mark, where there is no room."""
    shown = [[visible(cell, keep="") for cell in row] for row in (head, *rows)]
    widths = [max(map(cells, column)) for column in zip(*shown, strict=True)]
    if width is not None:
        giving = head.index(gives)
        over = sum(widths) + len(_GAP) * (len(head) - 1) - width
        widths[giving] = max(min(widths[giving], _LEAST), widths[giving] - max(0, over))
    for row in shown:
        line = _GAP.join(_padded(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip()
        yield line if width is None else cut(line, width)


def room() -> int | None:
    """How wide a line may be; None where no terminal reads it, so nothing is cut."""
    if not sys.stdout.isatty():
        return None
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def cut(text: str, width: int) -> str:
    """The text, or its beginning and a mark that there is more."""
    if cells(text) <= width:
        return text
    kept = ""
    for char in text:
        if cells(kept + char) > width - 1:
            break
        kept += char
    return f"{kept}…"


def _padded(cell: str, size: int) -> str:
    fitting = cut(cell, size)
    return fitting + " " * (size - cells(fitting))
