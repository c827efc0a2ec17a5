"""What is searched for, and what was found."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What to look for, where, and how much of it; the same to both engines."""

    folder: int
    """An open folder; nothing above it is ever read."""
    pattern: str
    glob: str | None = None
    """Without a slash about names, at any depth; otherwise about paths from the folder on."""
    case_sensitive: bool = True
    context_lines: int = 0
    max_results: int = 100
    suffixes: AbstractSet[str] | None = None
    """The endings of the names that may be read; None: all."""
    skipped: AbstractSet[str] = frozenset()
    """Paths of folders and files that may not be read."""
    most_bytes: int = 10_000_000
    """Larger files are passed over."""
    timeout: float = 30.0
    """Seconds after which it is given up."""

    @property
    def chosen(self) -> str:
        """The glob; all files if there is none."""
        return "**" if self.glob is None else self.glob


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A line that matches."""

    path: str
    """Relative to the folder that was searched."""
    line: int
    """From 1 on."""
    content: str
    """The line; or, with context, the lines around it and `--> ` before the one that matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The first matches, by path and line."""

    matches: list[Match]
    truncated: bool
    """There are more."""
