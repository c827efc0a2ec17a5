"""The paths a command names: in operands, after `=`, and attached to options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assent.tools.shell._git import subcommand
from assent.tools.shell._names import names
from assent.tools.shell._simple import Redirect
from assent.tools.shell._word import Word

_NUMBER: Final = re.compile(r"[-+]?[0-9]+(?:[.,:][0-9]+)*[A-Za-z%]?")
_LIST: Final = re.compile(r"[:,]")
_FLAGS: Final = re.compile(r"-[A-Za-z]{1,4}")
# They name no file, or only make text of their words.
NO_FILES: Final = names(
    "echo printf true false : pwd date seq basename dirname whoami id groups uname uptime nproc expr factor sleep "
    "arch tty which type command"
)
_ALWAYS_DEEP: Final = frozenset({"find", "rg", "du", "tree", "fd", "ag", "ack", "tar", "zip", "rsync"})

_SHALLOW_GIT: Final = names(
    "status branch rev-parse ls-files describe tag remote shortlog version add commit push fetch"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathUse:
    """A path as a command spells it."""

    text: str
    certain: bool
    """Whether it is exactly this; else only what it begins with is."""
    at: int
    """Which word names it."""


def paths_of(words: Sequence[Word], redirects: Sequence[Redirect]) -> Iterator[PathUse]:
    """Every word, or part of a word, that a program may take for a path."""
    for at, word in enumerate(words[1:], start=1):
        if word.value is None:
            yield PathUse(text=_folder(word.prefix), certain=False, at=at)
        else:
            for text in _candidates(word.value):
                yield PathUse(text=text, certain=True, at=at)
    for redirect in redirects:
        if redirect.operator in {"<", "<>"}:
            value = redirect.target.value
            text = _folder(redirect.target.prefix) if value is None else value
            yield PathUse(text=text, certain=value is not None, at=0)


def _folder(prefix: str) -> str:
    """The folder in which everything lies that begins like this."""
    return prefix[: prefix.rfind("/") + 1]


def _candidates(value: str) -> Iterator[str]:
    """What of a word may be a path: the word, what stands after = or an option's letter, and items of lists."""
    name, equals, given = value.partition("=")
    if value in {"", "-", "--"} or _NUMBER.fullmatch(value):
        return
    if not value.startswith("-"):
        yield value
    elif not equals and not value.startswith("--") and not _FLAGS.fullmatch(value):
        given = value[2:]
    items = _LIST.split(given if equals or value.startswith("-") else value)
    yield from (each for each in items if each and each != value and not _NUMBER.fullmatch(each))
    if equals and len(name) > len("-x") and name.startswith("-") and not name.startswith("--"):
        yield value[2:]


def reads_deep(name: str, words: Sequence[Word]) -> bool:
    """Whether the program also reads what lies beneath the paths it is given."""
    if name in _ALWAYS_DEEP:
        return True
    if name == "git":
        sub = subcommand(words)
        return sub is None or words[sub].value not in _SHALLOW_GIT
    recursive = {"--recursive", "--dereference-recursive"}
    return any(
        word.value is not None
        and (word.value in recursive or (re.fullmatch(r"-[A-Za-z]*[rR][A-Za-z]*", word.value) is not None))
        for word in words[1:]
    )
