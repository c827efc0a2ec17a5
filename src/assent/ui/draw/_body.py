"""What stands in the body of a question, for each thing that can be shown."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from assent.diff import blocks
from assent.model import (
    Change,
    Command,
    DeletePresentation,
    EditPresentation,
    MovePresentation,
    PatchPresentation,
    Pending,
    Presentation,
    ReadPresentation,
    WritePresentation,
    thaw,
)
from assent.ui.draw._command import command_body
from assent.ui.draw._language import file_name
from assent.ui.draw._look import SIDE_BY_SIDE_COLUMNS, Look, View
from assent.ui.draw._rows import Diffed, Source, beside, content

_ESCAPED = r"Not all of it is UTF-8: other bytes are spelled \xe9, as is any such text."
_KNOWN = frozenset({"text", "diff", "file_content", "command", "structured"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body, and what is said of it."""

    label: str
    sources: tuple[Source, ...]
    text: str
    """What the sources draw, to be searched for what is hidden in it."""
    where: str = ""
    target: str = ""
    """Where a file is moved to."""
    sandbox: str = ""
    """What the OS sandbox lets a command touch."""
    warnings: tuple[str, ...] = ()
    diff: str = ""
    """The unified diff, where there is one."""
    name: str = ""
    """The file's name, which tells its language."""
    file: str = ""
    """The whole new content, where it may be shown instead of the diff."""
    known: bool = True

    @property
    def total(self) -> int:
        """How many lines there are."""
        return sum(source.total for source in self.sources)


def views(pending: Pending, look: Look) -> tuple[View, ...]:
    """What `d` switches between, the first one shown first; fewer than two, where there is no choice."""
    body = body_of(pending, look, "diff")
    if not body.diff:
        return ()
    found: list[View] = ["diff"]
    if look.width >= SIDE_BY_SIDE_COLUMNS and not look.plain:
        found.append("side_by_side")
    if body.file:
        found.insert(0 if _is_rewritten(body, look) else len(found), "content")
    return tuple(found)


def body_of(pending: Pending, look: Look, view: View = "auto") -> Body:
    """The body in this view; where it has no such view, in the one that suits most."""
    body = _body(pending)
    if not body.diff:
        return body
    if body.file and (view == "content" or (view == "auto" and _is_rewritten(body, look))):
        return _as_content(body)
    if view == "side_by_side" and look.width >= SIDE_BY_SIDE_COLUMNS:
        return replace(body, sources=tuple(beside(each) for each in body.sources if isinstance(each, Diffed)))
    return body


def _body(pending: Pending) -> Body:
    shown: object = pending.preview.presentation
    match shown:
        case Presentation(type="command") | Presentation(command=Command()):
            return _of_command(shown)
        case Presentation(type="diff"):
            return _of_diff("Changes", shown.full_content or shown.content)
        case Presentation(type=known) if known in _KNOWN:
            return _of_text(shown)
        case (
            WritePresentation()
            | EditPresentation()
            | PatchPresentation()
            | DeletePresentation()
            | ReadPresentation()
            | MovePresentation()
        ):
            return _of_file(shown)
        case _:
            return _unknown(pending)


def _of_file(
    shown: WritePresentation
    | EditPresentation
    | PatchPresentation
    | DeletePresentation
    | ReadPresentation
    | MovePresentation,
) -> Body:
    match shown:
        case WritePresentation():
            return _written(shown)
        case EditPresentation(change=change):
            return _changed((change,), shown.unified_diff, _where(shown, f"line {shown.match_line}"), shown.path)
        case PatchPresentation(changes=changes):
            places = shown.path if len(changes) == 1 else f"{len(changes)} files"
            return _changed(changes, shown.unified_diff, places, shown.path)
        case DeletePresentation():
            where, text = _where(shown, _size(shown.file_lines, shown.file_bytes)), shown.content
            source = content(text, shown.path)
            return Body(label="This file is deleted:", sources=(source,) * bool(text), text=text, where=where)
        case ReadPresentation():
            size = _size(shown.file_lines, shown.file_bytes) if shown.file_exists else "there is no such file"
            return Body(label="", sources=(), text="", where=_where(shown, size))
        case MovePresentation():
            where = _where(shown, _size(shown.file_lines, shown.file_bytes))
            return Body(label="", sources=(), text="", where=where, target=shown.destination)


