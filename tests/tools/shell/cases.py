"""Cases of a corpus: a command, the rules it is judged by, and the answers that are right."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from assent.config import SandboxPath, Shell, ShellDefault, ShellRule
from assent.config._shell import ShellPreset
from assent.tools.shell import Judgement, Machine, Rules, Verdict, judge

HERE = Path(__file__).parent
RULE = TypeAdapter(ShellRule)

DEFAULTS = {
    "allow": ShellDefault(allowed=True, approval=False),
    "ask": ShellDefault(allowed=True, approval=True),
    "deny": ShellDefault(allowed=False, approval=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of a corpus."""

    id: str
    command: str
    expect: Verdict
    ok: tuple[Verdict, ...] = ()
    """Other answers that the contract permits."""
    rules: tuple[Mapping[str, object], ...] = ()
    default: Verdict = "ask"
    preset: ShellPreset = "none"

    @property
    def answers(self) -> set[Verdict]:
        return {self.expect, *self.ok}


def read_cases(name: str) -> list[Case]:
    """The cases of a file beside this one."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return TypeAdapter(list[Case]).validate_python([json.loads(line) for line in lines])


def rules_of(*, rules: Sequence[Mapping[str, object]], default: str, preset: ShellPreset = "none") -> Rules:
    """The rules of a case, as a configuration would have given them."""
    read = [RULE.validate_python({**rule, "pattern": _words(rule["pattern"])}) for rule in rules]
    return Rules.of(Shell(default=DEFAULTS[default], rules=tuple(read), preset=preset))


def judged(case: Case, machine: Machine) -> Judgement:
    """What the engine says to a case."""
    return judge(case.command, rules_of(rules=case.rules, default=case.default, preset=case.preset), machine)


def explained(judgement: Judgement) -> str:
    """A judgement for the reader of a failed test."""
    parts = [f"  {part.verdict:5} {part.text!r} by {part.rule}: {part.why}" for part in judgement.parts]
    return "\n".join([f"{judgement.verdict}: {judgement.reason}", *parts])


def build_machine(folder: Path) -> Machine:
    """A folder with a sandbox path `output`, links that lead out of it, and something to find outside."""
    for part in ("output/sub", "tests", "outputs", "elsewhere"):
        (folder / part).mkdir(parents=True)
    for name in ("output/a", "output/b", "output/test_a.py", "secret", "elsewhere/a", "outputs/a"):
        (folder / name).write_text("x\n")
    (folder / "output" / "link-out").symlink_to("../elsewhere")
    (folder / "output" / "link-secret").symlink_to("../secret")
    return Machine(cwd=folder, paths={"output": SandboxPath(root=folder / "output")}, path="/usr/bin:/bin")


def _words(pattern: object) -> list[str]:
    return shlex.split(pattern) if isinstance(pattern, str) else [str(word) for word in _listed(pattern)]


def _listed(pattern: object) -> Sequence[object]:
    assert isinstance(pattern, list)
    return pattern
