"""What only the machine can tell about commands the rules would allow."""

from __future__ import annotations

from dataclasses import replace

from assent.tools.shell._findings import Findings, Started
from assent.tools.shell._paths import NO_FILES, paths_of, reads_deep
from assent.tools.shell._rules import Rule
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Part, Verdict, strictest
from assent.tools.shell._weigh import BUILTINS
from assent.tools.shell._world import World


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
            why = f"the rule {rule.title} holds only if every path lies in {names}"
            analysis.parts[started.part] = replace(
                part, verdict=strictest(["ask", analysis.rules.default]), rule=rule.title, why=why
            )


def _holds(rule: Rule, started: Started, analysis: Findings, world: World) -> bool:
    names = rule.sandbox_paths
    if names is None:
        return True
    for use in paths_of(started.words, started.redirects):
        relative = not use.text.startswith("/")
        if not use.certain or (relative and analysis.moves) or not world.is_inside(use.text, names):
            return False
    return True


def check_outside(command: str, analysis: Findings, world: World, *, plain: bool) -> None:
    """Ask the machine about everything that would run; what it objects to asks."""
    for started in analysis.started:
        part = analysis.parts[started.part]
        why = _objection(started, analysis, world)
        if why:
            analysis.parts[started.part] = _asking(part, *why)
    if not plain and not world.accepts(command):
        _add(analysis, command, command, "bash itself cannot read this")
    for text in analysis.texts:
        if not world.accepts(text):
            _add(analysis, command, text, "bash itself cannot read this script")


def _asking(part: Part, rule: str, why: str) -> Part:
    return replace(part, verdict="ask", rule=f"[{rule}]", why=why)


def _add(analysis: Findings, command: str, text: str, why: str) -> None:
    verdict: Verdict = strictest(["ask", analysis.rules.default])
    part = Part(text=text, start=0, end=len(command), words=(), verdict=verdict, rule="[unparsable]", why=why)
    analysis.parts.append(part)


def _objection(started: Started, analysis: Findings, world: World) -> tuple[str, str] | None:
    """What keeps a command from running unseen, as a built-in reason and a sentence."""
    value = started.words[0].value or ""
    name = base_name(value)
    place = value if "/" in value else (None if name in BUILTINS else world.program(name))
    if place is not None and world.is_writable(place):
        return "program", f"{place} lies where an agent may write"
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
    if world.asks_to_read(".", deep=deep):
        return "reading", "it runs in or above a folder that asks before it is read"
    for use in paths_of(started.words, started.redirects):
        if world.asks_to_read(use.text or ".", deep=deep or not use.certain):
            shown = started.words[use.at].text if use.at else use.text
            return "reading", f"{shown} may be in a folder that asks before it is read"
    return None
