"""`assent doctor`: every way out of the OS sandbox, tried for real, and a table of what held."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assent.os_sandbox import Backend, Fallback, Missing, Refusal, backends, choose_backend
from assent.os_sandbox.escapes import Outcome, try_to_escape

_GROUPS: Final = {
    "files": "Files outside",
    "planting": "What other programs obey, inside writable roots",
    "reach": "Secrets and other programs",
    "kernel": "The kernel",
}
_MARKS: Final = {"held": "held", "escaped": "ESCAPED", "permitted": "allowed", "open": "open", "untried": "untried"}
_WIDTH: Final = 64
_SAID: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What the configuration promises about the OS sandbox."""

    required: bool = False
    fallback: Fallback = "fail_fast"
    network: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found on this machine."""

    promise: Promise
    lacks: Sequence[tuple[Backend, Missing | None]]
    """Every kind of wall, and why it does not hold, if it does not."""
    chosen: Backend | Refusal
    outcomes: Sequence[Outcome]

    @property
    def kept(self) -> bool:
        """Whether the promise holds: there are walls that will do, and nothing got through them."""
        bad = {"escaped", "untried"}
        return not isinstance(self.chosen, Refusal) and not any(each.verdict in bad for each in self.outcomes)


def doctor(promise: Promise, *, as_json: bool) -> int:
    """Try everything and print it; 0 if the promise holds."""
    found = examine(promise)
    print(_json(found) if as_json else "\n".join(_table(found)))  # noqa: T201 (what the command is for)
    return 0 if found.kept else 1


def examine(promise: Promise) -> Findings:
    """Try every kind of wall, and every way out of the one that would be used."""
    every = backends()
    lacks = [(each, each.probe()) for each in every]
    holding = [each for each, lack in lacks if lack is None]
    chosen = choose_backend(required=promise.required, fallback=promise.fallback)
    # Without one that will do, the weaker one is shown, so that everybody sees what it leaves open.
    tried = chosen if not isinstance(chosen, Refusal) else next(iter(holding), None)
    outcomes = try_to_escape(tried, network=promise.network) if tried is not None else ()
    return Findings(promise=promise, lacks=lacks, chosen=chosen, outcomes=outcomes)


def _table(found: Findings) -> Iterator[str]:
    who = "root" if os.getuid() == 0 else "an ordinary user"
    yield f"The OS sandbox on this machine, tried for real as {who} (Linux {platform.release()})"
    yield ""
    for backend, lack in found.lacks:
        yield f"  {backend.name:12}{'holds' if lack is None else 'not here: ' + lack.what}{_label(backend, lack)}"
    for group, title in _GROUPS.items():
        rows = [each for each in found.outcomes if each.attempt.group == group]
        if rows:
            held = sum(each.verdict == "held" for each in rows)
            yield ""
            yield f"{title}: {held} of {len(rows)} held"
            yield from (_row(each) for each in rows)
    yield ""
    yield from _verdict(found)


def _label(backend: Backend, lack: Missing | None) -> str:
    return ", but weaker" if lack is None and backend.weaker else ""


def _row(outcome: Outcome) -> str:
    from assent.ui import visible

    said = visible(outcome.said).replace("\n", " ")
    short = said.split(": '")[0].removeprefix("[Errno ")
    reason = short.split("] ", 1)[-1] if said.startswith("[Errno ") else short
    return f"  {_MARKS[outcome.verdict]:9}{outcome.attempt.what:{_WIDTH}} {reason[:_SAID]}".rstrip()


def _verdict(found: Findings) -> Iterator[str]:
    required = "required" if found.promise.required else "not required"
    network = "on" if found.promise.network else "off"
    yield f"Your configuration: an OS sandbox is {required}, network for commands is {network}."
    if isinstance(found.chosen, Refusal):
        yield str(found.chosen)
        return
    out = [each for each in found.outcomes if each.verdict in {"escaped", "untried"}]
    if out:
        yield f"It does NOT hold: {len(out)} of {len(found.outcomes)} attempts got through {found.chosen.name}."
        return
    opened = sum(each.verdict == "open" for each in found.outcomes)
    got = f"{opened} known gaps, and nothing else got out" if opened else "none got out"
    yield f"It holds: commands run behind {found.chosen.name}; of {len(found.outcomes)} attempts {got}."
    if found.chosen.gaps:
        yield "But it is the weaker kind of wall, which leaves open that"
        yield from (f"  - {gap}" for gap in found.chosen.gaps)
    if os.getuid() == 0:
        yield "As root: commands have no capabilities, so they cannot change files of other users, even in a root."


def _json(found: Findings) -> str:
    refused = isinstance(found.chosen, Refusal)
    return json.dumps(
        {
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
        },
        indent=2,
    )
