"""From the SDK's calls to ours: who asks, and in which run."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from agents import RunContextWrapper
from agents.tool_context import ToolContext

from assent.adapters.openai_agents._again import as_asked
from assent.adapters.openai_agents._arguments import Shape
from assent.adapters.openai_agents._settings import Run, Settings
from assent.errors import GateFailed
from assent.gate import Inherited, inherited, new_call_id
from assent.model import ToolCall

inside: ContextVar[str | None] = ContextVar("assent_openai_agents_inside", default=None)
"""The call of the agent that runs as a tool; only there can an inner pause pass through the tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a tool stands: whose it is, and in which run."""

    settings: Settings
    agent: str = ""
    run: Run | None = None
    """None for a tool that was put behind the gate without its agent."""

    @property
    def deferred(self) -> bool:
        """Whether a question pauses the run; inside a plain tool nobody could resume it."""
        return self.run is not None and self.settings.style == "deferred" and (not inherited() or bool(inside.get()))

    def around(self, own: Place, name: str) -> Place:
        """Where a tool stands that was put behind a gate by itself; a gate of its own it keeps.

        Raises:
            GateFailed: one of two policies for it would not count.
        """
        here, there = self.settings, own.settings
        given = here.policies.get(name)
        if given is not None and given is not there.policies.get(name):
            message = f"{name} was put behind it alone, where its agent's policy for it does not count"
            raise GateFailed("gate", f"{message}; give it there: gated(tool, …, policies=…)")
        if there.gate is not None:
            return own
        return replace(self, settings=replace(here, policies={**here.policies, **there.policies}))

    def here(self, agent: str = "") -> Inherited:
        """The gate, the run and the chain of agents; those of the surrounding run, inside one."""
        outer = inherited()
        gate = self.settings.gate or (outer.gate if outer else None)
        if gate is None:
            raise GateFailed("gate", "there is none, and this is not inside a gated run; give one: gated(agent, gate)")
        name = self.agent or agent
        return Inherited(
            gate=gate,
            run=outer.run if outer else self.run.name if self.run else self.settings.run or gate.run,
            agents=(*(outer.agents if outer else ()), *([name] if name else [])),
        )

    def call(
        self,
        shape: Shape,
        words: Mapping[str, Any],
        tool_call_id: str,
        context: RunContextWrapper[Any],
        here: Inherited,
    ) -> ToolCall:
        """The call as the gate knows it; where a run can be resumed, in every process that does so."""
        call = ToolCall(
            run=here.run,
            id=self._id(tool_call_id),
            tool_name=shape.name,
            args=shape.spelled(words),
            agents=here.agents,
            group_id=f"{self.run.token}/{self.run.turn}" if self.run and _is_one_of_several(context) else None,
            metadata=_known_of(context, tool_call_id),
        )
        return as_asked(call, shape, words, here.gate.store) if self.deferred else call

    def _id(self, tool_call_id: str) -> str:
        """The SDK sees to it that ids do not repeat in a run; runs of the same name may be several."""
        if self.deferred:
            outer = inside.get()
            return f"{outer}/{tool_call_id}" if outer else tool_call_id
        return f"{tool_call_id}@{self.run.token if self.run else new_call_id()}"


def _known_of(context: RunContextWrapper[Any], tool_call_id: str) -> dict[str, object]:
    """What the SDK itself knows of the call."""
    config = context.run_config if isinstance(context, ToolContext) else None
    more = {"workflow_name": config.workflow_name, "group_id": config.group_id} if config else {}
    return {**more, "tool_call_id": tool_call_id}


def _is_one_of_several(context: RunContextWrapper[Any]) -> bool:
    """Whether the model made other calls at the same time; the SDK keeps a list of them."""
    known: Mapping[str, Any] = getattr(context, "_tool_invocations", {})
    return sum(not each.completed for each in known.values()) > 1
