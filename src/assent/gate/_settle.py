"""Settling: what an answer means for the call that comes with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from assent.errors import AlreadySpent, ConflictingCall, GateFailed, OutcomeUnknown, ToolError, UnknownPending
from assent.gate._judge import Judge
from assent.gate._rulings import refusal
from assent.model import (
    Answered,
    ApprovalRequest,
    Approve,
    Asked,
    EffectState,
    Permit,
    Policy,
    Preview,
    Ruling,
    ToolCall,
    Validates,
    arguments_preview,
    canonical,
)

Remember = Callable[[ToolCall, ApprovalRequest, Ruling], None]

_EDITED = "A person changed this call before it ran. It ran with: "


async def stand(asked: Asked, policy: Policy, call: ToolCall, *, judge: Judge, remember: Remember) -> Permit:
    """What a given answer means now for this call; policy may have become stricter since.

    Raises:
        Refused: the answer is no, was used, was for other arguments, or policy denies it now.
    """
    ruling = asked.ruling
    if ruling is None:
        raise UnknownPending(asked.pending.id)
    pending = asked.pending
    edit = ruling.decision.override_args if isinstance(ruling.decision, Approve) else None
    final = pending.call if edit is None else _edited(pending.call, edit, policy)
    if call is not pending.call and call.digest not in (pending.digest, final.digest):
        raise ConflictingCall(call.tool_name, call.id)
    if not isinstance(ruling.decision, Approve):
        raise refusal(ruling, call.tool_name)
    again = _may_run(asked, idempotent=getattr(policy, "idempotent", False))
    if hasattr(policy, "prepare"):
        await judge.prepare(final, policy)
    request = judge.check(final, policy)
    preview = pending.preview
    if edit is not None:
        if isinstance(request, ApprovalRequest):
            judge.deny_if_remembered(final, request)
            remember(final, request, ruling)
        preview = await draw(final, pending.request, policy)
    answered = Answered(
        pending=pending.id,
        evidence=preview.evidence,
        announcement="" if edit is None else _EDITED + canonical(final.args),
        again=again,
    )
    agreed = request if isinstance(request, ApprovalRequest) else None
    return Permit(final, f"approved by {ruling.by}", answered, agreed)


async def draw(call: ToolCall, request: ApprovalRequest, policy: Policy) -> Preview:
    """What a person is shown: the policy's own drawing, else the arguments."""
    # Asking a protocol takes as long as all the rest: the name is enough.
    drawing: Callable[[ToolCall], Awaitable[object]] | None = getattr(policy, "preview", None)
    if drawing is None:
        return arguments_preview(call, request.description)
    try:
        preview = await drawing(call)
    except ToolError:
        raise  # what cannot work needs no answer of a person, and the model is told why
    except Exception as error:
        raise GateFailed("preview", f"{type(error).__name__}: {error}") from error
    if not isinstance(preview, Preview):
        raise GateFailed("preview", f"it returned {preview!r}, which is no preview")
    return preview


def _may_run(asked: Asked, *, idempotent: bool) -> bool:
    """Whether it runs again after an unknown end; raises if it may not run at all."""
    if asked.effect is None:
        return False
    if asked.effect.state is not EffectState.UNKNOWN:
        raise AlreadySpent(asked.pending.call.tool_name)
    if not idempotent:
        raise OutcomeUnknown(asked.pending.call.tool_name)
    return True


def _edited(call: ToolCall, args: Mapping[str, object], policy: Policy) -> ToolCall:
    """The call with a person's arguments, as the tool would take them."""
    try:
        return replace(call, args=policy.validate(args) if isinstance(policy, Validates) else args)
    except Exception as error:
        raise GateFailed("edit", f"{error}") from error
