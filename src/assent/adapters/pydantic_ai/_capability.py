"""The capability: every tool call of a run passes the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from pydantic_ai import Agent, UserPromptNode
from pydantic_ai.capabilities import AbstractCapability, AgentNode, NodeResult, WrapRunHandler
from pydantic_ai.capabilities.abstract import CapabilityOrdering, leaf_capabilities
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolCallPart, ToolReturn, UserContent
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, RunContext, ToolApproved, ToolDenied
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
from pydantic_graph import End

from assent.adapters.pydantic_ai._calls import Strictest, ToolPolicy, call_of, own_request, policy_of
from assent.adapters.pydantic_ai._pause import hold, release
from assent.errors import (
    AlreadySpent,
    AssentError,
    ConflictingCall,
    ForgedApproval,
    GateFailed,
    Refused,
    Rejected,
    Responded,
    Stopped,
)
from assent.gate import Gate, Inherited, inherit, inherited
from assent.model import ApprovalDecision, Approve, Pending, Permit, Policy, Reject, Respond, ToolCall, thaw
from assent.runtime import announced

Style = Literal["inline", "deferred"]
PENDING = "assent_pending"
"""The metadata key under which a request names its question on the desk."""


@dataclass(eq=False)
class Gated(AbstractCapability[Any]):
    """Every tool call of the agent passes the gate; without a gate, that of the surrounding run.

    `inline` answers a turn's questions at once, as one batch, while the run waits. `deferred` puts
    them on the desk and ends the run with `DeferredToolRequests`; `collect_approvals` resumes it.
    A tool without a policy (in `policies`, or its own `check_approval`) asks.
    """

    gate: Gate | None = None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    style: Style = "inline"
    # One name, so that a gate given for one run replaces the agent's own instead of adding to it.
    id: str | None = field(default="assent", kw_only=True)
    _here: Inherited = field(init=False, repr=False)
    _asked: dict[str, tuple[Pending, ToolPolicy]] = field(
        default_factory=dict[str, "tuple[Pending, ToolPolicy]"], init=False, repr=False
    )
    _permits: dict[str, Permit] = field(default_factory=dict[str, Permit], init=False, repr=False)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """A gate is live: it cannot be written into a spec."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Closest to the tool: what others change before it, the gate sees."""
        return CapabilityOrdering(position="innermost")

    async def for_run(self, ctx: RunContext[Any]) -> Gated:
        """A copy for one run, which knows what surrounds it."""
        # A pause of an inner run cannot pass through the tool that started it: there, the run waits.
        policies = _with_the_agents_own(self.policies, ctx.agent)
        copy = replace(self, style="inline" if inherited() else self.style, policies=policies)
        copy._here = _surroundings(self.gate, ctx)  # noqa: SLF001 — our own copy
        return copy

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> AgentRunResult[Any]:  # noqa: ARG002
        """Nested agents inherit the gate, the run and the chain of agents."""
        outer = inherited()
        outermost = outer is None or outer.gate is not self._here.gate
        paused = False
        try:
            with inherit(self._here):
                result = await handler()
            paused = isinstance(result.output, DeferredToolRequests)
            return result
        finally:
            if outermost and not paused:
                with suppress(AssentError):  # the run is over, and its result stands
                    self._here.gate.end(self._here.run)

    async def before_node_run(self, ctx: RunContext[Any], *, node: AgentNode[Any]) -> AgentNode[Any]:
        """Deliver what was queued before the pause that now ends."""
        if isinstance(node, UserPromptNode) and node.deferred_tool_results is not None:
            release(ctx, node.deferred_tool_results)
        return node

    async def after_node_run(
        self,
        ctx: RunContext[Any],
        *,
        node: AgentNode[Any],  # noqa: ARG002 — the hook's signature
        result: NodeResult[Any],
    ) -> NodeResult[Any]:
        """A pause is a pause: what is queued waits with it."""
        if isinstance(result, End) and isinstance(result.data.output, DeferredToolRequests):
            hold(ctx, result.data.output)
        return result

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """The permit is taken where the tool runs."""
        return _GatedToolset(toolset, self)

    async def run_tool(
        self, ctx: RunContext[Any], tool: ToolsetTool[Any], args: dict[str, Any], inner: AbstractToolset[Any]
    ) -> Any:  # noqa: ANN401 — whatever the tool returns
        """Run the tool if the gate agrees; a refusal is an answer to the model."""
        deferral: ApprovalRequired | CallDeferred | None = None
        result: object = None
        try:
            permit = await self._permit(ctx, tool, args)
        except Responded as answer:
            return answer.result
        except Stopped:
            raise
        except AssentError as error:
            return ToolDenied(str(error))
        try:
            with self._here.gate.spend(permit):
                try:
                    result = await inner.call_tool(tool.tool_def.name, args, ctx, tool)
                except (ApprovalRequired, CallDeferred) as asked:
                    deferral = asked
        except Stopped:
            raise
        except AlreadySpent as error:
            return ToolDenied(str(error))
        except AssentError as error:
            # The tool ran, or something it called was refused: a failure, not a denial of this call.
            raise ToolFailed(f"{error.code}: {error}") from error
        if deferral is not None:
            raise deferral
        return _announced(permit, result)

    async def _permit(self, ctx: RunContext[Any], tool: ToolsetTool[Any], args: dict[str, Any]) -> Permit:
        part = ToolCallPart(tool.tool_def.name, args, tool_call_id=ctx.tool_call_id or "")
        call = call_of(self._here, ctx, part, tool, args)
        asks = own_request(call.tool_name, call.args, None) if tool.tool_def.kind == "unapproved" else None
        policy = ToolPolicy(tool=tool, policy=policy_of(tool, self.policies), asks=asks)
        ready = self._permits.pop(call.id, None)
        judged = ready or await self._judge(call, policy)
        if ctx.tool_call_approved and not ready and (isinstance(judged, Pending) or judged.answered is None):
            # PydanticAI says it was approved: only our own record counts.
            forged = ForgedApproval(call.tool_name)
            self._here.gate.refused(call, forged)
            raise forged
        if isinstance(judged, Pending):
            self._asked[part.tool_call_id] = judged, policy
            raise ApprovalRequired(metadata={PENDING: judged.id, "summary": judged.request.description})
        if judged.call.digest != call.digest:
            # Approved with other arguments than PydanticAI is about to use.
            raise ConflictingCall(call.tool_name, call.id)
        return judged

    async def _judge(self, call: ToolCall, policy: ToolPolicy) -> Permit | Pending:
        gate = self._here.gate
        timeout = gate.park_timeout if self.style == "deferred" else gate.timeout
        return await gate.judge(call, policy, timeout=timeout)

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
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
            answers = await answers_to(self._here.gate, [pending for pending, _ in waiting.values()], cancel=True)
            for (tool_call_id, (pending, policy)), answer in zip(waiting.items(), answers, strict=True):
                results[tool_call_id] = await self._settled(pending, policy, answer)
        return requests.build_results(approvals=results) if results else None

    async def _settled(
        self, pending: Pending, policy: ToolPolicy, answer: ApprovalDecision | AssentError
    ) -> ToolApproved | ToolDenied:
        """An approval becomes a permit at once, which waits here for PydanticAI to come back with the call."""
        if isinstance(answer, Approve):
            try:
                self._permits[pending.call.id] = await self._here.gate.settle(pending, answer, policy)
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
        try:
            args = tool.args_validator.validate_python(part.args_as_dict(), context=ctx.validation_context)
        except ValueError as error:
            raise GateFailed("call", f"the arguments do not fit {part.tool_name}: {error}") from error
        call = call_of(self._here, ctx, part, tool, args)
        asks = own_request(part.tool_name, call.args, requests.metadata.get(part.tool_call_id))
        policy = ToolPolicy(tool=tool, policy=policy_of(tool, self.policies), asks=asks)
        return await self._judge(call, policy), policy


