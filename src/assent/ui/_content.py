"""What stands in the body of a question: all of it, as text."""

from __future__ import annotations

from collections.abc import Iterator

from assent.model import (
    Change,
    DeletePresentation,
    EditPresentation,
    MovePresentation,
    PatchPresentation,
    Presentation,
    ReadPresentation,
    Shown,
    WritePresentation,
)

_ESCAPED = r"Not all of it is UTF-8: other bytes are spelled \xe9, as is any such text."


def body(shown: Shown) -> tuple[str, str]:  # noqa: PLR0911 — one arm for each thing that can be shown
    """What to call the body, and its text."""
    match shown:
        case Presentation(type="structured"):
            return "Args:", shown.content
        case Presentation():
            return "Content:", shown.content if shown.full_content is None else shown.full_content
        case WritePresentation():
            return _written(shown)
        case EditPresentation(change=change):
            return "Changes:", "\n".join(_diff(change))
        case PatchPresentation(changes=changes):
            return "Changes:", "\n".join(line for change in changes for line in _diff(change))
        case DeletePresentation():
            return "This file is deleted:", shown.content
        case ReadPresentation():
            return "File:", _size(shown) if shown.file_exists else "there is no such file"
        case MovePresentation():
            return "From, to:", f"{shown.path}\n{shown.destination}\n{_size(shown)}"


def _written(shown: WritePresentation) -> tuple[str, str]:
    if shown.change is None:
        return "Content:", shown.content
    warning = f"⚠ This will overwrite existing file (was {shown.existing_lines} lines, now {shown.content_lines} lines)"
    return f"{warning}\nChanges:", "\n".join(_diff(shown.change))


def _diff(change: Change) -> Iterator[str]:
    if change.escaped:
        yield _ESCAPED
    yield change.unified_diff.removesuffix("\n") or "nothing changes"


def _size(shown: ReadPresentation | MovePresentation) -> str:
    return f"{shown.file_lines} lines, {shown.file_bytes} bytes"
