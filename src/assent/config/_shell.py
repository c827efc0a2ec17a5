"""The `shell` section: which commands run at once, which ask, and which never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from assent.config._marks import FILE_RULES, Flag, Text, Texts, Words

ShellPreset = Literal["none", "read-only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellDefault:
    """What becomes of a command that no rule names."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    allowed: Annotated[bool, Flag()] = True
    """false denies it, whatever a person would say."""
    approval: Annotated[bool, Flag()] = True
    """Whether it asks first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellRule:
    """What becomes of the commands that begin with certain words."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    pattern: Annotated[tuple[str, ...], Words()]
    """The words a command begins with: a list, or text that is split as a shell splits it."""
    allowed: Annotated[bool, Flag()] = True
    """false denies the command, whatever a person would say."""
    approval: Annotated[bool, Flag()] = True
    """Whether it asks first."""
    description: Annotated[str, Text()] | None = None
    """What the command does, for the person who is asked."""
    sandbox_paths: Annotated[tuple[str, ...], Texts()] | None = None
    """Names under sandbox.paths; it is allowed only if every path in it lies in one of them."""
    match: Annotated[tuple[str, ...], Texts()] = ()
    """Commands this rule must match; checked when the file is loaded."""
    not_match: Annotated[tuple[str, ...], Texts()] = ()
    """Commands this rule must not match; checked when the file is loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Which commands run at once, which ask, and which never run."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    default: ShellDefault = field(default_factory=ShellDefault)
    rules: tuple[ShellRule, ...] = ()
    """Deny wins over ask, ask over allow, in whatever order they stand."""
    preset: ShellPreset = "none"
    """read-only allows commands that neither write nor run anything, none allows nothing."""


def unnamed_paths(shell: Shell, names: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    """Each rule that names a path which is not under sandbox.paths, and what to do about it."""
    known = ", ".join(sorted(names)) or "none"
    for index, rule in enumerate(shell.rules):
        for name in rule.sandbox_paths or ():
            if name not in names:
                why = f"names {name!r}, which is not under sandbox.paths; there: {known}"
                yield index, why
