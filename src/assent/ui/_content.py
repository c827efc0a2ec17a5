"""What stands in the body of a question: all of it, as text."""

from __future__ import annotations

from collections.abc import Iterator

from assent.model import (
    Change,
    Command,
    CommandPart,
    DeletePresentation,
    EditPresentation,
    MovePresentation,
    PatchPresentation,
    Presentation,
    ReadPresentation,
    Shown,
    WritePresentation,
)
from assent.ui._visible import visible

_MARKS = {"allow": "✓ allow", "ask": "? ask  ", "deny": "✗ deny "}
_MOST_PARTS = 30
_MOST_TEXT = 60
_ESCAPED = r"Not all of it is UTF-8: other bytes are spelled \xe9, as is any such text."


def body(shown: Shown) -> tuple[str, str]:  # noqa: PLR0911 — one arm for each thing that can be shown
    """What to call the body, and its text."""
    match shown:
        case Presentation(type="structured"):
            return "Args:", shown.content
        case Presentation(command=Command() as command):
            return "\n".join(_parts(command)), shown.content
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
            ends = (visible(path, keep="") for path in (shown.path, shown.destination))
            return "File:", "from {}\nto   {}\n{}".format(*ends, _size(shown))


def _parts(command: Command) -> Iterator[str]:
    """Where it runs, what is dangerous in it, and each part with its verdict; all of the command stands below."""
    # Each line is made visible by itself: a line break in a part must not begin a line of ours.
    if command.cwd is not None:
        yield visible(f"In: {command.cwd}", keep="")
    if command.permits:
        yield visible(f"Sandbox: {command.permits}", keep="")
    yield from (visible(f"⚠ {warning}", keep="") for warning in command.warnings)
    shown = {id(part) for allowed in (True, False) for part in _some(command, allowed=allowed)}
    for part in command.parts:
        if id(part) in shown:
            yield visible(f"{_MARKS[part.verdict]} {_short(part.text)}: {part.why}", keep="")
    if len(shown) < len(command.parts):
        yield f"… and {len(command.parts) - len(shown)} more parts"
    yield "Command:"


def _some(command: Command, *, allowed: bool) -> list[CommandPart]:
    """As many parts as anybody would read: a command of thousands is no reason to read nothing."""
    return [part for part in command.parts if (part.verdict == "allow") is allowed][:_MOST_PARTS]


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}… ({len(text)} characters)"


def _written(shown: WritePresentation) -> tuple[str, str]:
    change = shown.change
    if change is None or change.before is None:
        return "Content:", shown.content
    warning = f"⚠ This will overwrite existing file (was {shown.existing_lines} lines, now {shown.content_lines} lines)"
    if change.before.media_type is not None:
        was = f"It was not text: {change.before.media_type}, {change.before.bytes} bytes"
        return f"{warning}\n{was}\nNew content:", shown.content
    return f"{warning}\nChanges:", "\n".join(_diff(change))


def _diff(change: Change) -> Iterator[str]:
    if change.escaped:
        yield _ESCAPED
    same = change.before is not None and change.after is not None and change.before.sha256 == change.after.sha256
    yield "nothing changes" if same else change.unified_diff.removesuffix("\n")


def _size(shown: ReadPresentation | MovePresentation) -> str:
    return f"{shown.file_lines} lines, {shown.file_bytes} bytes"
