"""A world that says what a test tells it, and rules in one line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from assent.tools.shell import Judgement, Rule, Rules, Verdict, judge


@dataclass(slots=True, kw_only=True)
class Pretend:
    """A machine without a disk; it counts how often it is asked."""

    writable: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    protected: frozenset[str] = frozenset()
    tame: bool = True
    readable: bool = True
    asked: list[str] = field(default_factory=list[str])

    @property
    def asks_somewhere(self) -> bool:
        return bool(self.protected)

    def accepts(self, script: str) -> bool:
        self.asked.append(f"accepts {script}")
        return self.readable

    def program(self, name: str) -> str | None:
        self.asked.append(f"program {name}")
        return f"/usr/bin/{name}"

    def is_writable(self, path: str) -> bool:
        return path in self.writable

    def is_inside(self, path: str, names: Collection[str]) -> bool:
        self.asked.append(f"inside {path}")
        return path in self.inside

    def asks_to_read(self, path: str, *, deep: bool) -> bool:
        return path in self.protected

    def git_is_tame(self) -> bool:
        self.asked.append("git")
        return self.tame


def rules(*, allow: str = "", ask: str = "", deny: str = "", default: Verdict = "ask") -> Rules:
    """Rules from patterns that are separated by commas."""
    listed: tuple[tuple[Verdict, str], ...] = (("allow", allow), ("ask", ask), ("deny", deny))
    made = [
        Rule(pattern=tuple(pattern.split()), verdict=verdict, title=pattern.strip())
        for verdict, patterns in listed
        for pattern in patterns.split(",")
        if pattern.strip()
    ]
    return Rules.made(rules=made, default=default)


USUAL = rules(allow="ls,cat,grep,echo,git status,sort,find,test,true", ask="git commit", deny="rm,git push")


def judged(command: str, by: Rules = USUAL, world: Pretend | None = None) -> Judgement:
    """What the rules make of a command."""
    return judge(command, by, world or Pretend())
