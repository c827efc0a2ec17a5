"""Every command with all it takes, read from the table of commands and their parsers."""

from __future__ import annotations

import re
from argparse import PARSER, SUPPRESS, Action, ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from assent.cli import COMMANDS, parser_of

Value = Literal["none", "file", "folder", "word", "text"]
"""What follows: nothing, a path, one of some words, or what only a person knows."""

_BY_METAVAR: Final[Mapping[str, Value]] = {"FILE": "file", "DIR": "folder"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option, or what may stand alone: then it has no flags."""

    flags: tuple[str, ...]
    about: str
    value: Value
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A command, by the words that lead to it."""

    path: tuple[str, ...]
    commands: Mapping[str, str]
    """The commands below it, each with what it is for."""
    options: tuple[Option, ...]

    @property
    def flags(self) -> list[str]:
        """Every spelling of every option."""
        return [flag for option in self.options for flag in option.flags]

    @property
    def words(self) -> list[str]:
        """What may come next that is no option."""
        return [*self.commands, *(word for option in self.options if not option.flags for word in option.words)]

    @property
    def value(self) -> Value:
        """The kind of path that may come next, if one may."""
        alone: list[Value] = [each.value for each in self.options if not each.flags and each.value != "word"]
        return alone[0] if alone else "none"


def tree() -> Iterator[Node]:
    """The program itself, then every command and what is below it."""
    own = (("-h", "--help"), "show this help message and exit"), (("--version",), "show the version and exit")
    yield Node(
        path=("assent",),
        commands={name: about for name, (_, about) in COMMANDS.items()},
        options=tuple(Option(flags=flags, about=about, value="none") for flags, about in own),
    )
    for name in COMMANDS:
        yield from _nodes(parser_of(name), ("assent", name))


def _nodes(parser: ArgumentParser, path: tuple[str, ...]) -> Iterator[Node]:
    actions = parser._actions  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] — there is no other way to list them
    below = {name: each for action in actions for name, each in _below(action).items()}
    told = dict(re.findall(r"^  (\S+)(?: [A-Z.\[\]|]+)* {2,}(\S.*)$", parser.description or "", re.MULTILINE))
    yield Node(
        path=path,
        commands={name: told.get(name, "") for name in below},
        options=tuple(_option(each) for each in actions if not _below(each) and each.help != SUPPRESS),
    )
    for name, each in below.items():
        yield from _nodes(each, (*path, name))


def _below(action: Action) -> dict[str, ArgumentParser]:
    """The parsers of the commands below, where this is what chooses among them."""
    return dict(cast("Mapping[str, ArgumentParser]", action.choices)) if action.nargs == PARSER else {}


def _option(action: Action) -> Option:
    about = " ".join((action.help or "").replace("%%", "%").split())
    flags = tuple(action.option_strings)
    if action.choices is not None:
        return Option(flags=flags, about=about, value="word", words=tuple(map(str, action.choices)))
    if action.nargs == 0:
        return Option(flags=flags, about=about, value="none")
    return Option(flags=flags, about=about, value=_BY_METAVAR.get(str(action.metavar), "text"))
