"""How an operation is drawn: general shapes for anyone's tools, exact ones for files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from assent.model._kind import ByType

PresentationType = Literal["text", "diff", "file_content", "command", "structured"]
PREVIEW_LINES: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandPart:
    """A piece of a command with a verdict of its own."""

    text: str
    start: int
    """Where it stands in the command, in characters."""
    end: int
    verdict: Literal["allow", "ask", "deny"]
    rule: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What a command consists of, and where it would run."""

    parts: tuple[CommandPart, ...]
    cwd: str | None = None
    warnings: tuple[str, ...] = ()
    """What is dangerous in it, and why."""
    permits: str = ""
    """What the OS sandbox will let it touch; empty where the command is somebody else's to confine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """How the operation is drawn; a reader that does not know `type` shows `description`."""

    type: PresentationType
    description: str
    content: str
    language: str | None = None
    """For syntax colours."""
    full_content: str | None = None
    """The whole of it, where `content` is only a part."""
    command: Command | None = None
    """Of a command: its parts, each with its verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The bytes of a file at one time, named by their digest."""

    sha256: str
    bytes: int
    lines: int
    media_type: str | None = None
    """Set where the bytes are not text: then type and size are all that is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes of one file, as a unified diff."""

    path: str
    unified_diff: str
    """What `git apply` and `patch` take, where `escaped` is false."""
    diff_lines: int
    """How many lines the diff text has, its headers included."""
    escaped: bool = False
    r"""A side is not UTF-8: other bytes are spelled `\xe9`, and the versions name the exact ones."""
    before: Version | None = None
    """None: the file is new."""
    after: Version | None = None
    """None: the file is deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePresentation:
    """A whole file is written."""

    description: str
    path: str
    sandbox: str
    content: str
    content_lines: int
    content_bytes: int
    preview: str
    """The first 50 lines."""
    preview_truncated: bool
    file_exists: bool
    existing_lines: int | None = None
    existing_bytes: int | None = None
    change: Change | None = None
    """What is different, where the file exists."""
    type: Literal["write"] = "write"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPresentation:
    """A text in a file is replaced."""

    description: str
    path: str
    sandbox: str
    old_string: str
    new_string: str
    replace_all: bool
    unified_diff: str
    diff_lines: int
    match_line: int
    match_count: int
    context_before: str
    """The three lines before the first match."""
    context_after: str
    """The three lines after it."""
    file_lines: int
    file_bytes: int
    change: Change
    type: Literal["edit"] = "edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchPresentation:
    """Several texts are replaced, in one file or in several."""

    description: str
    path: str
    sandbox: str
    unified_diff: str
    """The changes of all files, one after the other."""
    diff_lines: int
    patches: int
    changes: tuple[Change, ...]
    type: Literal["patch"] = "patch"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPresentation:
    """A file is read; its content is what the approval is about, so it is not shown."""

    description: str
    path: str
    sandbox: str
    file_lines: int
    file_bytes: int
    file_exists: bool
    type: Literal["read"] = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePresentation:
    """A file is deleted."""

    description: str
    path: str
    sandbox: str
    file_lines: int
    file_bytes: int
    content: str
    """The file as text; what it is and its size, where it is none."""
    preview: str
    preview_truncated: bool
    version: Version
    type: Literal["delete"] = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePresentation:
    """A file gets another path."""

    description: str
    path: str
    sandbox: str
    destination: str
    destination_sandbox: str
    file_lines: int
    file_bytes: int
    type: Literal["move"] = "move"


def changes_of(shown: Shown) -> tuple[Change, ...]:
    """The changes to files that were compared with what they were."""
    match shown:
        case WritePresentation(change=Change() as change) | EditPresentation(change=change):
            return (change,)
        case PatchPresentation(changes=changes):
            return changes
        case _:
            return ()


def unified_diff_of(shown: Shown) -> str:
    """The change that is shown, as one unified diff; empty where nothing is compared."""
    match shown:
        case EditPresentation(unified_diff=text) | PatchPresentation(unified_diff=text):
            return text
        case WritePresentation(change=Change(unified_diff=text)):
            return text
        case Presentation(type="diff", content=text):
            return text
        case _:
            return ""


Shown = Annotated[
    Presentation
    | WritePresentation
    | EditPresentation
    | PatchPresentation
    | ReadPresentation
    | DeletePresentation
    | MovePresentation,
    ByType(),
]
"""Anything a person can be shown."""
