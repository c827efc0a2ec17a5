"""The capability: every tool call of a run passes the gate."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic_ai import Agent
from pydantic_ai.capabilities import WrapRunHandler
from pydantic_ai.capabilities.abstract import CapabilityOrdering, leaf_capabilities
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, RunContext, ToolDenied
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from assent.adapters.pydantic_ai._calls import surroundings
from assent.adapters.pydantic_ai._files import handed
from assent.adapters.pydantic_ai._pause import Pausing
from assent.adapters.pydantic_ai._run import Run, Style
from assent.adapters.pydantic_ai._strictest import merged
from assent.adapters.pydantic_ai._told import OnReject, heard, with_announcement
from assent.adapters.pydantic_ai._toolset import GatedToolset
from assent.errors import AlreadySpent, AssentError, Responded, Stopped
from assent.gate import Gate, check_gate, inherit, inherited
from assent.model import Policy
from assent.runtime import told


@dataclass(eq=False)
class Gated(Pausing):
    """Every tool call of the agent passes the gate; without a gate, that of the surrounding run.

    `inline` answers a turn's questions at once, as one batch, while the run waits. `deferred` puts
    them on the desk and ends the run with `DeferredToolRequests`; `collect_approvals` resumes it.
    A tool without a policy (in `policies`, or its own `check_approval`) asks.
    """

    gate: Gate | None = None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    style: Style = "inline"
    on_reject: OnReject = "tell"
    """Whether a rejection is told to the model, or stops the run."""
    # One name, so that a gate given for one run replaces the agent's own instead of adding to it.
    id: str | None = field(default="assent", kw_only=True)
    _runs: dict[str, Run] = field(default_factory=dict[str, Run], init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse a word that would silently mean another, and what is no gate or no policy."""
        check_gate(self.gate, self.policies)
        if self.style not in get_args(Style) or self.on_reject not in get_args(OnReject):
            raise ValueError(
                f"style is 'inline' or 'deferred', on_reject 'tell' or 'stop'; not {self.style!r}, {self.on_reject!r}"
            )

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """A gate is live: it cannot be written into a spec."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Closest to the tool: what others change before it, the gate sees."""
        return CapabilityOrdering(position="innermost")

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        """Nested agents inherit the gate, the run and the chain of agents."""
        outer, run = inherited(), self._run(ctx)
        here = run.here
        result: AgentRunResult[Any] | None = None
        try:
            with inherit(here):
                result = await handler()
            return result
        finally:
            self._runs.pop(_name(ctx), None)
            if result is None or not isinstance(result.output, DeferredToolRequests):
                with suppress(AssentError):  # the run is over, and its result stands
                    run.withdraw(broke_off=result is None)
                    if outer is None or outer.gate.store is not here.gate.store:
                        here.gate.end(here.run, goes_on=True)

    def _run(self, ctx: RunContext[Any]) -> Run:
        # A copy of the capability for each run would say the same, at a twentieth of the price of a turn.
        name = _name(ctx)
        known = self._runs.get(name)
        if known is None:
            known = self._runs[name] = Run(
                here=surroundings(self.gate, ctx),
                policies=merged(self.policies, self._of_the_agent(ctx.agent)),
                # A pause of an inner run cannot pass through the tool that started it: there, the run waits.
                style="inline" if inherited() else self.style,
                on_reject=self.on_reject,
            )
        return known

    def _of_the_agent(self, agent: Agent[Any, Any] | None) -> list[Mapping[str, Policy]]:
        others = leaf_capabilities(agent.root_capability) if agent is not None else ()
        return [each.policies for each in others if isinstance(each, Gated) and each is not self]

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """The permit is taken where the tool runs."""
        return GatedToolset(toolset, self.run_tool)

    async def run_tool(
        self, ctx: RunContext[Any], tool: ToolsetTool[Any], args: dict[str, Any], inner: AbstractToolset[Any]
    ) -> Any:  # noqa: ANN401 — whatever the tool returns
        """Run the tool if the gate agrees; a refusal is an answer to the model."""
        deferral: ApprovalRequired | CallDeferred | None = None
        result: object = None
        try:
            run = self._run(ctx)
            permit, args = await run.permit(ctx, tool, args)
        except Responded as answer:
            return answer.result
        except Stopped:
            raise
        except AssentError as error:
            return ToolDenied(told(heard(error, self.on_reject)))
        try:
            with run.here.gate.spend(permit):
                # A tool that asks by itself has its answer; the context is this call's own.
                ctx.tool_call_approved = ctx.tool_call_approved or permit.answered is not None
                token = handed.set((permit, tool))
                try:
                    result = await inner.call_tool(tool.tool_def.name, args, ctx, tool)
                except (ApprovalRequired, CallDeferred) as asked:
                    deferral = asked
                finally:
                    handed.reset(token)
        except Stopped:
            raise
        except AlreadySpent as error:
            return ToolDenied(str(error))
        except AssentError as error:
            # The tool ran, or something it called was refused: a failure, not a denial of this call.
            raise ToolFailed(told(error)) from error
        if deferral is not None:
            raise deferral
        return with_announcement(permit, result)

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Answer a turn's questions as one batch, or leave them on the desk."""
        return await self._run(ctx).answer(ctx, requests)


def _name(ctx: RunContext[Any]) -> str:
    return ctx.run_id or ""
