"""A person's answer, and how long it stands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal

from assent.model._frozen import freeze
from assent.model._kind import ByKind

# An answer with a misspelt field must not pass as an answer without it.
_STRICT: Final = {"extra": "forbid", "strict": True}
_COUNTS: Final = frozenset({int, type(None)})
_NUMBERS: Final = _COUNTS | {float}


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
    hunks: tuple[int, ...] | None = None
    """Only these of the hunks that were shown, counted from 0; all of them, if nothing is said."""
    scope: Scope = Scope.ONCE
    seconds: float | None = None
    """Remember it only so long."""
    calls: int | None = None
    """Remember it only for so many more calls."""
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
        _check_texts(self, self.note, self.by, self.covers)
        _check_flags(self.every_agent)
        object.__setattr__(self, "scope", Scope(self.scope))
        _check_bounds(self.scope, self.seconds, self.calls)
        if self.override_args is not None:
            object.__setattr__(self, "override_args", freeze(self.override_args, "override_args"))
        if self.hunks is not None:
            object.__setattr__(self, "hunks", _chosen(self.hunks, edited=self.override_args is not None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Do not run it; `stop` ends the whole run."""

    note: str = ""
    stop: bool = False
    scope: Scope = Scope.ONCE
    seconds: float | None = None
    """Remember it only so long."""
    covers: str = ""
    every_agent: bool = False
    by: str = ""
    kind: Literal["reject"] = "reject"
    approved: ClassVar[bool] = False
    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    def __post_init__(self) -> None:
        _check_texts(self, self.note, self.by, self.covers)
        _check_flags(self.stop, self.every_agent)
        object.__setattr__(self, "scope", Scope(self.scope))
        _check_bounds(self.scope, self.seconds, None)


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
        _check_texts(self, self.note, self.by)
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


# An answer that is written and cannot be read again would be on the record for nobody.
def _check_texts(answer: Approve | Reject | Respond, *values: object) -> None:
    for value in values:
        if not isinstance(value, str):
            message = f"an answer's note, by and covers are texts, not {value!r}"
            raise TypeError(message)
    # A broken character, as a terminal may send, must not cost the answer: what says stop stops.
    for name in ("note", "by"):
        words: str = getattr(answer, name)
        if not words.isascii():
            object.__setattr__(answer, name, words.encode(errors="backslashreplace").decode())


def _check_flags(*values: object) -> None:
    for value in values:
        if value is not True and value is not False:
            message = f"an answer's stop and every_agent are True or False, not {value!r}"
            raise TypeError(message)


def _check_bounds(scope: Scope, seconds: float | None, calls: int | None) -> None:
    if seconds is None and calls is None:
        return
    if type(seconds) not in _NUMBERS or type(calls) not in _COUNTS:
        message = f"bounded by {seconds!r} seconds and {calls!r} calls; both are numbers, calls are whole ones"
        raise TypeError(message)
    if scope is Scope.ONCE:
        message = "an answer for once is not remembered, so it has no bounds; its scope may be session or always"
        raise ValueError(message)
    if (seconds is not None and not 0 < seconds < math.inf) or (calls is not None and calls < 1):
        message = f"bounded by {seconds} seconds and {calls} calls; seconds above 0 and 1 call or more are bounds"
        raise ValueError(message)


def _chosen(hunks: tuple[int, ...], *, edited: bool) -> tuple[int, ...]:
    if edited:
        message = "an answer gives new arguments or chooses among the hunks of the old ones, not both"
        raise ValueError(message)
    if not hunks or any(type(each) is not int or each < 0 for each in hunks):
        message = f"hunks {hunks!r} are no choice: name at least one, counted from 0, or reject"
        raise ValueError(message)
    return tuple(sorted(set(hunks)))


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
