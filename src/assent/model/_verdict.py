"""What a policy answers: allow, ask or deny; the strictest wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from assent.model._frozen import EMPTY, FrozenDict, freeze


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """Run it without asking anybody."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """Ask a person first."""

    description: str
    """One line that says what would happen, drawn from the arguments."""
    fingerprint: Mapping[str, object] = EMPTY
    """What counts as the same operation when an answer is remembered."""
    reason: str = "this tool asks every time"
    """Which rule makes it ask."""
    group_id: str | None = None

    def __post_init__(self) -> None:
        if type(self.fingerprint) is not FrozenDict:
            object.__setattr__(self, "fingerprint", freeze(self.fingerprint, "fingerprint"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """Never run it, whatever a person would say."""

    reason: str


Verdict = Allow | ApprovalRequest | Deny

_ORDER: Final = {Allow: 0, ApprovalRequest: 1, Deny: 2}


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict nobody could call lenient; no verdict at all means deny."""
    return max(verdicts, key=strictness, default=Deny(reason="no rule covers this call"))


def strictness(verdict: Verdict) -> int:
    """Where the verdict stands between allow (0) and deny (2)."""
    return _ORDER[type(verdict)]
