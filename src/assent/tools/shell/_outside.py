"""What only the machine can tell about commands the rules would allow."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from assent.tools.shell._besides import looked_at
from assent.tools.shell._findings import Findings, Started
from assent.tools.shell._paths import NO_FILES, is_number, paths_of, reads_deep, reads_here
from assent.tools.shell._rules import Rule
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Part, Verdict, strictest
from assent.tools.shell._weigh import BUILTINS
from assent.tools.shell._world import Machine, World

_MOST_SCRIPTS: Final = 100


def check_sandbox_paths(analysis: Findings, world: World) -> None:
    """Take back what a rule allows only inside certain roots, if the command reaches outside."""
    for started in analysis.started:
        part = analysis.parts[started.part]
        if part.verdict != "allow" or not started.permits:
            continue
        if all(rule.sandbox_paths is None for rule in started.permits):
            continue
        holds = next((rule for rule in started.permits if _holds(rule, started, analysis, world)), None)
        if holds is None and analysis.rules.default != "allow":
            rule = started.permits[0]
            names = ", ".join(rule.sandbox_paths or ()) or "none"
            why = f"the rule {rule.title} holds only if every path, or else the folder it runs in, lies in {names}"
            analysis.parts[started.part] = replace(
                part, verdict=strictest(["ask", analysis.rules.default]), rule=rule.title, why=why
            )


def _holds(rule: Rule, started: Started, analysis: Findings, world: World) -> bool:
    names = rule.sandbox_paths
    if names is None:
        return True
    for use in paths_of(started.words, started.redirects):
        if is_number(use.text) and not _names_something(use.text, analysis, world):
            continue
        relative = not use.text.startswith("/")
        if not use.certain or (relative and analysis.moves) or not world.is_inside(use.text, names):
            return False
    name = base_name(started.words[0].value or "")
    for word in () if name in NO_FILES else looked_at(started.words):
        if word.value is None or _leads_out(word.value, names, analysis, world):
            return False
    here = ".git" if name == "git" else "."
    return not reads_here(name, started.words) or (not analysis.moves and world.is_inside(here, names))


def _leads_out(text: str, names: Collection[str], analysis: Findings, world: World) -> bool:
    """Whether letters behind an option, a value of it perhaps, are a path to somewhere else."""
    return _names_something(text, analysis, world) and (analysis.moves or not world.is_inside(text, names))


def _names_something(text: str, analysis: Findings, world: World) -> bool:
    """Whether something has that name; where nobody can tell, it counts."""
    return analysis.moves or not isinstance(world, Machine) or world.exists(text)


def check_outside(command: str, analysis: Findings, world: World, *, plain: bool) -> None:
    """Ask the machine about everything that would run; what it objects to asks."""
    # One command may start a program thousands of times.
    writable: dict[str, str | None] = {}
    for started in analysis.started:
        part = analysis.parts[started.part]
        value = started.words[0].value or ""
        if value not in writable:
            writable[value] = _writable(value, world)
        why = _objection(started, writable[value], analysis, world)
        if why:
            analysis.parts[started.part] = _asking(part, *why)
    if not plain and not world.accepts(command):
        _add(analysis, command, command, "bash itself cannot read this")
    texts = list(dict.fromkeys(analysis.texts))
    if len(texts) > _MOST_SCRIPTS:
        _add(analysis, command, command, f"it holds {len(texts)} scripts, of which at most {_MOST_SCRIPTS} are tried")
    for text in texts[:_MOST_SCRIPTS]:
        if not world.accepts(text):
            _add(analysis, command, text, "bash itself cannot read this script")


def _asking(part: Part, rule: str, why: str) -> Part:
    return replace(part, verdict="ask", rule=f"[{rule}]", why=why)


def _add(analysis: Findings, command: str, text: str, why: str) -> None:
    verdict: Verdict = strictest(["ask", analysis.rules.default])
    part = Part(text=text, start=0, end=len(command), words=(), verdict=verdict, rule="[unparsable]", why=why)
    analysis.parts.append(part)


def _writable(value: str, world: World) -> str | None:
    """Where the program lies, if an agent may write there."""
    place = value if "/" in value else (None if value in BUILTINS else world.program(value))
    return place if place is not None and world.is_writable(place) else None


def _objection(started: Started, writable: str | None, analysis: Findings, world: World) -> tuple[str, str] | None:
    """What keeps a command from running unseen, as a built-in reason and a sentence."""
    if writable is not None:
        return "program", f"{writable} lies where an agent may write"
    name = base_name(started.words[0].value or "")
    if name == "git":
        if not started.keeps_environment or analysis.moves:
            return "git", "git would run here without the environment that keeps a repository from running programs"
        if not world.git_is_tame():
            return "git", "the repository's configuration may run programs"
    return _protected(name, started, analysis, world)


def _protected(name: str, started: Started, analysis: Findings, world: World) -> tuple[str, str] | None:
    """The path it reads that asks first."""
    if not world.asks_somewhere or (name in NO_FILES and not started.redirects):
        return None
    deep = reads_deep(name, started.words)
    if analysis.moves:
        return "reading", "it changes the folder, and some folders ask before they are read"
    if name == "git" and deep and world.asks_to_read(".git", deep=True):
        return "reading", "git shows all of a repository, and in this one a folder asks before it is read"
    if world.asks_to_read(".", deep=deep):
        return "reading", "it runs in or above a folder that asks before it is read"
    for use in paths_of(started.words, started.redirects):
        if world.asks_to_read(use.text or ".", deep=deep or not use.certain):
            shown = started.words[use.at].text if use.at else use.text
            return "reading", f"{shown} may be in a folder that asks before it is read"
    return None
