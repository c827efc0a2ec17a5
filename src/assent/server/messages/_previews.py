"""What each kind of preview says: diff, multi_diff, command, generic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from assent.diff import diff
from assent.model import (
    Change,
    Command,
    DeletePresentation,
    EditPresentation,
    PatchPresentation,
    Pending,
    Presentation,
    Version,
    WritePresentation,
    thaw,
    unified_diff_of,
)

PreviewType = Literal["diff", "multi_diff", "command", "generic"]
Content = Callable[[str], bytes | None]
"""The whole of a version, by its SHA-256; None if it is not at hand."""
Data = dict[str, object]

MOST_CHARACTERS: Final = 1_000_000
"""Of a file's content in a message; the whole of a larger one is fetched in chunks."""
MOST_LINES: Final = 20_000
"""Of a diff in a message; the rest is fetched by pages."""
_NO_NEWLINE: Final = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The part of a question that depends on what would happen."""

    kind: PreviewType
    data: Mapping[str, object]
    path: str | None = None
    original: str | None = None
    new: str | None = None
    lines: Sequence[str] = field(default=())


def drawn(pending: Pending, content: Content) -> Drawn:
    """What is shown of a question."""
    shown = pending.preview.presentation
    match shown:
        case Presentation(type="command") | Presentation(command=Command()):
            return _command(shown)
        case Presentation(type="diff"):
            return _one(_Sides(path=None, text=diff_text(pending), before=None, after=None))
        case WritePresentation() | EditPresentation() | PatchPresentation() | DeletePresentation():
            return _of_file(shown, diff_text(pending), content)
        case _:
            return Drawn(kind="generic", data=_generic(pending))


def _of_file(
    shown: WritePresentation | EditPresentation | PatchPresentation | DeletePresentation, text: str, content: Content
) -> Drawn:
    match shown:
        case WritePresentation():
            return _written(shown, text, content)
        case EditPresentation(change=change):
            return _one(_sides(change, content))
        case PatchPresentation():
            return _several(shown, content)
        case DeletePresentation():
            gone = _Sides(path=shown.path, text=text, before=_text(shown.version, content), after="", was=shown.version)
            return _one(replace(gone, lines=(shown.file_lines, 0)), is_deleted=True)


def diff_text(pending: Pending) -> str:
    """The change as one unified diff, also of a file that is new or goes; empty where nothing is compared."""
    match pending.preview.presentation:
        case WritePresentation(change=None, file_exists=False) as shown:
            return _compared(None, shown.content, shown.path)
        case DeletePresentation(version=Version(media_type=None)) as shown:
            return _compared(shown.content, None, shown.path)
        case Presentation(type="diff") as shown:
            return shown.full_content or shown.content
        case shown:
            return unified_diff_of(shown)


def _compared(before: str | None, after: str | None, path: str) -> str:
    sides = (None if side is None else side.encode("utf-8", "surrogatepass") for side in (before, after))
    return diff(*sides).text(path, path).decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """One file before and after, as far as it is at hand."""

    path: str | None
    text: str
    """The unified diff."""
    before: str | None
    after: str | None
    was: Version | None = None
    is_new: bool = False
    lines: tuple[int, int] | None = None
    """How many there were and will be, where a version says it."""


def _written(shown: WritePresentation, text: str, content: Content) -> Drawn:
    change = shown.change
    if change is None:
        # Nobody compared it: it is new, or what was there is not known in detail.
        lines = (shown.existing_lines or 0, shown.content_lines)
        before = None if shown.file_exists else ""
        is_new = not shown.file_exists
        return _one(_Sides(path=shown.path, text=text, before=before, after=shown.content, is_new=is_new, lines=lines))
    return _one(replace(_sides(change, content), after=shown.content))


def _sides(change: Change, content: Content) -> _Sides:
    return _Sides(
        path=change.path,
        text=change.unified_diff,
        before=_text(change.before, content),
        after=_text(change.after, content),
        was=change.before,
        is_new=change.before is None,
        lines=(_line_count(change.before), _line_count(change.after)),
    )


def _line_count(version: Version | None) -> int:
    return 0 if version is None else version.lines


def _text(version: Version | None, content: Content) -> str | None:
    """A version as text; empty where there is no file, None where it is no text or not at hand."""
    if version is None:
        return ""
    data = None if version.media_type is not None else content(version.sha256)
    return None if data is None else data.decode("utf-8", "backslashreplace")


def _one(side: _Sides, *, is_deleted: bool = False) -> Drawn:
    left_out: Data = {}
    lines = _lines(side)
    was, will = side.lines if side.lines is not None else (_count(side.before), _count(side.after))
    data: Data = {"file_path": side.path, "is_new_file": side.is_new, "original_lines": was, "new_lines": will}
    if is_deleted:
        data["is_deleted"] = True
    if side.was is not None and side.was.media_type is not None:
        data["original_media_type"] = side.was.media_type
    original, new = (
        _bounded(text, name, left_out)
        for name, text in (("original_content", side.before), ("new_content", side.after))
    )
    if len(lines) > MOST_LINES:
        left_out["diff_lines"] = len(lines) - MOST_LINES
    if left_out:
        data["left_out"] = left_out
    return Drawn(kind="diff", data=data, path=side.path, original=original, new=new, lines=lines[:MOST_LINES])


def _bounded(text: str | None, name: str, left_out: Data) -> str | None:
    """The text, or None and how many characters it has: half of a file looks like all of it."""
    if text is None or len(text) <= MOST_CHARACTERS:
        return text
    left_out[name] = len(text)
    return None


def _count(text: str | None) -> int:
    return 0 if not text else text.count("\n") + (not text.endswith("\n"))


def _lines(side: _Sides) -> list[str]:
    """The diff line by line, under the path as the model wrote it."""
    lines = side.text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    if side.path is not None and len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        lines[:2] = f"--- a/{side.path}", f"+++ b/{side.path}"
    # Of a new file the content itself says whether it ends with a line break.
    return [line for line in lines if line != _NO_NEWLINE] if side.is_new else lines


def _several(shown: PatchPresentation, content: Content) -> Drawn:
    files = [_one(_sides(change, content)) for change in shown.changes]
    data: Data = {
        "file_path": shown.path,
        "edits": shown.patches,
        "files": [{**each.data, "diff_lines": list(each.lines)} for each in files],
    }
    only = files[0] if len(files) == 1 else None
    lines = [line for each in files for line in each.lines]
    return Drawn(
        kind="multi_diff",
        data=data,
        path=shown.path,
        original=only.original if only else None,
        new=only.new if only else None,
        lines=lines,
    )


def _command(shown: Presentation) -> Drawn:
    command = shown.command or Command(parts=())
    data: Data = {
        "command": shown.content if shown.full_content is None else shown.full_content,
        "description": shown.description,
        "cwd": command.cwd,
        "warnings": list(command.warnings),
        "parts": [
            {"text": each.text, "start": each.start, "end": each.end}
            | {"verdict": each.verdict, "rule": each.rule, "why": each.why}
            for each in command.parts
        ],
        "sandbox": command.permits,
    }
    return Drawn(kind="command", data=data)


def _generic(pending: Pending) -> Data:
    shown = pending.preview.presentation
    data: Data = {"input": thaw(pending.call.args), "description": shown.description, "type": shown.type}
    if isinstance(shown, Presentation):
        whole = shown.content if shown.full_content is None else shown.full_content
        data |= {"content": whole, "language": shown.language}
    return data
