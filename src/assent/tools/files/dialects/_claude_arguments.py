"""What the tools of the `claude` dialect take: the fields its clients send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, MaxLen, MinLen
from pydantic import Field

from assent.tools.files._arguments import MODEL_FILLS, MOST_CONTEXT, MOST_PATCHES


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Which lines of which file."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    file_path: str
    """The absolute path of the file."""
    offset: Annotated[int, Ge(1)] = 1
    """The first line to read, counted from 1."""
    limit: Annotated[int, Ge(1)] | None = None
    """How many lines to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """The whole of a file."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    file_path: str
    """The absolute path of the file."""
    content: str
    """All of its new content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneEdit:
    """A text and what to put in its place."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    old_string: str
    """The exact text to replace."""
    new_string: str
    """What to put in its place."""
    replace_all: bool = False
    """Replace every occurrence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One text in a file, replaced."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    file_path: str
    """The absolute path of the file."""
    old_string: str
    """The exact text to replace; it must be in the file once, unless replace_all is true."""
    new_string: str
    """What to put in its place; empty to delete it."""
    replace_all: bool = False
    """Replace every occurrence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiEdit:
    """Several texts in a file, replaced one after the other."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    file_path: str
    """The absolute path of the file."""
    edits: Annotated[tuple[OneEdit, ...], MinLen(1), MaxLen(MOST_PATCHES)]
    """The edits in order; all are made or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookEdit:
    """One cell of a notebook, changed."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    notebook_path: str
    """The absolute path of the notebook."""
    new_source: str
    """All of the cell's new source; empty to delete it."""
    cell_id: str | None = None
    """The cell to replace or delete, or the one to insert behind; cell-0 is the first one."""
    cell_type: Literal["code", "markdown"] | None = None
    """The kind of a new cell; for one that is there, null keeps its kind."""
    edit_mode: Literal["replace", "insert", "delete"] = "replace"
    """What to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glob:
    """Which files of which folder."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    pattern: str
    """A glob such as **/*.py."""
    path: str | None = None
    """The absolute path of the folder to look in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grep:
    """What to look for, where, and how to show it."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    pattern: str
    """A regular expression."""
    path: str | None = None
    """The absolute path of the file or folder to look in."""
    glob: str | None = None
    """Only files that fit this glob."""
    output_mode: Literal["content", "files_with_matches", "count"] = "files_with_matches"
    """The lines, the files, or how many lines in each file."""
    ignore_case: Annotated[bool, Field(alias="-i")] = False
    """Capital letters do not count."""
    line_numbers: Annotated[bool, Field(alias="-n")] = True
    """Show the number of each line."""
    after: Annotated[int | None, Field(ge=0, le=MOST_CONTEXT, alias="-A")] = None
    """How many lines to show after each match."""
    before: Annotated[int | None, Field(ge=0, le=MOST_CONTEXT, alias="-B")] = None
    """How many lines to show before each match."""
    around: Annotated[int | None, Field(ge=0, le=MOST_CONTEXT, alias="-C")] = None
    """How many lines to show on both sides of each match."""
    head_limit: Annotated[int, Ge(1)] | None = None
    """Show only this many lines or files."""
    multiline: bool = False
    """A match may go over several lines, and a dot is also a line break."""
