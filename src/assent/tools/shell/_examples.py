"""The examples in a configuration: what each rule must match, and what it must not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assent.config import Settings, ShellRule
from assent.errors import ConfigError
from assent.tools.shell._analysis import Analysis
from assent.tools.shell._rules import Rules, rule_of


def check_rules(settings: Settings) -> None:
    """Try every `match` and `not_match` example of the shell rules.

    Raises:
        ConfigError: one fails; the text names each with its file and line.
    """
    wrong = [problem for index, rule in enumerate(settings.shell.rules) for problem in _wrong(index, rule, settings)]
    if wrong:
        raise ConfigError("\n".join(wrong))


def _wrong(index: int, rule: ShellRule, settings: Settings) -> Iterator[str]:
    for key, examples, wanted in (("match", rule.match, True), ("not_match", rule.not_match, False)):
        for example in examples:
            if matches(rule, example) is not wanted:
                line = settings.lines.get(("shell", "rules", str(index), key))
                where = f"{settings.file}:{line}: " if settings.file and line else ""
                said = "does not match" if wanted else "matches"
                advice = f"change the pattern, or move the example to {'not_match' if wanted else 'match'}"
                yield f"{where}shell.rules.{index}.{key}: the rule {said} {example!r}; {advice}"


def matches(rule: ShellRule, command: str) -> bool:
    """Whether the rule is the one to judge any part of the command; paths are not looked at."""
    alone = rule_of(replace(rule, sandbox_paths=None))
    analysis = Analysis(rules=Rules.made(rules=[alone]))
    analysis.analyse(command)
    if alone.verdict == "allow":
        return any(alone in started.permits for started in analysis.started)
    return any(part.rule == alone.title and part.verdict == alone.verdict for part in analysis.parts)
