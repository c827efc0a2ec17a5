"""The paths a command names: in operands, after `=`, and attached to options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assent.tools.shell._braces import spread
from assent.tools.shell._git import subcommand
from assent.tools.shell._lists import names_come_from
from assent.tools.shell._names import names
from assent.tools.shell._simple import Redirect
from assent.tools.shell._word import Word

_NUMBER: Final = re.compile(r"[-+]?[0-9]+(?:[.,:][0-9]+)*[A-Za-z%]?")
_LIST: Final = re.compile(r"[:,]")
_FLAGS: Final = re.compile(r"-[A-Za-z]{1,4}")
_LETTERS: Final = re.compile(r"-[A-Za-z0-9]*")
# They name no file, or only make text of their words.
NO_FILES: Final = names(
    "echo printf true false : pwd seq basename dirname whoami id groups uname nproc expr factor sleep arch tty which "
    "type command"
)
_ALWAYS_DEEP: Final = names("find rg du tree fd ag ack tar zip rsync 7z 7za 7zr pax")

_DEEP_OPTIONS: Final = ("--recursive", "--dereference-recursive", "--directories", "--archive")
_DEEP_LETTERS: Final = {"grep": "d", "egrep": "d", "fgrep": "d", "cp": "a"}
_SHALLOW_GIT: Final = names("branch rev-parse describe tag remote shortlog version add commit push fetch")
_GREPS: Final = frozenset({"grep", "egrep", "fgrep"})
# They read the files they are given or their input, and no folder.
_FILTERS: Final = NO_FILES | names(
    """awk base32 base64 cat column cut date dd expand fmt fold head hexdump jq md5sum nl od paste rev sed sha1sum
    sha256sum sha512sum sort strings tac tail tee tr uniq wc xxd"""
)
_ANYWHERE: Final = "/"
_PATTERN: Final = re.compile(r"[*?\[]")
# Before 5.2, bash finds `..` for a pattern that begins with a dot.
_CLIMBS: Final = re.compile(r"\.\.|\.\.?[*?\[].*")
_RANGE: Final = re.compile(r"\{-?\w+\.\.-?\w+(?:\.\.-?\d+)?\}")
# The name of a pipe, from which no path leads on.
_PIPE: Final = re.compile(r"[\w./:@%+,=-]*[<>]\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class PathUse:
    """A path as a command spells it."""

    text: str
    certain: bool
    """Whether it is exactly this; else it lies somewhere beneath."""
    at: int
    """Which word names it."""


def paths_of(words: Sequence[Word], redirects: Sequence[Redirect]) -> Iterator[PathUse]:
    """Every word, or part of a word, that a program may take for a path."""
    for at, word in enumerate(words[1:], start=1):
        for text, certain in _meant(word):
            yield PathUse(text=text, certain=certain, at=at)
    listed = names_come_from(words)
    if listed is not None:
        yield PathUse(text=_ANYWHERE, certain=False, at=listed)
    for redirect in redirects:
        if redirect.operator in {"<", "<>"}:
            value = redirect.target.value
            yield PathUse(text=_ANYWHERE if value is None else value, certain=value is not None, at=0)


def _meant(word: Word) -> Iterator[tuple[str, bool]]:
    """What the word may name, and whether that is certain."""
    if word.value is not None:
        for text in _candidates(word.value):
            # Behind = and : bash makes a home of it, and whose that is, only the shell knows.
            home = text.startswith("~") and text != word.value
            yield (_ANYWHERE, False) if home else (text, True)
    elif word.text == "{}" and word.prefix == "./":
        # What find has found lies beneath what find was given.
        yield "./", False
    else:
        is_pipe = _PIPE.match(word.text) is not None and not word.splits
        for text in _candidates(word.guess) if is_pipe else _made(word):
            yield text, False


def _made(word: Word) -> Iterator[str]:
    """The folders in which everything lies that patterns and braces make of a word."""
    if not word.splits or not word.literal:
        yield _ANYWHERE
        return
    alternatives = [word.literal]
    if "{" in word.literal:
        alternatives = [_RANGE.sub("*", each) for each in spread(word.literal)]
        # Which of its braces are quoted, the text alone does not say.
        if word.quoted or any("{" in each or "}" in each for each in alternatives):
            yield _ANYWHERE
            return
    for alternative in alternatives:
        yield from (below(text) for text in _candidates(alternative))


def below(text: str) -> str:
    """The folder in which everything lies that a pattern finds: any folder, if the pattern can climb."""
    pattern = _PATTERN.search(text)
    if text.startswith("~"):
        return _ANYWHERE
    if pattern is None:
        return text
    start = text.rfind("/", 0, pattern.start()) + 1
    climbs = any(_CLIMBS.fullmatch(part) for part in text[start:].split("/"))
    return _ANYWHERE if climbs else text[:start]


def _candidates(value: str) -> Iterator[str]:
    """What of a word may be a path: the word, what stands after = or an option's letters, and items of lists."""
    if value in {"", "-", "--"}:
        return
    name, equals, given = value.partition("=")
    found: list[str] = []
    if not value.startswith("-"):
        found = [value, *_LIST.split(given if equals else value)]
    elif value.startswith("--"):
        found = _LIST.split(given)
    elif not _FLAGS.fullmatch(value):
        found = [*_attached(value, whole=not equals or len(name) > len("-x")), *_LIST.split(given)]
    for each in dict.fromkeys(found):
        # Behind the first or the last @, as in name@file.
        yield from filter(None, dict.fromkeys((each, each.partition("@")[2], each.rpartition("@")[2])))


def _attached(value: str, *, whole: bool) -> Iterator[str]:
    """What may be the value of an option with one dash, after one letter or after several."""
    if whole:
        yield value[2:]
        yield from _LIST.split(value[2:])
    letters = _LETTERS.match(value)
    behind = value[letters.end() :] if letters else ""
    if behind.startswith(("/", ".", "~", "@")):
        yield behind


def reads_deep(name: str, words: Sequence[Word]) -> bool:
    """Whether the program also reads what lies beneath the paths it is given."""
    if name in _ALWAYS_DEEP:
        return True
    if name in _FILTERS:
        return False
    if name == "git":
        sub = subcommand(words)
        return sub is None or words[sub].value not in _SHALLOW_GIT
    letters = f"rR{_DEEP_LETTERS.get(name, '')}"
    return any(_goes_down(word, letters) for word in words[1:])


def _goes_down(word: Word, letters: str) -> bool:
    """Whether the word may be an option to read what lies beneath, among other letters or as any beginning of it."""
    value = word.value
    if value is None:
        return word.may_be_option
    if value.startswith("--"):
        given = value.partition("=")[0]
        return len(given) > len("--") and any(option.startswith(given) for option in _DEEP_OPTIONS)
    return value.startswith("-") and not set(letters).isdisjoint(value)


def reads_here(name: str, words: Sequence[Word]) -> bool:
    """Whether the program may read the folder it runs in: deep, or because it is given no path."""
    if reads_deep(name, words):
        return True
    return name not in _FILTERS | _GREPS and not any(
        word.value is not None and not word.value.startswith("-") and not is_number(word.value) for word in words[1:]
    )


def is_number(text: str) -> bool:
    """Whether it looks like a number, which is a path only if something has that name."""
    return _NUMBER.fullmatch(text) is not None
