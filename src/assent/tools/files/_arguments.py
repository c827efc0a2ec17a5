"""What each file tool takes; the docstrings are what a model reads of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from annotated_types import Ge, Le, MaxLen, MinLen

MODEL_FILLS: Final[Mapping[str, object]] = {"extra": "forbid", "use_attribute_docstrings": True}
"""For `__pydantic_config__`: a misspelt argument is an error, and docstrings go into the schema."""

MOST_CONTEXT: Final = 100
MOST_RESULTS: Final = 10_000
MOST_PATCHES: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """Which lines of which file."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    path: str
    """The file."""
    offset: Annotated[int, Ge(1)] = 1
    """The first line to read, counted from 1."""
    limit: Annotated[int, Ge(1)] | None = None
    """How many lines to read; all of them, if nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile:
    """The whole of a file."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    path: str
    """The file; it is created with its folders, or overwritten."""
    content: str
    """All of its new content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditFile:
    """One text in a file, replaced."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    path: str
    """The file."""
    old_string: str
    """The exact text to replace; it must be in the file once, unless replace_all is true."""
    new_string: str
    """What to put in its place; empty to delete it."""
    replace_all: bool = False
    """Replace every occurrence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A text and what to put in its place."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    find: str
    """The exact text to replace; it must be in the file once."""
    replace: str
    """What to put in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryReplacement(Replacement):
    """The same for every occurrence of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchFile:
    """Several texts in a file, replaced one after the other."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    path: str
    """The file."""
    patches: Annotated[tuple[Replacement, ...], MinLen(1), MaxLen(MOST_PATCHES)]
    """The replacements in order, each made in what the one before it left; all are made or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFile:
    """A file to delete."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    path: str
    """The file; folders are not deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveFile:
    """A file and its new path."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    path: str
    """The file as it is."""
    destination: str
    """Its new path, where nothing may be yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFiles:
    """A folder and which of its files."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    path: str | None = None
    """The folder; everything there is, if nothing is said."""
    pattern: str | None = None
    """A glob such as *.py or, for all folders below, **/*.py; the folder's own files, if nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFiles:
    """What to look for, where, and how much of it to show."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = MODEL_FILLS

    pattern: str
    """A regular expression, matched line by line."""
    path: str | None = None
    """The folder; everything there is, if nothing is said."""
    glob: str | None = None
    """Only files of this name, such as *.py, or of this path, such as src/**/*.py."""
    case_sensitive: bool = True
    """Whether capital letters count."""
    context_lines: Annotated[int, Ge(0), Le(MOST_CONTEXT)] = 0
    """How many lines to show before and after each match."""
    max_results: Annotated[int, Ge(1), Le(MOST_RESULTS)] = 100
    """How many matches to show at most."""
