"""What is said about every verdict: by which configuration, what happens, what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assent.cli._screen import Screen, wrapped
from assent.config import Mode, Settings
from assent.model import ApprovalRequest, Verdict, canonical
from assent.ui import visible

_ALLOWED: Final = "it runs without a question"
_DENIED: Final = "it never runs, whatever a person or a mode says"
_BROKEN: Final = "it cannot work as it is, so nobody would be asked"
_ASKS: Final[dict[Mode, str]] = {
    "interactive": "a person is asked before it runs",
    "approve_all": "approvals.mode is approve_all, so it runs unseen",
    "strict": "approvals.mode is strict, so it is denied",
}


def header(settings: Settings, folder: str, screen: Screen) -> Iterator[str]:
    """Where it would run, and which configuration judges it."""
    by = f"by {settings.file}" if settings.file else "by the defaults: there is no assent.yaml from there upwards"
    yield from map(screen.faint, noted(f"In {folder}, {by}", "", screen))


def noted(text: str, indent: str, screen: Screen, *, hanging: str = "") -> Iterator[str]:
    """Untrusted text in lines that fit; nothing in it acts on the terminal or hides."""
    first, *rest = wrapped(visible(text, keep=""), screen.width - len(indent) - len(hanging))
    yield f"{indent}{first}"
    yield from (f"{indent}{hanging}{line}" for line in rest)


def happens(verdict: Verdict, mode: Mode, screen: Screen, *, works: bool = True) -> str:
    """The verdict on the whole, in a line."""
    denied = _DENIED if works else _BROKEN
    said = {"allow": _ALLOWED, "ask": _ASKS[mode], "deny": denied}[verdict.kind]
    return f"{screen.verdict(verdict.kind, verdict.kind)}: {said}"


def remembered(verdict: Verdict) -> list[dict[str, str | None]]:
    """What an answer may be remembered for, narrowest first; only of what asks."""
    if not isinstance(verdict, ApprovalRequest):
        return []
    wider: list[dict[str, str | None]] = [{"name": each.name, "covers": each.description} for each in verdict.wider]
    covers = verdict.covers or f"whatever amounts to {canonical(verdict.fingerprint)}"
    return [{"name": None, "covers": covers}, *wider]
