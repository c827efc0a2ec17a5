"""LangChain's human-in-the-loop shapes: a question as an interrupt, and what an inbox answers to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from langgraph.types import Command, Interrupt

from assent.errors import GateFailed
from assent.model import ApprovalDecision, Approve, Pending, Reject, Respond, thaw

PENDING = "assent_pending"
"""The key under which an interrupt names its question on the desk."""
_DECISIONS = ("approve", "edit", "reject", "respond")


def request_of(pending: Pending, *, inbox: str) -> dict[str, object]:
    """The question as both of LangChain's shapes: `HITLRequest` with one action, and `ToolApprovalRequest`."""
    call = pending.call
    action = {
        "name": call.tool_name,
        "args": thaw(call.args),
        "description": pending.request.description,
    }
    review = {"action_name": call.tool_name, "allowed_decisions": list(_DECISIONS) if inbox else []}
    return {
        "type": "tool_approval",
        "tool_call_id": call.metadata.get("tool_call_id"),
        **action,
        "action_requests": [action],
        "review_configs": [review],
        PENDING: pending.id,
    }


def decision_of(said: Any, pending: Pending, *, inbox: str) -> ApprovalDecision | None:  # noqa: ANN401 — anything
    """What an inbox answered, alone or as the only one of `decisions`; None if it only woke the run up.

    Raises:
        GateFailed: it is no answer to this question.
    """
    match said:
        case {"decisions": [one]}:
            return decision_of(one, pending, inbox=inbox)
        case {"type": "approve"}:
            return Approve(by=inbox)
        case {"type": "edit", "edited_action": {"name": pending.call.tool_name, "args": {**args}}}:
            return Approve(override_args=cast("dict[str, object]", args), by=inbox)
        case {"type": "reject", **more}:
            return Reject(note=str(more.get("message") or ""), by=inbox)
        case {"type": "respond", "message": str(message)}:
            return Respond(result=message, by=inbox)
        case {"decisions": _} | {"type": _}:
            allowed = "one of approve, edit (of the same tool), reject and respond, in LangChain's own shape"
            raise GateFailed("inbox", f"{said!r} is no answer to this question; {allowed}, is")
        case _:
            return None


def resuming(interrupts: Iterable[Interrupt]) -> Command[Any]:
    """Wakes up a run that was paused by these interrupts: each answer is taken from the desk."""
    return Command(resume={each.id: True for each in interrupts if _is_ours(each.value)})


def _is_ours(value: object) -> bool:
    return isinstance(value, dict) and PENDING in value
