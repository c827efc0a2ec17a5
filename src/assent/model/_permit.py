"""Proof that the gate agreed, good for one run."""

from __future__ import annotations

from dataclasses import dataclass, field

from assent.model._call import ToolCall
from assent.model._preview import Evidence
from assent.model._record import PendingId


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Permit:
    """The gate agreed to exactly this call; only the gate makes one, and it is spent once."""

    call: ToolCall
    """What may run: the approved arguments, not the proposed ones."""
    why: str
    """The rule, grant, mode or person that agreed."""
    pending: PendingId | None = None
    """The question a person answered; none if nobody was asked."""
    evidence: tuple[Evidence, ...] = ()
    announcement: str = ""
    """What the model must be told: that a person changed the call."""
    again: bool = False
    """Whether it may start although an earlier start has no known end."""
    ticket: list[None] = field(default_factory=lambda: [None], repr=False)
    """Taken when it is spent; a list, because `pop` is atomic and cannot succeed twice."""
