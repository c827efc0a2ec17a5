"""Answering `DeferredToolRequests`: here, or where another process put the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied

from assent.adapters.pydantic_ai._calls import is_call_of
from assent.adapters.pydantic_ai._pause import held
from assent.adapters.pydantic_ai._policy import ToolPolicy, own_request
from assent.adapters.pydantic_ai._run import PENDING
from assent.adapters.pydantic_ai._told import answers_to, approval_of
from assent.errors import AlreadySpent, AssentError, ForgedApproval
from assent.gate import Gate, new_call_id, run_sync
from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Pending,
    PendingId,
    Permit,
    Policy,
    Respond,
    ToolCall,
    canonical,
    thaw,
)


def build_approval_requests(requests: DeferredToolRequests, *, run: str = "") -> list[tuple[ToolCall, ApprovalRequest]]:
    """Each call that waits for approval, and what its tool asks; nothing is decided."""
    return [_build(part, requests, run) for part in requests.approvals]


async def collect_approvals(
    requests: DeferredToolRequests,
    *,
    gate: Gate,
    policies: Mapping[str, Policy] | None = None,
    run: str = "",
) -> DeferredToolResults:
    """The answers to all calls that wait for approval, asked as one batch.

    Questions that a `Gated` agent put on the desk are answered there, here or by another process.
    Any other call is judged here; give a `run` of your own, and its answer survives a restart.

    Raises:
        Stopped: a person ended the run.
    """
    results: dict[str, ToolApproved | ToolDenied] = {}
    waiting: dict[str, tuple[Pending, ToolPolicy | None]] = {}
    for part in requests.approvals:
        try:
            judged, policy = await _judged(part, requests, gate, policies or {}, run)
        except AssentError as refusal:
            results[part.tool_call_id] = approval_of(refusal, part.tool_name)
            continue
        if isinstance(judged, Pending):
            waiting[part.tool_call_id] = judged, policy
        else:
            results[part.tool_call_id] = _hand_over(gate, judged)
    if waiting:
        answers = await answers_to(gate, [pending for pending, _ in waiting.values()], cancel=False)
        for (tool_call_id, (pending, policy)), answer in zip(waiting.items(), answers, strict=True):
            results[tool_call_id] = await _answered(gate, pending, policy, answer)
    return requests.build_results(approvals=results, metadata=held(requests))


def collect_approvals_sync(
    requests: DeferredToolRequests,
    *,
    gate: Gate,
    policies: Mapping[str, Policy] | None = None,
    run: str = "",
) -> DeferredToolResults:
    """`collect_approvals` for synchronous code, also inside a running loop."""
    return run_sync(collect_approvals(requests, gate=gate, policies=policies, run=run))


def _build(part: ToolCallPart, requests: DeferredToolRequests, run: str) -> tuple[ToolCall, ApprovalRequest]:
    call = ToolCall(
        run=run,
        id=part.tool_call_id,
        tool_name=part.tool_name,
        args=part.args_as_dict(),
        metadata={"tool_call_id": part.tool_call_id},
    )
    return call, own_request(part.tool_name, call.args, requests.metadata.get(part.tool_call_id))


async def _judged(
    part: ToolCallPart, requests: DeferredToolRequests, gate: Gate, policies: Mapping[str, Policy], run: str
) -> tuple[Pending | Permit, ToolPolicy | None]:
    """The question on the desk; no policy, if the agent's own gate judges the call again."""
    parked = requests.metadata.get(part.tool_call_id, {}).get(PENDING)
    if parked is not None:
        return _parked(part, parked, gate), None
    call, request = _build(part, requests, run or gate.run)
    if not run:
        # Nothing says which turn this is, and ids repeat: every question is a new one.
        call = replace(call, id=f"{call.id}@{new_call_id()}")
    policy = ToolPolicy(tool=None, policy=policies.get(part.tool_name), asks=request)
    return await gate.judge(call, policy), policy


def _parked(part: ToolCallPart, pending: PendingId, gate: Gate) -> Pending:
    """The question a request names; the request comes from outside, so only the id is taken from it."""
    asked = gate.store.asked(pending)
    if asked is None or not is_call_of(part, asked.pending.call):
        raise ForgedApproval(part.tool_name)
    if asked.effect is not None:
        raise AlreadySpent(part.tool_name)
    return asked.pending


async def _answered(
    gate: Gate, pending: Pending, policy: ToolPolicy | None, answer: ApprovalDecision | AssentError
) -> ToolApproved | ToolDenied:
    match answer:
        case Approve() if policy is not None:
            try:
                return _hand_over(gate, await gate.settle(pending, answer, policy))
            except AssentError as refusal:
                return approval_of(refusal, pending.call.tool_name)
        case Respond(result=result) if policy is not None:
            # Nothing of ours stands between PydanticAI and the tool: approving would run it.
            return ToolDenied(f"A person answered in the tool's place: {canonical(result)}")
        case _:
            return approval_of(answer, pending.call.tool_name)


def _hand_over(gate: Gate, permit: Permit) -> ToolApproved:
    """PydanticAI runs it, out of our sight."""
    gate.hand_over(permit, to="PydanticAI")
    edited = cast("dict[str, Any]", thaw(permit.call.args)) if permit.announcement else None
    return ToolApproved(override_args=edited)
