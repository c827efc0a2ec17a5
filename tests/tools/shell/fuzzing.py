"""Differential fuzzing: what the rules allow is run by real bash, which must not run what they deny."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from assent.tools.shell import Rules
from tests.tools.shell.bash_room import WROTE, BashRoom
from tests.tools.shell.cases import rules_of
from tests.tools.shell.mutations import Mutator

BATCH = 125
SAMPLE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A policy to fuzz against, and what may happen under it."""

    name: str
    default: str
    policy: Rules
    permitted: frozenset[str] | None
    """The stubs an allowed command may run; none: all but rm."""

    def broken_by(self, ran: frozenset[str]) -> frozenset[str]:
        """What an allowed command did that it may not do."""
        return ran & {"rm", WROTE} if self.permitted is None else ran - self.permitted


def _mode(name: str, *allowed: str, default: str = "ask", also: Sequence[str] = ()) -> Mode:
    rules: list[Mapping[str, object]] = [{"pattern": "rm", "allowed": False}]
    rules.extend({"pattern": pattern, "approval": False} for pattern in (*allowed, *also))
    permitted = None if default == "allow" else frozenset(pattern.split()[0] for pattern in allowed)
    return Mode(name=name, default=default, policy=rules_of(rules=rules, default=default), permitted=permitted)


READERS = ("ls", "cat", "grep", "wc", "head", "sort")
PRESET = (*READERS, "git", "uniq", "cut", "tr", "date", "pwd", "tail", "rg", "awk", "sed")

MODES = (
    _mode("all but rm", default="allow"),
    _mode("named programs", "git status", *READERS, also=("echo", "printf", "true", "find")),
    _mode(
        "named wrappers", *READERS, also=("env", "timeout", "nice", "xargs", "command", "bash", "sh", "find", "echo")
    ),
    Mode(
        name="read-only preset",
        default="ask",
        policy=rules_of(rules=[], default="ask", preset="read-only"),
        permitted=frozenset(PRESET),
    ),
)

Judge = Callable[[str, Mode], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Escape:
    """A command that was allowed and did what it may not."""

    command: str
    mode: str
    did: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What came out."""

    answers: Counter[str]
    """One for each command and mode."""
    ran: int
    """How many commands some mode allowed, and bash ran."""
    escapes: tuple[Escape, ...]
    denied_and_harmful: int
    """How many of a sample of the denied commands really run rm."""


def seeds(corpus: Path) -> list[str]:
    """The corpus commands that a room can run; long loops and NULs are of no use there."""
    commands = [str(json.loads(line)["command"]) for line in corpus.read_text(encoding="utf-8").splitlines()]
    return [command for command in commands if "\0" not in command and "while true" not in command]


def fuzz(*, count: int, seed: int, judge: Judge, rooms: Sequence[BashRoom], corpus: Path) -> Campaign:
    """Judge `count` commands in every mode, and run in the rooms what any of them allows.

    Some that are denied are run too: a room in which nothing can run rm would prove nothing.
    """
    mutator = Mutator(random=Random(seed), seeds=seeds(corpus))  # noqa: S311 - made-up input needs no secrets
    answers: Counter[str] = Counter()
    allowed: dict[str, list[Mode]] = {}
    denied: list[str] = []
    for _ in range(count):
        command = mutator.command()
        verdicts = [judge(command, mode) for mode in MODES]
        answers.update(verdicts)
        if "allow" in verdicts:
            allowed[command] = [mode for mode, verdict in zip(MODES, verdicts, strict=True) if verdict == "allow"]
        elif "deny" in verdicts and len(denied) < SAMPLE:
            denied.append(command)
    did = dict(zip(allowed, ran_in(rooms, list(allowed)), strict=True))
    escapes = [
        Escape(command=command, mode=mode.name, did=broken)
        for command, modes in allowed.items()
        for mode in modes
        if (broken := mode.broken_by(did[command]))
    ]
    harmful = sum("rm" in names for names in ran_in(rooms, denied))
    return Campaign(answers=answers, ran=len(allowed), escapes=tuple(escapes), denied_and_harmful=harmful)


def ran_in(rooms: Sequence[BashRoom], commands: Sequence[str]) -> list[frozenset[str]]:
    """The names of the stubs that each command ran, with all rooms at work."""
    batches = [commands[start : start + BATCH] for start in range(0, len(commands), BATCH)]
    shares = [batches[number :: len(rooms)] for number in range(len(rooms))]
    with ThreadPoolExecutor(len(rooms)) as threads:
        done = list(threads.map(_ran, rooms, shares))
    return [did for number in range(len(batches)) for did in done[number % len(rooms)][number // len(rooms)]]


def _ran(room: BashRoom, batches: Sequence[Sequence[str]]) -> list[list[frozenset[str]]]:
    return [room.ran(batch, seconds=600) for batch in batches]
