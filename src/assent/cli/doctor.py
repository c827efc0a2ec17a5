"""`assent doctor`: every way out of the OS sandbox, tried for real, and a table of what held."""

from __future__ import annotations

import os
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from assent.cli._parsing import config_option, json_option
from assent.cli._printing import print_json
from assent.cli._screen import Screen, Verdict, wrapped
from assent.cli.config import checked_settings
from assent.config import Settings
from assent.errors import AssentError
from assent.os_sandbox import (
    Backend,
    CannotConfine,
    ConfinedThreads,
    Fallback,
    Missing,
    Refusal,
    backends,
    choose_backend,
)
from assent.os_sandbox.escapes import Outcome, attempts, try_to_escape
from assent.ui import visible

_GROUPS: Final = {
    "files": "Files outside",
    "planting": "What other programs obey, inside writable roots",
    "reach": "Secrets and other programs",
    "kernel": "The kernel",
}
_MARKS: Final = {"held": "held", "escaped": "ESCAPED", "permitted": "allowed", "open": "open", "untried": "untried"}
_MARK: Final = 9
_REASON: Final = 26
_LONGEST_REASON: Final = 42
_NARROW: Final = 72
"""With fewer columns there is no room for what the kernel answered."""
_PLAIN: Final = Screen(width=120)
"""Where no terminal reads it: a line for each attempt, for whoever searches it."""
_DESCRIPTION: Final = """\
Starts real processes behind the OS sandbox that commands would get here, lets
them try every way out there is, and prints what held. Nothing of yours is
touched: what they try to reach was put there for them."""
_EPILOG: Final = """\
examples:
  assent doctor
  assent doctor --json --config assent.yaml

exit codes:
  0  what the configuration promises holds
  1  it does not: something got out, or there is no sandbox that will do
  2  the command line or the configuration is wrong; the message says where"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What the configuration promises about the OS sandbox."""

    required: bool = False
    fallback: Fallback = "fail_fast"
    network: bool = False
    confines_files: bool = False
    """Whether the kernel must hold the file tools to their roots too."""
    settings: Settings | None = None
    """The configuration itself, whose own tools are then tried as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found on this machine."""

    promise: Promise
    lacks: Sequence[tuple[Backend, Missing | None]]
    """Every kind of wall, and why it does not hold, if it does not."""
    chosen: Backend | Refusal
    outcomes: Sequence[Outcome]
    files: str | None
    """Why the file tools cannot be confined, or not be made at all; none if they can."""
    commands: str | None = None
    """Why no command of this configuration can start; none if it can."""

    @property
    def kept(self) -> bool:
        """Whether the promise holds: there are walls that will do, and nothing got through them."""
        return not isinstance(self.chosen, Refusal) and not self.bad and not self.files and not self.commands

    @property
    def bad(self) -> list[Outcome]:
        """What got out, or could not be tried."""
        return [each for each in self.outcomes if each.verdict in {"escaped", "untried"}]


