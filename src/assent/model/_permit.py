"""Proof that the gate agreed, good for one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn, final

from assent.model._call import ToolCall
from assent.model._preview import Evidence
from assent.model._record import PendingId
from assent.model._slots import open_twin
from assent.model._verdict import ApprovalRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a person's approval adds to a permit."""

    pending: PendingId
    """The question they answered."""
    evidence: tuple[Evidence, ...] = ()
    announcement: str = ""
    """What the model must be told: that a person changed the call."""
    again: bool = False
    """Whether it may start although an earlier start has no known end."""
    started: bool = False
    """Whether its start is on the record: it was approved at once, and written in one step."""


@final
@dataclass(frozen=True, slots=True, eq=False, init=False)
class Permit:
    """The gate agreed to exactly this call; only the gate makes one, and it is spent once."""

    call: ToolCall
    """What may run: the approved arguments, not the proposed ones."""
    why: str
    """The rule, grant, mode or person that agreed."""
    answered: Answered | None
    """The question a person answered; none if nobody was asked."""
    request: ApprovalRequest | None
    """The operation a person, a grant or a mode agreed to; none if policy allows it as it is."""
    ticket: list[None] = field(repr=False)
    """Taken when it is spent; a list, because `pop` is atomic and cannot succeed twice."""

    def __new__(
        cls, call: ToolCall, why: str, answered: Answered | None = None, request: ApprovalRequest | None = None
    ) -> Permit:
        return cls.of(call, why, answered, request)

    @staticmethod
    def of(
        call: ToolCall, why: str, answered: Answered | None = None, request: ApprovalRequest | None = None
    ) -> Permit:
        """The same at half the price, as every call takes one: Python's way through a class is long."""
        permit: Any = _OpenPermit()
        permit.call = call
        permit.why = why
        permit.answered = answered
        permit.request = request
        permit.ticket = [None]
        permit.__class__ = Permit
        made: Permit = permit
        return made

    def __reduce__(self) -> NoReturn:
        message = "a permit cannot be copied: it is good for one run"
        raise TypeError(message)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What the preview was drawn from; nothing, where nobody looked."""
        return () if self.answered is None else self.answered.evidence

    @property
    def announcement(self) -> str:
        """What the model must be told of the call; mostly nothing."""
        return "" if self.answered is None else self.answered.announcement


_OpenPermit = open_twin(Permit)
