"""What is searched for, and what was found."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from assent.tools.files.search._answer import Answer

Suffixes: TypeAlias = Collection[str] | None
"""The endings of the names that may be read; None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What to look for, where, and how much of it; the same to both engines."""

    folder: int
    """An open folder; nothing above it is ever read."""
    pattern: str
    glob: str | None = None
    """Without a slash about names, at any depth; otherwise about paths from the folder on."""
    case_sensitive: bool = True
    multiline: bool = False
    """A match may go over several lines, and `.` is also a newline."""
    context_lines: int = 0
    max_results: int = 100
    first_only: bool = False
    """Of each file only its first match: which files have one, and not how many."""
    suffixes: Suffixes = None
    nested: Mapping[str, Suffixes] = field(default_factory=dict[str, Suffixes])
    """Folders below in which other suffixes hold, by their paths."""
    most_bytes: int = 10_000_000
    """Larger files are passed over."""
    nested_bytes: Mapping[str, int] = field(default_factory=dict[str, int])
    """Folders below in which less than that holds, by their paths."""
    timeout: float = 30.0
    """Seconds after which it is given up."""

    @property
    def chosen(self) -> str:
        """The glob; all files if there is none."""
        return "**" if self.glob is None else self.glob


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A line that matches, or several."""

    path: str
    """Relative to the folder that was searched."""
    line: int
    """Its first one, from 1 on."""
    content: str
    """The lines it is in; or, with context, the lines around them and `--> ` before those that match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The first matches, by path and line."""

    matches: list[Match]
    truncated: bool
    """There are more."""


def found(answer: Answer) -> Found:
    """The answer as values."""
    matches = [Match(path=path, line=line, content=content) for path, line, content in answer["matches"]]
    return Found(matches=matches, truncated=answer["truncated"])