@dataclass
class _GatedToolset(WrapperToolset[Any]):
    """Every call of the wrapped tools goes through the capability."""

    gated: Gated

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:  # noqa: ANN401 — whatever the tool returns
        """Ask the gate first."""
        del name  # the tool's definition has it
        return await self.gated.run_tool(ctx, tool, tool_args, self.wrapped)


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


def _with_the_agents_own(policies: Mapping[str, Policy], agent: Agent[Any, Any] | None) -> Mapping[str, Policy]:
    """The policies given for a run, and those of the agent it stands in for: the strictest of both."""
    merged = dict(policies)
    for capability in leaf_capabilities(agent.root_capability) if agent is not None else ():
        if isinstance(capability, Gated) and capability.policies is not policies:
            for name, policy in capability.policies.items():
                given = policies.get(name)
                merged[name] = policy if given is None else Strictest((given, policy))
    return merged


def _surroundings(gate: Gate | None, ctx: RunContext[Any]) -> Inherited:
    outer = inherited()
    gate = gate or (outer.gate if outer else None)
    if gate is None:
        raise GateFailed("gate", "Gated() has no gate and is not inside a gated run; give it one: Gated(gate)")
    name = (ctx.agent.name if ctx.agent else None) or "agent"
    return Inherited(
        gate=gate,
        run=outer.run if outer else ctx.conversation_id or ctx.run_id or gate.run,
        agents=(*(outer.agents if outer else ()), name),
    )


def _announced(permit: Permit, result: object) -> object:
    """The result, and beside it what the model must know: that a person changed its call."""
    if not permit.announcement or isinstance(result, str):
        return announced(permit, result)
    if isinstance(result, ToolReturn):
        told: ToolReturn[Any] = result  # pyright: ignore[reportUnknownVariableType]
        return replace(told, content=[permit.announcement, *_contents(told.content)])
    return ToolReturn(return_value=result, content=permit.announcement)


def _contents(content: str | Sequence[UserContent] | None) -> Sequence[UserContent]:
    return [content] if isinstance(content, str) else content or []
