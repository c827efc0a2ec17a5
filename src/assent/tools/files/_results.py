"""What the file tools answer when it worked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """Numbered lines of a file."""

    content: str
    total_lines: int
    truncated: bool
    """More lines follow than were asked for."""
    encoding: str | None = None
    """Set where the file is not UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """A file was written whole."""

    success: bool = True
    bytes_written: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    """A text in a file was replaced."""

    path: str
    replacements_made: int
    lines_changed: int
    """The lines added or the lines removed, whichever are more."""
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchResult:
    """Several texts in a file were replaced."""

    success: bool = True
    patches_applied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A file was deleted or moved."""

    success: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file in a listing."""

    path: str
    size: int
    modified: str
    """When it was written last, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListResult:
    """The files of a folder, in the order of their paths."""

    files: tuple[ListedFile, ...]
    truncated: bool | None = None
    """True if there are more files than are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLine:
    """A line that matches, with the lines around it."""

    path: str
    line: int
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The lines that match, in the order of their files."""

    matches: tuple[FoundLine, ...]
    truncated: bool
    """There are more matches than were asked for."""
