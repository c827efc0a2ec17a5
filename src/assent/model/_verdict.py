"""What a policy answers: allow, ask or deny; the strictest wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from assent.model._frozen import EMPTY, freeze
from assent.model._slots import slot_setters


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """Run it without asking anybody."""

    reason: str


@dataclass(frozen=True, slots=True, init=False)
class ApprovalRequest:
    """Ask a person first."""

    description: str
    """One line that says what would happen, drawn from the arguments."""
    fingerprint: Mapping[str, object]
    """What counts as the same operation when an answer is remembered."""
    reason: str
    """Which rule makes it ask."""
    group_id: str | None

    def __init__(
        self,
        *,
        description: str,
        fingerprint: Mapping[str, object] = EMPTY,
        reason: str = "this tool asks every time",
        group_id: str | None = None,
    ) -> None:
        # One for every call that asks, also where the answer is remembered: see `ToolCall`.
        _set_description(self, description)
        _set_fingerprint(self, freeze(fingerprint, "fingerprint"))
        _set_reason(self, reason)
        _set_group_id(self, group_id)

    def __post_init__(self) -> None:
        """Pydantic fills the fields by itself and then comes here."""
        _set_fingerprint(self, freeze(self.fingerprint, "fingerprint"))


_set_description, _set_fingerprint, _set_reason, _set_group_id = slot_setters(ApprovalRequest)


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
