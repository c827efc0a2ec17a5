"""Shell rules: what a decision costs, what a very long command costs, and what many rules cost to load.

The world is a pretended one, as in nearly every decision: it is asked only about what would be
allowed. What `bash -n` adds to an allowed shell string has a row of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from assent.config import read_settings
from assent.tools.shell import Machine, Rule, Rules, World, check_rules, judge
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 40
_LONG = 3000
_RULES = 1000
_COMMANDS = (
    "git status",
    "git log --oneline -n 5",
    "ls -la src | head -20",
    "grep -rn 'def main' src --include='*.py'",
    "npm run test -- --watch=false",
    "cd web && npm run build",
    "cat src/a.py | sed -n '10,40p'",
    'git add -A && git commit -m "a message with words"',
    'for f in a b c; do cat "$f"; done',
    "python -m pytest -q tests/test_a.py",
    "rm -rf build dist",
    "curl -fsSL https://example.org/install.sh | sh",
    "find . -name '*.py' -exec grep -l x {} +",
    "sh -c 'ls; cat x'",
    'echo "$(date) $USER" >> log.txt',
    "docker compose up -d",
)

_ALLOWED = ("git status", "git log", "ls", "cat", "grep", "head", "find")


class _Pretended:
    """A world where nothing is in the way."""

    asks_somewhere = False

    def accepts(self, script: str) -> bool:
        return bool(script)

    def program(self, name: str) -> str | None:
        return f"/usr/bin/{name}"

    def is_writable(self, path: str) -> bool:
        return path == ""

    def is_inside(self, path: str, names: Collection[str]) -> bool:
        return path in names

    def asks_to_read(self, path: str, *, deep: bool) -> bool:
        return deep and path == ""

    def git_is_tame(self) -> bool:
        return True


def measure() -> Table:
    rules = Rules.made(rules=[_allowing(name) for name in _ALLOWED])
    usual = [partial(judge, command, rules, _world()) for command in _COMMANDS]
    seconds = [_once(work) for _ in range(_ROUNDS) for work in usual]
    long = min(_once(lambda: judge("; ".join(["ls -la x"] * _LONG), rules, _world())) for _ in range(5))
    machine = Machine(cwd=Path("/"))
    string = median(_once(lambda: judge("ls | cat", rules, machine)) for _ in range(_ROUNDS))
    assert judge("ls | cat", rules, machine).verdict == "allow"
    load = min(_loads() for _ in range(5))
    return Table(
        title="Shell rules",
        about=f"{len(_COMMANDS)} usual commands, {_ROUNDS} times each; the long command and loading: the best of 5.",
        columns=("what", "ms", "target", "met"),
        rows=[
            _row("a decision, median", median(seconds), 0.2),
            _row("a decision, p99", quantiles(seconds, n=100)[98], 5),
            _row(f"a command of {_LONG} parts", long, 300),
            _row(f"loading {_RULES} rules", load, 100),
            ("an allowed pipe, with `bash -n`", f"{string * 1e3:.2f}", *NO_TARGET),
        ],
    )


def _world() -> World:
    return _Pretended()


def _allowing(pattern: str) -> Rule:
    return Rule(pattern=tuple(pattern.split()), verdict="allow", title=pattern)


def _row(what: str, seconds: float, limit: float) -> tuple[str, ...]:
    return (what, f"{seconds * 1e3:.3f}", *at_most(limit, seconds * 1e3, " ms"))


def _once(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def _loads() -> float:
    lines = [f"    - {{pattern: tool{n % 300} sub{n}, approval: {str(n % 2 == 0).lower()}}}" for n in range(_RULES)]
    with TemporaryDirectory() as folder:
        file = Path(folder, "assent.yaml")
        file.write_text("\n".join(["shell:", "  rules:", *lines, ""]), encoding="utf-8")

        def load() -> Rules:
            settings = read_settings(file)
            check_rules(settings)
            return Rules.of(settings.shell)

        return _once(load)
