"""The `shell` section: which commands run at once, which ask, and which never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

from assent.config._marks import (
    FILE_RULES,
    Bytes,
    Flag,
    Listed,
    Paths,
    PlaceText,
    Seconds,
    Text,
    Texts,
    VariableName,
    VariableNames,
    Words,
    why_not_passed,
)
from assent.errors import ConfigError

ShellPreset = Literal["none", "read-only"]
MOST_OUTPUT_BYTES: Final = 100_000


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
    rules: Annotated[tuple[ShellRule, ...], Listed("a list of rules, such as [{pattern: git push}]")] = ()
    """Deny wins over ask, ask over allow, in whatever order they stand."""
    preset: ShellPreset = "none"
    """read-only allows commands that neither write nor run anything, none allows nothing."""
    network: Annotated[bool, Flag()] = False
    """Whether commands may use the network."""
    toolchains: Annotated[tuple[Annotated[Path, PlaceText()], ...], Paths()] = ()
    """Folders with programs and libraries that commands may read, beside the system's own."""
    timeout: Annotated[float, Seconds(null="")] = 120.0
    """Seconds after which a command is ended, unless its call names fewer."""
    env: Annotated[tuple[Annotated[str, VariableName()], ...], VariableNames()] = ()
    """Variables of this process that commands get too; none that decides what a program loads."""
    max_output_bytes: Annotated[int, Bytes()] = MOST_OUTPUT_BYTES
    """How much of a command's output its result holds; what is cut from the middle is in a file."""

    def __post_init__(self) -> None:
        for name in self.env:
            if why := why_not_passed(name):
                raise ConfigError(f"shell.env names {name!r}, which {why}")


def unnamed_paths(shell: Shell, names: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    """Each rule that names a path which is not under sandbox.paths, and what to do about it."""
    known = ", ".join(sorted(names)) or "none"
    for index, rule in enumerate(shell.rules):
        for name in rule.sandbox_paths or ():
            if name not in names:
                why = f"names {name!r}, which is not under sandbox.paths; there: {known}"
                yield index, why
