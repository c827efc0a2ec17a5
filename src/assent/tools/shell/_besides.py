"""What a command looks at besides the paths its words name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from assent.tools.shell._findings import Started
from assent.tools.shell._paths import NO_FILES, below
from assent.tools.shell._simple import Redirect, Simple
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._word import Word, known, unknown

_FILE_TESTS: Final = frozenset(f"-{letter}" for letter in "abcdefghkLNOGprsSuwx")
_PATTERNS: Final = frozenset("*?[")
_MOST_LETTERS: Final = 64
_MOST_REDIRECTS: Final = 8


@dataclass(slots=True, kw_only=True)
class Besides:
    """What is looked at by no command of its own: around a compound command, in a test, by a loop."""

    words: list[Word] = field(default_factory=list[Word])
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    """Where several commands may read from."""

    def note_test(self, test: Simple) -> None:
        """Files that `[[ ]]` looks at."""
        for operator, operand in zip(test.words, test.words[1:], strict=False):
            if operator.text in _FILE_TESTS:
                self.words.append(operand)

    def note_loops(self, values: Mapping[str, Sequence[str]]) -> None:
        """Folders that the shell lists for a loop."""
        for value in (each for listed in values.values() for each in listed):
            if not _PATTERNS.isdisjoint(value):
                self.words.append(_listing(Word(text=value, start=0, end=0, value=None, prefix="", literal=value)))

    def give_to(self, started: list[Started]) -> None:
        """Let every rule that is bound to places know where its command may read, and look at the rest once."""
        if not started or not (self.words or self.redirects):
            return
        inputs = tuple({redirect.target.value: redirect for redirect in self.redirects}.values())
        if len(inputs) > _MOST_REDIRECTS:
            # Each of many commands may read from each of many files: too much to look at.
            inputs = (Redirect(operator="<", target=unknown(0, 0)),)
        for each in started:
            if any(rule.sandbox_paths is not None for rule in each.permits):
                each.redirects += inputs
        started.append(looking(started[0].part, self.words, inputs))


def looking(part: int, words: Sequence[Word], redirects: tuple[Redirect, ...] = ()) -> Started:
    """A look at paths that no rule is asked about; `part` says who looks."""
    return Started(
        part=part, words=(known("test", 0, 0), *words), redirects=redirects, permits=(), keeps_environment=True
    )


def looked_at(words: Sequence[Word]) -> list[Word]:
    """What one command looks at besides: values in a cluster of letters, folders that the shell lists for it."""
    if base_name(words[0].value or "") not in NO_FILES:
        return [each for word in words[1:] for each in _values_in_letters(word)]
    return [_listing(word) for word in words[1:] if word.value is None and not _PATTERNS.isdisjoint(word.literal)]


def _values_in_letters(word: Word) -> Iterator[Word]:
    """Every rest of a cluster of options: in `-nfl`, l may be the value of f."""
    value = word.value or ""
    if not value.startswith("-") or value.startswith("--"):
        return
    for at in range(2, len(value)):
        if at > _MOST_LETTERS:
            yield replace(unknown(word.start, word.end), text=word.text)
        else:
            yield replace(known(value[at:], word.start, word.end), text=word.text)
        if at > _MOST_LETTERS or not value[at].isalnum():
            return


def _listing(word: Word) -> Word:
    """What the shell lists to find the names for a pattern: one folder, or all beneath it."""
    folder = below(word.literal)
    deep = "{" in word.literal or "/" in word.literal[len(folder) :] or folder == "/"
    if deep:
        return replace(word, splits=True)
    return replace(known(folder or ".", word.start, word.end), text=word.text)
