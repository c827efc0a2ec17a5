"""Settling: what an answer means for the call that comes with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from assent.errors import (
    AlreadySpent,
    ChangedSinceApproval,
    ConflictingCall,
    GateFailed,
    OutcomeUnknown,
    ToolError,
    UnknownPending,
    described,
    shown,
    words_of,
)
from assent.gate._judge import Judge
from assent.gate._rulings import refusal
from assent.model import (
    Answered,
    ApprovalRequest,
    Approve,
    Asked,
    Effect,
    EffectState,
    Evidence,
    Narrows,
    Pending,
    Permit,
    Policy,
    Preview,
    Ruling,
    Store,
    ToolCall,
    Validates,
    arguments_preview,
    canonical,
    pending_id,
    unified_diff_of,
)

Remember = Callable[[ToolCall, ApprovalRequest, Ruling], None]
Seen = Callable[[Ruling, ToolCall], Sequence[Evidence] | None]
"""From what the call was drawn that a person had changed; None if they saw only its arguments."""

_EDITED = "A person changed this call before it ran. It ran with: "
_NARROWED = "A person approved only a part of this change."


async def question(
    call: ToolCall, request: ApprovalRequest, policy: Policy, *, now: float, seconds: float | None
) -> Pending:
    """What a person is asked: what would happen, drawn now."""
    return Pending(
        id=pending_id(call),
        call=call,
        request=request,
        preview=await draw(call, request, policy),
        digest=call.digest,
        created=now,
        expires=None if seconds is None else now + seconds,
    )


def on_the_desk(pending: Pending, store: Store, *, ours: bool) -> Asked:
    """The question as the store has it: what a caller brings may have come from anywhere.

    Raises:
        UnknownPending: there is no such question.
        ConflictingCall: it was asked about other arguments.
    """
    if ours:
        # Untouched; what became of it is asked when its permit is spent.
        return Asked(pending=pending, ruling=store.ruling(pending.id))
    asked = store.asked(pending.id)
    if asked is None:
        raise UnknownPending(pending.id)
    if asked.pending.digest != pending.call.digest:
        raise ConflictingCall(pending.call.tool_name, pending.call.id)
    return asked


async def stand(
    asked: Asked, policy: Policy, call: ToolCall, *, judge: Judge, remember: Remember, seen: Seen, started: bool = False
) -> Permit:
    """What a given answer means now for this call; policy may have become stricter since.

    `started`, if its start is written before anybody has the permit.

    Raises:
        Refused: the answer is no, was used, was for other arguments, or policy denies it now.
    """
    ruling = asked.ruling
    if ruling is None:
        raise UnknownPending(asked.pending.id)
    pending, decision = asked.pending, ruling.decision
    edit = decision.override_args if isinstance(decision, Approve) else None
    final = pending.call if edit is None else edited(pending.call, edit, policy)
    if call is not pending.call and call.digest not in (pending.digest, final.digest):
        raise ConflictingCall(call.tool_name, call.id)
    if not isinstance(decision, Approve):
        raise refusal(ruling, call.tool_name)
    again = asked.effect is not None and _may_run(asked, asked.effect, policy)
    if decision.hunks is not None:
        final = await narrowed(pending, decision.hunks, policy)
    if hasattr(policy, "prepare"):
        await judge.prepare(final, policy)
    request = judge.check(final, policy)
    evidence: Sequence[Evidence] = pending.preview.evidence
    if final is not pending.call:
        if isinstance(request, ApprovalRequest):
            judge.deny_if_remembered(final, request)
        drawn = seen(ruling, final)
        evidence = (await draw(final, pending.request, policy)).evidence if drawn is None else drawn
        _stays_on(pending, decision, evidence)
        if isinstance(request, ApprovalRequest):
            remember(final, request, ruling)
    answered = Answered(
        pending=pending.id,
        evidence=tuple(evidence),
        announcement="" if final is pending.call else _announcement(pending, decision, final),
        again=again,
        started=started,
    )
    agreed = request if isinstance(request, ApprovalRequest) else None
    return Permit.of(final, f"approved by {ruling.by}", answered, agreed)


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
        raise GateFailed("preview", described(error)) from error
    if not isinstance(preview, Preview):
        raise GateFailed("preview", f"it returned {shown(preview)}, which is no preview")
    return preview


def _may_run(asked: Asked, before: Effect, policy: Policy) -> bool:
    """Whether it runs again after an unknown end; raises if it may not run at all."""
    if before.state is not EffectState.UNKNOWN:
        raise AlreadySpent(asked.pending.call.tool_name)
    if not getattr(policy, "idempotent", False):
        raise OutcomeUnknown(asked.pending.call.tool_name)
    return True


async def narrowed(pending: Pending, hunks: Sequence[int], policy: Policy) -> ToolCall:
    """The call for a part of what was shown."""
    if not isinstance(policy, Narrows):
        raise GateFailed("edit", f"{pending.call.tool_name} can do all of it or nothing: it has no hunks to choose")
    args = await policy.narrow(pending.call, hunks, pending.preview)
    return pending.call if args == pending.call.args else edited(pending.call, args, policy)


def _stays_on(pending: Pending, decision: Approve, evidence: Sequence[Evidence]) -> None:
    """Some hunks of what was shown are hunks of the same files."""
    if decision.hunks is not None and _ground(evidence) != _ground(pending.preview.evidence):
        name = pending.call.tool_name
        raise ChangedSinceApproval(f"{name}: what was shown has changed meanwhile; look at it again")


def _ground(evidence: Sequence[Evidence]) -> list[object]:
    """What it was drawn from, whichever part of the change is made."""
    return [(each.subject, {name: fact for name, fact in each.facts.items() if name != "hunks"}) for each in evidence]


def _announcement(pending: Pending, decision: Approve, final: ToolCall) -> str:
    """What the model must know of what a person made of its call, and why."""
    because = f" They said: {decision.note}" if decision.note else ""
    if decision.hunks is None:
        return f"{_EDITED}{canonical(final.args)}{because and '.'}{because}"
    from assent.diff import left_out

    left = left_out(unified_diff_of(pending.preview.presentation), decision.hunks)
    return f"{_NARROWED}{because} These hunks were not applied:\n{left}"


def edited(call: ToolCall, args: Mapping[str, object], policy: Policy) -> ToolCall:
    """The call with a person's arguments, as the tool would take them."""
    try:
        return replace(call, args=policy.validate(args) if isinstance(policy, Validates) else args)
    except Exception as error:
        raise GateFailed("edit", words_of(error)) from error
