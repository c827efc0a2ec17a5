"""What PydanticAI and the model are told: answers, refusals, and what a person changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from pydantic_ai.messages import ToolReturn, UserContent
from pydantic_ai.tools import ToolApproved, ToolDenied

from assent.errors import AssentError, Refused, Rejected, Responded, Stopped
from assent.gate import Gate
from assent.model import ApprovalDecision, Approve, Pending, Permit, Reject, Respond, thaw
from assent.runtime import announced

OnReject = Literal["tell", "stop"]


def heard(error: AssentError, on_reject: OnReject) -> AssentError:
    """The error; a person's rejection as the end of the run, where that is wanted.

    Raises:
        Stopped: it is.
    """
    if on_reject == "stop" and isinstance(error, Rejected):
        raise Stopped(note=error.note, by=error.by) from error
    return error


async def answers_to(
    gate: Gate, pendings: Sequence[Pending], *, cancel: bool
) -> Sequence[ApprovalDecision | AssentError]:
    """The answer to each question; where nobody can be asked, that is the answer to all of them."""
    try:
        return await gate.ask_all(pendings, cancel=cancel)
    except Refused as refusal:
        return [refusal] * len(pendings)


def approval_of(answer: ApprovalDecision | AssentError, tool_name: str) -> ToolApproved | ToolDenied:
    """An answer in PydanticAI's words; the tool call itself is judged again before it runs.

    Raises:
        Stopped: a person ended the run.
    """
    match answer:
        case Approve(override_args=None) | Respond() | Responded():
            # Whoever responded in the tool's place is heard when the call comes back to the gate.
            return ToolApproved()
        case Approve(override_args=edited):
            return ToolApproved(override_args=cast("dict[str, Any]", thaw(edited)))
        case Reject(stop=True, note=note, by=by):
            raise Stopped(note=note, by=by)
        case Reject(note=note, by=by):
            return ToolDenied(str(Rejected(tool_name, note=note, by=by)))
        case Stopped():
            raise answer
        case AssentError():
            return ToolDenied(str(answer))


def with_announcement(permit: Permit, result: object) -> object:
    """The result, and beside it what the model must know: that a person changed its call."""
    if not permit.announcement or isinstance(result, str):
        return announced(permit, result)
    if isinstance(result, ToolReturn):
        told: ToolReturn[Any] = result  # pyright: ignore[reportUnknownVariableType]
        return replace(told, content=[permit.announcement, *_contents(told.content)])
    return ToolReturn(return_value=result, content=permit.announcement)


def _contents(content: str | Sequence[UserContent] | None) -> Sequence[UserContent]:
    return [content] if isinstance(content, str) else content or []
