"""The rules in force, found by the first word of a command."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assent.config import Shell, ShellRule
from assent.tools.shell._git import subcommand, without_globals
from assent.tools.shell._presets import ALONE, PRESETS
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Verdict
from assent.tools.shell._word import Word

SYSTEM_FOLDERS: Final = frozenset(
    {
        *(f"{top}{folder}" for top in ("", "/usr", "/usr/local") for folder in ("/bin", "/sbin")),
        "/opt/homebrew/bin",
        "/run/current-system/sw/bin",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A pattern of words and what becomes of the commands that begin with it."""

    pattern: tuple[str, ...]
    verdict: Verdict
    title: str
    """How answers name it."""
    description: str | None = None
    sandbox_paths: tuple[str, ...] | None = None
    alone: bool = False
    """Whether it means these words alone, and nothing may follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every rule, and what becomes of a command that none of them names."""

    default: Verdict = "ask"
    permits: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict[str, tuple[Rule, ...]])
    """Rules that allow, by the program's name."""
    limits: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict[str, tuple[Rule, ...]])
    """Rules that ask or deny, by the program's name."""

    @classmethod
    def of(cls, shell: Shell) -> Rules:
        """The rules a configuration spells, with those of its preset."""
        return cls.made(
            default=verdict_of(allowed=shell.default.allowed, approval=shell.default.approval),
            rules=[*map(rule_of, shell.rules), *_preset(shell.preset)],
        )

    @classmethod
    def made(cls, *, rules: Iterable[Rule], default: Verdict = "ask") -> Rules:
        """Rules for looking up."""
        permits: dict[str, list[Rule]] = {}
        limits: dict[str, list[Rule]] = {}
        for rule in rules:
            table = permits if rule.verdict == "allow" else limits
            table.setdefault(base_name(rule.pattern[0]), []).append(rule)
        return cls(default=default, permits=_frozen(permits), limits=_frozen(limits))

    def limiting(self, words: Sequence[Word]) -> Iterator[tuple[Rule, bool]]:
        """Every rule that asks or denies these words, and whether that is certain."""
        for name in _possible_names(words[0]):
            for rule in self.limits.get(name, ()):
                for candidate in _readings(name, words):
                    certainty = _begins(candidate, rule.pattern)
                    if certainty is not None:
                        yield rule, certainty

    def permitting(self, words: Sequence[Word]) -> Iterator[Rule]:
        """Every rule that allows these words, as far as the words alone can tell."""
        value = words[0].value
        if value is None:
            return
        folder, _, name = value.rpartition("/")
        if "/" in value and folder not in SYSTEM_FOLDERS:
            return
        plain = without_globals(words) if name == "git" else words
        for rule in self.permits.get(name, ()):
            # A rule that names a path means that path, not another program of the same name.
            named = rule.pattern[0] in {name, value}
            if named and any(_means(each, rule) for each in ([words] if plain is words else [words, plain])):
                yield rule


def verdict_of(*, allowed: bool, approval: bool) -> Verdict:
    """What the two keys of a rule mean together."""
    if not allowed:
        return "deny"
    return "ask" if approval else "allow"


def rule_of(rule: ShellRule) -> Rule:
    """The rule of a configuration, as it is looked up."""
    return Rule(
        pattern=rule.pattern,
        verdict=verdict_of(allowed=rule.allowed, approval=rule.approval),
        title=shlex.join(rule.pattern),
        description=rule.description,
        sandbox_paths=rule.sandbox_paths,
    )


def _preset(name: str) -> Iterator[Rule]:
    for pattern in PRESETS[name]:
        words = tuple(pattern.split())
        yield Rule(pattern=words, verdict="allow", title=f"{pattern} (preset {name})", alone=pattern in ALONE)


def _frozen(table: Mapping[str, list[Rule]]) -> dict[str, tuple[Rule, ...]]:
    return {name: tuple(rules) for name, rules in table.items()}


def _possible_names(word: Word) -> Iterator[str]:
    """The names a program may have; a guess where the shell decides."""
    name = base_name(word.value if word.value is not None else word.guess)
    if name:
        yield name


def _readings(name: str, words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """The words, and the same words without options that stand before the subcommand."""
    yield words
    sub = subcommand(words) if name == "git" else None
    if sub is not None and sub > 1:
        yield [words[0], *words[sub:]]


def _means(words: Sequence[Word], rule: Rule) -> bool:
    """Whether the rule is certainly about these words."""
    return _begins(words, rule.pattern) is True and (not rule.alone or len(words) == len(rule.pattern))


def _begins(words: Sequence[Word], pattern: Sequence[str]) -> bool | None:
    """Whether the words after the program are the pattern's; false where only the shell knows, none if not."""
    certain = True
    for index in range(1, len(pattern)):
        if index >= len(words):
            return None
        word = words[index]
        if word.value is None:
            if word.splits:
                return False
            certain = False
        elif word.value != pattern[index]:
            return None
    return certain
