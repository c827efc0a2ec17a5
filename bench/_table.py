"""Results as Markdown tables, each number beside its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What one benchmark found."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        rule = tuple("-" * width for width in widths)
        lines = [_line(cells, widths) for cells in (self.columns, rule, *self.rows)]
        return "\n".join([f"## {self.title}", "", self.about, "", *lines])


def at_most(limit: float, value: float, unit: str) -> tuple[str, str]:
    """The cells `target` and `met` for a number that should be small."""
    return f"≤ {limit:g}{unit}", _met(met=value <= limit)


def at_least(limit: float, value: float, unit: str) -> tuple[str, str]:
    """The cells `target` and `met` for a number that should be large."""
    return f"≥ {limit:g}{unit}", _met(met=value >= limit)


NO_TARGET = ("", "")


def _met(*, met: bool) -> str:
    return "yes" if met else "**no**"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"