def _where(shown: object, detail: str) -> str:
    path = getattr(shown, "path", "")
    return f"{path} ({detail})" if detail else str(path)


def _size(lines: int, size: int) -> str:
    return f"{_count(lines, 'line')}, {_count(size, 'byte')}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _written(shown: WritePresentation) -> Body:
    change, size = shown.change, _size(shown.content_lines, shown.content_bytes)
    source = (content(shown.content, shown.path),) * bool(shown.content)
    plain = Body(label="Content:", sources=source, text=shown.content, where=_where(shown, f"{size}, new file"))
    if not shown.file_exists and (change is None or change.before is None):
        return plain
    warning = f"This will overwrite existing file (was {shown.existing_lines} lines, now {shown.content_lines} lines)"
    over = Body(
        label="New content:", sources=source, text=shown.content, where=_where(shown, size), warnings=(warning,)
    )
    if change is None or change.before is None:
        return over
    if change.before.media_type is not None:
        was = f"It was not text: {change.before.media_type}, {change.before.bytes} bytes"
        return replace(over, warnings=(warning, was))
    drawn = _changed((change,), change.unified_diff, over.where, shown.path)
    return replace(drawn, warnings=(warning, *drawn.warnings), file=shown.content, name=shown.path)


def _changed(changes: tuple[Change, ...], text: str, where: str, path: str) -> Body:
    warnings = (_ESCAPED,) if any(change.escaped for change in changes) else ()
    same = all(
        change.before is not None and change.after is not None and change.before.sha256 == change.after.sha256
        for change in changes
    )
    if same or not text:
        label = "Nothing changes." if same else "Changes: nobody drew a diff of them."
        return Body(label=label, sources=(), text="", where=where, warnings=warnings)
    body = _of_diff("Changes", text, skip=path if len(changes) == 1 else "")
    return replace(body, where=where, warnings=warnings)


def _of_diff(label: str, text: str, *, skip: str = "") -> Body:
    found = blocks(text)
    counts = f"{label}: +{sum(block.added for block in found):,} -{sum(block.removed for block in found):,}"
    # The head of the only file says what stands above it; another name there is worth reading.
    named = Diffed(text=text)
    return Body(label=counts, sources=(named,) if not skip else (_headless(named, skip),), text=text, diff=text)


def _headless(source: Diffed, path: str) -> Diffed:
    first, second, *_ = *source.text.split("\n", 2), "", ""
    if not (first.startswith("--- ") and second.startswith("+++ ")):
        return source
    names = {first[4:].removeprefix("a/"), second[4:].removeprefix("b/")} - {"/dev/null"}
    return replace(source, skip=1) if all(f"/{path}".endswith(f"/{name}") for name in names) else source


def _of_text(shown: Presentation) -> Body:
    text = shown.content if shown.full_content is None else shown.full_content
    name = file_name(shown.language or ("json" if shown.type == "structured" else ""))
    label = {"structured": "Args:", "text": "Text:"}.get(shown.type, "Content:")
    source = content(text, name, numbered=shown.type == "file_content")
    return Body(label=label, sources=(source,), text=text)


def _of_command(shown: Presentation) -> Body:
    text = shown.content if shown.full_content is None else shown.full_content
    command = shown.command or Command(parts=())
    return Body(
        label="Command:",
        sources=command_body(text, command),
        text=text,
        where=command.cwd or "",
        sandbox=command.permits,
        warnings=command.warnings,
    )


def _unknown(pending: Pending) -> Body:
    """Of a type nobody here knows: the arguments, which are the truth, below a line that asks."""
    text = json.dumps(thaw(pending.call.args), indent=2, ensure_ascii=False) if pending.call.args else ""
    source = content(text, "args.json", numbered=False)
    return Body(label="Args:" if text else "", sources=(source,) if text else (), text=text, known=False)


def _as_content(body: Body) -> Body:
    label = f"{body.label} ([d] shows the diff). New content:"
    return replace(body, sources=(content(body.file, body.name),), label=label, text=body.file)


def _is_rewritten(body: Body, look: Look) -> bool:
    """Whether the diff is longer than the file, and says less."""
    lines = body.file.count("\n") + 1
    return bool(body.file) and body.total > max(lines, look.inline_lines)
