"""A person's answer, and how long it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal

from assent.model._frozen import freeze
from assent.model._kind import ByKind

# An answer with a misspelt field must not pass as an answer without it.
_STRICT: Final = {"extra": "forbid", "strict": True}


class Scope(StrEnum):
    """How long an answer stands."""

    ONCE = "once"
    SESSION = "session"
    """For the same operation until the run ends."""
    ALWAYS = "always"
    """For the same operation until it is revoked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Run it, possibly with other arguments."""

    override_args: Mapping[str, object] | None = None
    scope: Scope = Scope.ONCE
    covers: str = ""
    """Remember it for this `Wider` of the request; for the operation itself, if nothing is said."""
    every_agent: bool = False
    """Remember it for every agent, not only for the chain of agents that asked."""
    note: str = ""
    by: str = ""
    kind: Literal["approve"] = "approve"
    approved: ClassVar[bool] = True
    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    def __post_init__(self) -> None:
        object.__setattr__(self, "scope", Scope(self.scope))
        if self.override_args is not None:
            object.__setattr__(self, "override_args", freeze(self.override_args, "override_args"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Do not run it; `stop` ends the whole run."""

    note: str = ""
    stop: bool = False
    scope: Scope = Scope.ONCE
    covers: str = ""
    every_agent: bool = False
    by: str = ""
    kind: Literal["reject"] = "reject"
    approved: ClassVar[bool] = False
    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    def __post_init__(self) -> None:
        object.__setattr__(self, "scope", Scope(self.scope))


@dataclass(frozen=True, slots=True, kw_only=True)
class Respond:
    """Do not run it; this is its result."""

    result: object
    note: str = ""
    by: str = ""
    kind: Literal["respond"] = "respond"
    approved: ClassVar[bool] = False
    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    def __post_init__(self) -> None:
        object.__setattr__(self, "result", freeze({"result": self.result}, "respond")["result"])


ApprovalDecision = Annotated[Approve | Reject | Respond, ByKind()]


class Outcome(StrEnum):
    """How a question ended; every one of them is final."""

    APPROVED = "approved"
    REJECTED = "rejected"
    STOPPED = "stopped"
    RESPONDED = "responded"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FAILED = "failed"


def outcome_of(decision: ApprovalDecision) -> Outcome:
    """What a person's answer makes of the question."""
    match decision:
        case Approve():
            return Outcome.APPROVED
        case Reject(stop=True):
            return Outcome.STOPPED
        case Reject():
            return Outcome.REJECTED
        case Respond():
            return Outcome.RESPONDED
