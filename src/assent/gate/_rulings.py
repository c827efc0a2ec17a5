"""From answers to what they mean: refusals, grants and what is remembered."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Final

from assent.errors import Cancelled, Expired, GateFailed, Refused, Rejected, Responded, Stopped
from assent.model import (
    EXACTLY,
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Grant,
    GrantId,
    Outcome,
    Pending,
    Reject,
    Respond,
    Ruling,
    Scope,
    ToolCall,
    Wider,
    coverage,
    operation,
    outcome_of,
    thaw,
    wider_operation,
)

_DRAWN: Final = "as drawn: "


def ruling_of(pending: Pending, decision: ApprovalDecision, at: float) -> Ruling:
    """A person's answer, as the record keeps it."""
    return Ruling(
        pending=pending.id, outcome=outcome_of(decision), by=decision.by or "a person", at=at, decision=decision
    )


def as_drawn(ruling: Ruling, name: str) -> Ruling:
    """The answer of somebody who saw the edited call drawn; the record keeps which drawing it was."""
    return replace(ruling, detail=f"{_DRAWN}{name}")


def drawing_of(ruling: Ruling) -> str | None:
    """The drawing that the answer is for; None if it names none."""
    name = ruling.detail.removeprefix(_DRAWN)
    return None if ruling.decision is None or name == ruling.detail else name


def posting_order(decision: ApprovalDecision | None) -> int:
    """Where an answer stands among those of its batch: what is remembered comes last, approvals behind refusals.

    Remembered too early, it would answer the others before they have the answers of their own. A stop
    comes before every approval: nothing that was approved beside it starts.
    """
    match decision:
        case Reject(stop=True):
            return 1
        case Approve(scope=Scope.ONCE):
            return 2
        case Approve() | Reject(scope=Scope.SESSION | Scope.ALWAYS):
            return 3 + decision.approved
        case _:
            return 0


def refusal(ruling: Ruling, tool_name: str) -> Refused:
    """What the caller is told of a question that did not end with an approval."""
    note = ruling.decision.note if ruling.decision is not None else ""
    match ruling.outcome:
        case Outcome.REJECTED:
            return Rejected(tool_name, note=note, by=ruling.by)
        case Outcome.STOPPED:
            return Stopped(note=note, by=ruling.by)
        case Outcome.RESPONDED if isinstance(ruling.decision, Respond):
            return Responded(thaw(ruling.decision.result), by=ruling.by)
        case Outcome.EXPIRED:
            return Expired(tool_name)
        case Outcome.CANCELLED:
            return Cancelled(tool_name, ruling.detail)
        case _:
            part, _, reason = ruling.detail.partition(": ")
            return GateFailed(part, reason)


def grant_from(
    decision: ApprovalDecision, call: ToolCall, request: ApprovalRequest, *, by: str, at: float
) -> Grant | None:
    """What is remembered of an answer; nothing, if it was given for once."""
    if isinstance(decision, Respond):
        return None
    wider = _chosen(decision.covers, request)
    if decision.scope is Scope.ONCE:
        return None
    return Grant(
        id=GrantId(secrets.token_hex(8)),
        operation=operation(call, request) if wider is None else wider_operation(wider),
        tool_name=call.tool_name,
        description=_described(call, request) if wider is None else wider.description,
        allow=decision.approved,
        scope=decision.scope,
        run=call.run if decision.scope is Scope.SESSION else None,
        agents=None if decision.every_agent else call.agents,
        by=by,
        at=at,
        note=decision.note,
        pattern="" if wider is None else wider.pattern,
        expires=None if decision.seconds is None else at + decision.seconds,
        calls=decision.calls if isinstance(decision, Approve) else None,
    )


def _described(call: ToolCall, request: ApprovalRequest) -> str:
    """What it covers, for whoever reads it in a list: there, a call needs its line beside it."""
    covered = coverage(call, request)
    return f"{EXACTLY}: {request.description}" if covered == EXACTLY else covered


def _chosen(name: str, request: ApprovalRequest) -> Wider | None:
    if not name:
        return None
    for wider in request.wider:
        if wider.name == name:
            return wider
    offered = ", ".join(repr(wider.name) for wider in request.wider) or "nothing wider"
    raise GateFailed("approver", f"the answer is to cover {name!r}; offered: {offered}")
