"""One run of an agent: what it asks, and what comes of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, RunContext, ToolApproved, ToolDenied
from pydantic_ai.toolsets import ToolsetTool

from assent.adapters.pydantic_ai._arguments import approved_arguments, is_unchanged, proposed
from assent.adapters.pydantic_ai._calls import call_of, is_alone
from assent.adapters.pydantic_ai._policy import ToolPolicy, own_request, policy_of
from assent.adapters.pydantic_ai._told import OnReject, answers_to, approval_of, heard
from assent.errors import AssentError, ForgedApproval, GateFailed
from assent.gate import Inherited
from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Pending,
    Permit,
    Policy,
    Reject,
    Respond,
    ToolCall,
)

Style = Literal["inline", "deferred"]
PENDING = "assent_pending"
"""The metadata key under which a request names its question on the desk."""


@dataclass(slots=True, kw_only=True, eq=False)
class Run:
    """One run of an agent: what surrounds it, what it asked, and what was answered."""

    here: Inherited
    policies: Mapping[str, Policy]
    style: Style
    on_reject: OnReject
    _asked: dict[str, tuple[Pending, ToolPolicy]] = field(default_factory=dict[str, "tuple[Pending, ToolPolicy]"])
    _permits: dict[str, Permit] = field(default_factory=dict[str, Permit])

    async def permit(
        self, ctx: RunContext[Any], tool: ToolsetTool[Any], args: dict[str, Any]
    ) -> tuple[Permit, dict[str, Any]]:
        """The gate's word on a call, and the arguments it holds for: a person may have changed them."""
        tool_call_id = ctx.tool_call_id or ""
        call = self._call_of(ctx, tool_call_id, tool, args)
        asks = own_request(call.tool_name, call.args, None) if tool.tool_def.kind == "unapproved" else None
        policy = self._policy_of(ctx, tool, asks)
        ready = self._permits.pop(call.id, None)
        # Nobody waits for its neighbours where there are none: the question is answered in its place.
        alone = self.style == "inline" and not ctx.tool_call_approved and is_alone(ctx)
        judged = ready or await self._judge(call, policy, wait=alone)
        if ctx.tool_call_approved and not ready and (isinstance(judged, Pending) or judged.answered is None):
            # PydanticAI says it was approved: only our own record counts.
            forged = ForgedApproval(call.tool_name)
            self.here.gate.refused(call, forged)
            raise forged
        if isinstance(judged, Pending):
            self._asked[tool_call_id] = judged, policy
            raise ApprovalRequired(metadata={PENDING: judged.id, "summary": judged.request.description})
        if judged.call is not call and judged.call.digest != call.digest:
            # What runs is what was approved, not what PydanticAI has at hand.
            return judged, approved_arguments(judged.call, tool, ctx.validation_context)
        if judged.answered is not None and not is_unchanged(judged.call, args):
            self.here.gate.spender.abandon(judged)
            raise GateFailed("call", f"the arguments of {call.tool_name} changed while somebody looked at them")
        return judged, args

    def _policy_of(self, ctx: RunContext[Any], tool: ToolsetTool[Any], asks: ApprovalRequest | None) -> ToolPolicy:
        policy = policy_of(tool, self.policies)
        return ToolPolicy(tool=tool, policy=policy, asks=asks, context=ctx.validation_context)

    def withdraw(self, *, broke_off: bool) -> None:
        """Take back what was asked for calls that PydanticAI dropped."""
        # A deferred run that broke off may be tried again, with the same calls.
        for pending, _ in () if broke_off and self.style == "deferred" else self._asked.values():
            self.here.gate.withdraw(pending)

    def _call_of(
        self, ctx: RunContext[Any], tool_call_id: str, tool: ToolsetTool[Any], args: Mapping[str, Any]
    ) -> ToolCall:
        return call_of(self.here, ctx, tool_call_id, tool, args, parks=self.style == "deferred")

    async def _judge(self, call: ToolCall, policy: ToolPolicy, *, wait: bool = False) -> Permit | Pending:
        gate = self.here.gate
        timeout = gate.park_timeout if self.style == "deferred" else gate.timeout
        if wait:
            return await gate.admit(call, policy, timeout=timeout, starts=True)
        return await gate.judge(call, policy, timeout=timeout)

    async def answer(self, ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults | None:
        """Answer a turn's questions as one batch, or leave them on the desk."""
        results: dict[str, ToolApproved | ToolDenied] = {}
        waiting: dict[str, tuple[Pending, ToolPolicy]] = {}
        for part in requests.approvals:
            try:
                asked = self._asked.pop(part.tool_call_id, None)
                judged, policy = asked or await self._own_question(ctx, part, requests)
            except AssentError as refusal:
                results[part.tool_call_id] = approval_of(refusal, part.tool_name)
                continue
            if isinstance(judged, Pending):
                waiting[part.tool_call_id] = judged, policy
                requests.metadata.setdefault(part.tool_call_id, {})[PENDING] = judged.id
            else:
                self._permits[judged.call.id] = judged
                results[part.tool_call_id] = ToolApproved()
        if self.style == "inline" and waiting:
            answers = await answers_to(self.here.gate, [pending for pending, _ in waiting.values()], cancel=True)
            for (tool_call_id, (pending, policy)), answer in zip(waiting.items(), answers, strict=True):
                results[tool_call_id] = await self._settled(pending, policy, self._heard(answer))
        return requests.build_results(approvals=results) if results else None

    def _heard(self, answer: ApprovalDecision | AssentError) -> ApprovalDecision | AssentError:
        if self.on_reject == "stop" and isinstance(answer, Reject):
            return replace(answer, stop=True)
        return answer if isinstance(answer, (Approve, Reject, Respond)) else heard(answer, self.on_reject)

    async def _settled(
        self, pending: Pending, policy: ToolPolicy, answer: ApprovalDecision | AssentError
    ) -> ToolApproved | ToolDenied:
        """An approval becomes a permit at once, which waits here for PydanticAI to come back with the call."""
        if isinstance(answer, Approve):
            try:
                self._permits[pending.call.id] = await self.here.gate.settle(pending, answer, policy)
            except AssentError as refusal:
                return approval_of(refusal, pending.call.tool_name)
        return approval_of(answer, pending.call.tool_name)

    async def _own_question(
        self, ctx: RunContext[Any], part: ToolCallPart, requests: DeferredToolRequests
    ) -> tuple[Permit | Pending, ToolPolicy]:
        """A question that PydanticAI's own mechanisms raised, on validated arguments."""
        tools = ctx.tool_manager.tools if ctx.tool_manager else None
        tool = tools.get(part.tool_name) if tools else None
        if tool is None:
            raise GateFailed("call", f"there is no tool named {part.tool_name!r} in this run")
        args = proposed(tool, part.args, ctx.validation_context)
        call = self._call_of(ctx, part.tool_call_id, tool, args)
        asks = own_request(part.tool_name, call.args, requests.metadata.get(part.tool_call_id))
        policy = self._policy_of(ctx, tool, asks)
        return await self._judge(call, policy), policy
