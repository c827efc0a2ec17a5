"""Commands and the verdicts they must get, tried one after the other."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from assent.cli._printing import print_json
from assent.cli._screen import Screen
from assent.cli.check import noted, pictured, settings_for
from assent.cli.policy._cases import Case, read_cases
from assent.cli.policy._progress import Progress
from assent.cli.policy._trial import Trial
from assent.tools.shell import Judgement, check_rules


def try_cases(file: str, *, config: str | None, cwd: str | None, as_json: bool) -> int:
    """Judge every case of the file; 1 if any gets a verdict that is not right."""
    settings, folder = settings_for(config, cwd)
    check_rules(settings)
    cases = read_cases(file)
    trial = Trial(settings, folder)
    trial.check(cases, file)
    start = time.monotonic()
    failed = _json_lines(cases, trial) if as_json else _told(cases, trial, file)
    if not as_json:
        passed = len(cases) - failed
        print(f"{len(cases)} cases: {passed} passed, {failed} failed ({time.monotonic() - start:.1f} s)")
    return 1 if failed else 0


def _json_lines(cases: Sequence[Case], trial: Trial) -> int:
    failed = 0
    for case in cases:
        judgement = trial.judge(case)
        passed = judgement.verdict in case.answers
        failed += not passed
        print_json({"id": case.id, "got": judgement.verdict, "pass": passed, "reason": judgement.reason})
    return failed


def _told(cases: Sequence[Case], trial: Trial, file: str) -> int:
    """Each failure as it is found, and on a terminal how far it is."""
    screen, progress = Screen.of(sys.stdout), Progress(len(cases))
    failed = 0
    for done, case in enumerate(cases):
        progress.show(done)
        judgement = trial.judge(case)
        if judgement.verdict not in case.answers:
            failed += 1
            progress.clear()
            print("\n".join(_failure(case, judgement, trial, file, screen)))
    progress.clear()
    return failed


def _failure(case: Case, judgement: Judgement, trial: Trial, file: str, screen: Screen) -> Iterator[str]:
    wanted = " or ".join(dict.fromkeys([case.expect, *case.ok]))
    title = f"{case.id} ({file}:{case.line}): expected {wanted}, got {judgement.verdict}"
    yield from map(screen.strong, noted(title, "", screen))
    yield from pictured(case.command, judgement, trial.places(case), screen)
    yield ""
