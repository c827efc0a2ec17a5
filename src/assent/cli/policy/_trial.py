"""Cases before the engine: each with its own rules, or with those of the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assent.cli.check import places_of
from assent.cli.policy._cases import Case
from assent.config import Sandbox, SandboxPath, Settings, Shell, ShellDefault, ShellPreset, ShellRule
from assent.errors import ConfigError
from assent.tools.shell import Judgement, Machine, Rules, Verdict, check_rules, judge

_DEFAULTS: Final[Mapping[Verdict, ShellDefault]] = {
    "allow": ShellDefault(allowed=True, approval=False),
    "ask": ShellDefault(allowed=True, approval=True),
    "deny": ShellDefault(allowed=False, approval=True),
}

_Own = tuple[tuple[ShellRule, ...] | None, Verdict | None, ShellPreset | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What cases are judged by."""

    rules: Rules
    machine: Machine


class Trial:
    """Judges cases as commands that would run in one folder."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._folder = folder
        self._paths = settings.sandbox.paths
        self._shell = settings.shell
        self._places = places_of(settings)
        self._configured = _Ground(
            rules=Rules.of(settings.shell), machine=Machine(cwd=folder, paths=settings.sandbox.paths)
        )
        # Many cases share their rules; making them takes longer than judging.
        self._own: dict[_Own, _Ground] = {}

    def check(self, cases: Sequence[Case], file: str) -> None:
        """Make all rules that the cases bring.

        Raises:
            ConfigError: an example of such a rule fails.
        """
        problems: list[str] = []
        for case in cases:
            try:
                self._ground(case)
            except ConfigError as error:
                problems += [f"{file}:{case.line}: {line}" for line in str(error).splitlines()]
        if problems:
            raise ConfigError("\n".join(problems))

    def judge(self, case: Case) -> Judgement:
        """The verdict on the case's command."""
        ground = self._ground(case)
        return judge(case.command, ground.rules, ground.machine)

    def places(self, case: Case) -> Mapping[str, str]:
        """Where the rules that judge a case stand in the configuration."""
        return {} if case.is_own else self._places

    def _ground(self, case: Case) -> _Ground:
        if not case.is_own:
            return self._configured
        own: _Own = (case.rules, case.default, case.preset)
        if own not in self._own:
            self._own[own] = self._made(self._shell_of(case))
        return self._own[own]

    def _shell_of(self, case: Case) -> Shell:
        """What the case says, and where it says nothing, the configuration; a preset goes with its rules."""
        configured = self._shell
        return Shell(
            default=_DEFAULTS[case.default] if case.default else configured.default,
            rules=configured.rules if case.rules is None else case.rules,
            preset=case.preset or (configured.preset if case.rules is None else "none"),
        )

    def _made(self, shell: Shell) -> _Ground:
        # A file of cases speaks for itself: a path that the configuration does not name is the
        # folder of that name.
        named = {name for rule in shell.rules for name in rule.sandbox_paths or ()}
        own = {name: SandboxPath(root=self._folder / name) for name in named - self._paths.keys()}
        paths = {**self._paths, **own}
        check_rules(Settings(shell=shell, sandbox=Sandbox(paths=paths)))
        return _Ground(rules=Rules.of(shell), machine=Machine(cwd=self._folder, paths=paths))