def describe(parser: ArgumentParser) -> None:
    """What `assent doctor` takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    config_option(parser)
    json_option(parser, each="one JSON object")
    parser.set_defaults(command=_command)


def _command(options: Namespace) -> int:
    settings = checked_settings(options.config)
    explicit = settings.sandbox.os_profile
    promise = Promise(
        required=settings.sandbox.require_os_sandbox,
        fallback=settings.sandbox.os_sandbox_fallback,
        network=settings.shell.network and (explicit is None or explicit.network),
        confines_files=settings.sandbox.confines_files,
        settings=settings,
    )
    code = doctor(promise, as_json=options.json)
    if explicit is not None and not options.json:
        from assent.tools.command import explicit_cuts

        for cut in explicit_cuts(settings):
            print(visible(f"⚠ {cut}"))  # noqa: T201 (what the command is for)
    return code


def doctor(promise: Promise, *, as_json: bool) -> int:
    """Try everything and print it; 0 if the promise holds."""
    found = examine(promise)
    screen = Screen.of(sys.stdout) if sys.stdout.isatty() else _PLAIN
    if as_json:
        print_json(_spelled(found), indent=2)
    else:
        print("\n".join(page(found, screen)))  # noqa: T201 (what the command is for)
    return 0 if found.kept else 1


def examine(promise: Promise) -> Findings:
    """Try every kind of wall, and every way out of the one that would be used."""
    writable = tuple(promise.settings.sandbox.writable.values()) if promise.settings else ()
    every = backends(writable)
    lacks = [(each, each.probe()) for each in every]
    holding = [each for each, lack in lacks if lack is None]
    chosen = choose_backend(required=promise.required, fallback=promise.fallback, writable=writable)
    # Without one that will do, the weaker one is shown, so that everybody sees what it leaves open.
    tried = chosen if not isinstance(chosen, Refusal) else next(iter(holding), None)
    outcomes = try_to_escape(tried, network=promise.network) if tried is not None else ()
    files = _unconfined() if promise.confines_files else None
    commands = None
    if promise.settings is not None and promise.settings.sandbox.paths and not isinstance(chosen, Refusal):
        files = files or _no_file_tools(promise.settings)
        commands = _no_command(promise.settings, chosen)
    return Findings(promise=promise, lacks=lacks, chosen=chosen, outcomes=outcomes, files=files, commands=commands)


def _unconfined() -> str | None:
    """Why a thread cannot confine itself here; none if it can."""
    try:
        ConfinedThreads().close()
    except CannotConfine as error:
        return str(error)
    return None


def _no_file_tools(settings: Settings) -> str | None:
    """Why the file tools of this configuration cannot be made; none if they can."""
    from assent.tools.files import FileSandbox

    try:
        FileSandbox.from_settings(settings).close()
    except (AssentError, OSError) as error:
        return str(error)
    return None


def _no_command(settings: Settings, backend: Backend) -> str | None:
    """Why not even `/bin/true` starts behind the walls that follow from the configuration; none if it does."""
    from assent.tools.command import why_no_command_starts

    return why_no_command_starts(settings, backend)


def page(found: Findings, screen: Screen) -> Iterator[str]:
    """All that was tried and what held, in groups; whether the promise holds, and what to do, last."""
    who = "root" if os.getuid() == 0 else "an ordinary user"
    yield from wrapped(f"The OS sandbox on this machine, tried for real as {who}", screen.width)
    yield screen.faint(f"Linux {platform.release()}")
    yield ""
    yield from _backends(found, screen)
    for group, title in _GROUPS.items():
        rows = [each for each in found.outcomes if each.attempt.group == group]
        if rows:
            held = sum(each.verdict == "held" for each in rows)
            yield ""
            yield from map(screen.strong, wrapped(f"{title}: {held} of {len(rows)} held", screen.width))
            for row in rows:
                yield from _row(row, screen)
    yield ""
    yield from _verdict(found, screen)


def _backends(found: Findings, screen: Screen) -> Iterator[str]:
    for backend, lack in found.lacks:
        label = "holds" if lack is None else f"not here: {lack.what}"
        weaker = f", but weaker: {len(backend.gaps)} known gaps" if lack is None and backend.weaker else ""
        yield from _hanging(f"{backend.name:12}", f"{label}{weaker}", screen)
    if found.promise.confines_files:
        held = "held to their roots by the kernel" if found.files is None else f"not held: {found.files}"
        yield from _hanging(f"{'file tools':12}", held, screen)


def _hanging(head: str, text: str, screen: Screen) -> Iterator[str]:
    """Text beside its head, in as many lines as it takes."""
    lines = wrapped(visible(text, keep=""), screen.width - len(head) - 2)
    for number, line in enumerate(lines):
        yield f"  {head if number == 0 else ' ' * len(head)}{line}"


def _row(outcome: Outcome, screen: Screen) -> Iterator[str]:
    mark = f"{_MARKS[outcome.verdict]:{_MARK}}"
    what, reason = outcome.attempt.what, _reason(outcome)
    if screen.width < _NARROW:
        yield from _coloured(outcome, _hanging(mark, what, screen), screen)
        return
    room = screen.width - 2 - _MARK - 2
    beside = max(_REASON, min(_LONGEST_REASON, room - max(len(each.what) for each in attempts())))
    columns = wrapped(what, room - beside), wrapped(reason, beside)
    lines = (
        f"  {mark if number == 0 else '':{_MARK}}{left:{room - beside}}  {right}".rstrip()
        for number, (left, right) in enumerate(zip_longest(*columns, fillvalue=""))
    )
    yield from _coloured(outcome, lines, screen)


def _coloured(outcome: Outcome, lines: Iterator[str], screen: Screen) -> Iterator[str]:
    """What did not hold is seen first."""
    if outcome.verdict == "held":
        yield from lines
    else:
        kind: Verdict = "deny" if outcome.verdict in {"escaped", "untried"} else "ask"
        yield from (screen.verdict(kind, line) for line in lines)


def _reason(outcome: Outcome) -> str:
    """What the kernel answered, without its number and the names of our scratch files."""
    said = visible(outcome.said).replace("\n", " ")
    short = said.split(": '")[0]
    return short.split("] ", 1)[-1] if short.startswith("[Errno ") else short


def _verdict(found: Findings, screen: Screen) -> Iterator[str]:
    for paragraph, kind in _conclusion(found):
        lines = [line for part in paragraph.split("\n") for line in wrapped(visible(part), screen.width)]
        yield from (screen.verdict(kind, line) if kind else line for line in lines)


def _conclusion(found: Findings) -> Iterator[tuple[str, Verdict | None]]:
    """What was promised, whether it holds, and what to do if it does not; the verdict with its colour."""
    required = "required" if found.promise.required else "not required"
    network = "on" if found.promise.network else "off"
    yield f"Your configuration: an OS sandbox is {required}, network for commands is {network}.", None
    if found.files is not None:
        yield f"✗ It does NOT hold: {found.files.removesuffix('.')}.", "deny"
        if found.promise.confines_files:
            yield "Or set sandbox.confine_file_tools to false, to trust the path checks alone.", None
    if found.commands is not None:
        yield f"✗ It does NOT hold: no command can start with your configuration: {found.commands}", "deny"
    if isinstance(found.chosen, Refusal):
        yield f"✗ {found.chosen}", "deny"
    elif found.bad:
        yield from _got_out(found, found.chosen)
    else:
        yield from _held(found, found.chosen)


def _got_out(found: Findings, chosen: Backend) -> Iterator[tuple[str, Verdict | None]]:
    count, every = len(found.bad), len(found.outcomes)
    yield f"✗ It does NOT hold: {count} of {every} attempts got through {chosen.name}, or could not be tried.", "deny"
    yield "\n".join(f"- {each.attempt.what}" for each in found.bad), None
    yield (
        (
            f"Let no agent run commands here until this holds: update {chosen.name} and the kernel, then try again. "
            "`assent doctor --json` has every answer of the kernel, for a report."
        ),
        None,
    )


def _held(found: Findings, chosen: Backend) -> Iterator[tuple[str, Verdict | None]]:
    opened = sum(each.verdict == "open" for each in found.outcomes)
    got = f"{opened} known gaps, and nothing else got out" if opened else "none got out"
    kind: Verdict = "ask" if chosen.weaker else "allow"
    if found.kept:
        yield f"✓ It holds: commands run behind {chosen.name}; of {len(found.outcomes)} attempts {got}.", kind
    if chosen.gaps:
        yield "But it is the weaker kind of wall, which leaves open that", None
        yield "\n".join(f"- {gap}" for gap in chosen.gaps), None
        better = next((str(lack) for each, lack in found.lacks if lack is not None and not each.weaker), None)
        yield from [(f"For the full sandbox: {better}.", None)] if better else []
    if os.getuid() == 0:
        yield (
            (
                "As root: commands have no capabilities, so they cannot change files of other users, even in a root. "
                "They can change the permissions of /dev/null and its like, which are put back when a command ends."
            ),
            None,
        )


def _spelled(found: Findings) -> dict[str, object]:
    refused = isinstance(found.chosen, Refusal)
    return {
        "holds": found.kept,
        "required": found.promise.required,
        "network": found.promise.network,
        "backend": None if isinstance(found.chosen, Refusal) else found.chosen.name,
        "gaps": [] if isinstance(found.chosen, Refusal) else list(found.chosen.gaps),
        "refusal": str(found.chosen) if refused else None,
        "backends": [
            {"name": backend.name, "holds": lack is None, "missing": str(lack) if lack else None}
            for backend, lack in found.lacks
        ],
        "commands": {"start": not refused and found.commands is None, "missing": found.commands},
        "file_tools": {"confined": found.promise.confines_files and found.files is None, "missing": found.files},
        "attempts": [
            {
                "name": each.attempt.name,
                "group": each.attempt.group,
                "what": each.attempt.what,
                "verdict": each.verdict,
                "said": each.said,
            }
            for each in found.outcomes
        ],
    }
