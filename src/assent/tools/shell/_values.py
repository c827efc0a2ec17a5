"""What a judgement says: a verdict for every part of a command, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

Verdict = Literal["allow", "ask", "deny"]
"""allow runs it, ask puts it before a person, deny never runs it."""

_VERDICTS: Final[tuple[Verdict, ...]] = ("allow", "ask", "deny")


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict nobody could call lenient; no verdict at all means ask."""
    return _VERDICTS[max(map(_VERDICTS.index, verdicts), default=_VERDICTS.index("ask"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of the command with a verdict of its own, and where it stands."""

    text: str
    """As written; for a command inside a string or behind a wrapper, that command alone."""
    start: int
    """Where it begins, in characters of the whole command."""
    end: int
    words: tuple[str | None, ...]
    """Its words after quote removal; none where the shell decides what it is."""
    verdict: Verdict
    rule: str
    """The pattern that decided, or in brackets which built-in reason did."""
    why: str
    """For people: what in this part led to the verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """Something dangerous in the command, and why; it changes no verdict."""

    kind: str
    why: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on a whole command, with everything that led to it."""

    verdict: Verdict
    parts: tuple[Part, ...]
    warnings: tuple[Caution, ...]
    reason: str
    """The part that decided, in one sentence."""
    argv: tuple[str, ...] | None = None
    """The words to run without a shell, if the command is a single plain one."""
