"""The verdict on one command's own words, by rules and tables alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assent.tools.shell._behind import Behind
from assent.tools.shell._danger import Danger
from assent.tools.shell._names import names
from assent.tools.shell._options import dangers
from assent.tools.shell._rules import SYSTEM_FOLDERS, Rule, Rules
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Verdict, strictest
from assent.tools.shell._word import Word, known

# A rule may allow these; nothing else does, because they change what relative paths mean.
MOVES: Final = frozenset({"cd", "pushd", "popd"})
STATE: Final = MOVES | names(
    """export declare typeset readonly local unset set shopt alias unalias source . eval exec trap enable hash
    ulimit umask bind complete compgen compopt let read readarray mapfile getopts disown fg bg suspend logout
    history fc dirs caller newgrp login"""
)
BUILTINS: Final = STATE | names(
    """echo printf true false : test [ pwd type command builtin times wait kill jobs exit return break continue
    shift help time"""
)


_ELSEWHERE: Final = frozenset({"-execdir", "-okdir"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What the rules say about a command."""

    verdict: Verdict
    rule: str
    why: str
    permits: tuple[Rule, ...] = ()
    """The rules that allow it, any of which will do."""
    dangers: tuple[Danger, ...] = ()


def moves(words: Sequence[Word]) -> bool:
    """Whether it changes the folder, for what follows it or for what it starts."""
    name = base_name(words[0].value or "")
    return name in MOVES or (name == "find" and any(word.value in _ELSEWHERE for word in words))


def weigh(words: Sequence[Word], rules: Rules, *, grant: Sequence[str], behind: Behind | None) -> Weighed:
    """The verdict on the words; `grant` are words that a rule for the wrapper around them has named."""
    own = _permitted(words, rules, grant, behind)
    matching = list(rules.limiting(words))
    if not matching:
        return own
    limits = [
        Weighed(
            verdict=rule.verdict if certain else "ask",
            rule=rule.title,
            why=_limit(rule, words[0], certain=certain),
            dangers=own.dangers,
        )
        for rule, certain in matching
    ]
    # A default that denies is for what no rule names.
    named = words[0].value is not None and any(certain for _, certain in matching)
    return max(limits if named and own.verdict == "deny" else [own, *limits], key=_rank)


def _rank(weighed: Weighed) -> int:
    # With equal verdicts a rule explains more than a default.
    return 2 * ("allow", "ask", "deny").index(weighed.verdict) + (not weighed.rule.startswith("["))


def _limit(rule: Rule, name: Word, *, certain: bool) -> str:
    if not certain:
        return f"only the shell knows whether this is {rule.title}"
    said = "denies" if rule.verdict == "deny" else "asks for"
    through = f", spelled {name.text}" if name.text != base_name(rule.pattern[0]) else ""
    return f"a rule {said} {rule.title}{through}" + (f": {rule.description}" if rule.description else "")


def _permitted(words: Sequence[Word], rules: Rules, grant: Sequence[str], behind: Behind | None) -> Weighed:
    value = words[0].value
    if value is None:
        why = f"the shell decides which program {words[0].text or 'this'} is"
        return Weighed(verdict=strictest(["ask", rules.default]), rule="[dynamic command]", why=why)
    name = base_name(value)
    found = tuple(dangers(name, words))
    permits = [*rules.permitting(words), *_granted(words, grant)]
    covering = tuple(rule for rule in permits if not _uncovered(found, name, rule))
    if covering and (name not in STATE or name in MOVES):
        rule = covering[0]
        return Weighed(
            verdict="allow", rule=rule.title, why=f"{rule.title} is allowed", permits=covering, dangers=found
        )
    if name in STATE:
        why = f"{name} changes the state of the shell for what follows"
        return Weighed(verdict=strictest(["ask", rules.default]), rule="[shell state]", why=why, dangers=found)
    if behind and behind.clear and not behind.doubts and (behind.commands or behind.scripts) and _is_system(value):
        return Weighed(verdict="allow", rule="[wrapper]", why=f"{name} only starts what is judged below", dangers=found)
    return _default(words, rules, permits, found)


def _is_system(value: str) -> bool:
    return "/" not in value or value.rpartition("/")[0] in SYSTEM_FOLDERS


def _default(words: Sequence[Word], rules: Rules, permits: Sequence[Rule], found: tuple[Danger, ...]) -> Weighed:
    """What becomes of words that no rule allows."""
    shown = words[0].text
    if permits and found:
        uncovered = _uncovered(found, base_name(words[0].value or ""), permits[0])
        what = words[uncovered[0].at].text or "what is added to it"
        why = f"the rule {permits[0].title} does not cover {what}: {uncovered[0]}{_advice(words, uncovered[0])}"
        rule = permits[0].title
    else:
        outside = "/" in shown and not _is_system(words[0].value or "") and rules.default != "allow"
        why = f"{shown} is a program given by a path, which no rule allows" if outside else f"no rule names {shown}"
        rule = "[default]"
    runs = next((each for each in found if each.kind in {"run", "sets"}), None)
    if rules.default == "allow" and runs:
        return Weighed(verdict="ask", rule="[option]", why=f"{runs}, which no rule names", dangers=found)
    if rules.default == "allow":
        return Weighed(verdict="allow", rule="[default]", why="what no rule names is allowed", dangers=found)
    return Weighed(verdict=rules.default, rule=rule, why=why, dangers=found)


def _advice(words: Sequence[Word], danger: Danger) -> str:
    """How to write a pattern so that no name it finds is an option."""
    word = words[danger.at]
    pattern = danger.kind == "unknown" and word.literal and word.literal[0] in "*?["
    return f"; write ./{word.text}" if pattern else ""


def _granted(words: Sequence[Word], grant: Sequence[str]) -> list[Rule]:
    if not grant or len(grant) > len(words):
        return []
    if all(word.value == each for word, each in zip(words, grant, strict=False)):
        return [Rule(pattern=tuple(grant), verdict="allow", title=" ".join(grant))]
    return []


def _uncovered(found: Sequence[Danger], name: str, rule: Rule) -> list[Danger]:
    """The dangers that the rule does not name itself."""
    if not found:
        return []
    pattern = [known(each, 0, 0) for each in rule.pattern]
    named = {danger.key for danger in dangers(name, pattern) if danger.kind != "unknown"}
    return [danger for danger in found if danger.kind == "unknown" or danger.key not in named]
