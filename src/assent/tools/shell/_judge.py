"""The verdict on a command: every part of it, and why."""

from __future__ import annotations

from typing import Final

from assent.tools.shell._analysis import Analysis
from assent.tools.shell._cautions import cautions
from assent.tools.shell._characters import first_odd, name_of
from assent.tools.shell._outside import check_outside, check_sandbox_paths
from assent.tools.shell._rules import Rules
from assent.tools.shell._values import Judgement, Part, strictest
from assent.tools.shell._weigh import BUILTINS
from assent.tools.shell._world import World

# These are also programs, with the same meaning.
_ONLY_IN_SHELL: Final = BUILTINS - {"echo", "printf", "true", "false", "test", "[", "pwd", "kill"}


def judge(command: str, rules: Rules, world: World) -> Judgement:
    """Whether the command may run, by the strictest of all its parts."""
    analysis = Analysis(rules=rules)
    analysis.analyse(command)
    odd = first_odd(command)
    if odd is not None:
        why = f"{name_of(command[odd])} cannot be seen, or is not what it looks like"
        analysis.parts.append(_part(command, odd, odd + 1, "invisible character", why))
    if not analysis.parts:
        analysis.parts.append(_part(command, 0, len(command), "empty", "there is no command in it"))
    if _verdict(analysis) != "deny":
        check_sandbox_paths(analysis, world)
    plain = _plain(command, analysis)
    if _verdict(analysis) == "allow":
        check_outside(command, analysis, world, plain=plain is not None)
    return _judgement(command, analysis, plain)


def _part(command: str, start: int, end: int, kind: str, why: str) -> Part:
    return Part(text=command[start:end], start=start, end=end, words=(), verdict="ask", rule=f"[{kind}]", why=why)


def _verdict(analysis: Analysis) -> str:
    return strictest(part.verdict for part in analysis.parts)


def _plain(command: str, analysis: Analysis) -> tuple[str, ...] | None:
    """The words of a command that needs no shell."""
    if len(analysis.commands) != 1 or not analysis.is_certain:
        return None
    only = analysis.commands[0]
    words = tuple(word.value for word in only.words if word.value is not None)
    if not words or len(words) < len(only.words) or only.redirects or only.assignments or only.is_test:
        return None
    alone = not command[: only.start].strip(" \t\n") and not command[only.end :].strip(" \t\n")
    return words if alone and words[0] not in _ONLY_IN_SHELL else None


def _judgement(command: str, analysis: Analysis, plain: tuple[str, ...] | None) -> Judgement:
    parts = tuple(sorted(analysis.parts, key=lambda part: (part.start, part.end)))
    verdict = strictest(part.verdict for part in parts)
    deciding = next(part for part in parts if part.verdict == verdict)
    reason = "every part of it is allowed" if verdict == "allow" else f"{deciding.text}: {deciding.why}"
    return Judgement(
        verdict=verdict,
        parts=parts,
        warnings=cautions(command, analysis),
        reason=reason,
        argv=plain,
    )
