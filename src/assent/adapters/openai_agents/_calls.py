"""From the SDK's calls to ours: who asks, and in which run."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Literal
from weakref import WeakKeyDictionary

from agents import RunContextWrapper
from agents.tool_context import ToolContext

from assent.adapters.openai_agents._arguments import Shape
from assent.errors import AssentError, GateFailed
from assent.gate import Gate, Inherited, inherited, new_call_id
from assent.model import Permit, Policy, ToolCall

Style = Literal["inline", "deferred"]
OnReject = Literal["tell", "stop"]
inside: ContextVar[str | None] = ContextVar("assent_openai_agents_inside", default=None)
"""The call of the agent that runs as a tool; only there can an inner pause pass through the tool."""


@dataclass(slots=True, kw_only=True, eq=False)
class Run:
    """One run of the SDK, which one context stands for."""

    name: str
    token: str = field(default_factory=new_call_id)
    turn: int = 0
    judged: dict[str, tuple[str, Permit | AssentError]] = field(default_factory=dict[Any, Any])
    """What the gate said before the SDK comes with the call: the arguments' digest, and its word."""


Tools = dict[str, tuple[list[Any], list[Any]]]
"""The tools that each agent had of late in a run, and the same behind the gate.

They know their run; were they a part of it, both would stay until Python looks for such rings.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settings:
    """How calls are decided; the same for all agents that were put behind the gate together."""

    gate: Gate | None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    style: Style = "inline"
    on_reject: OnReject = "tell"
    run: str = ""
    runs: MutableMapping[RunContextWrapper[Any], tuple[Run, Tools]] = field(
        default_factory=WeakKeyDictionary[RunContextWrapper[Any], tuple[Run, Tools]]
    )
    known: dict[int, Any] = field(default_factory=dict[int, Any])
    """What was worked out for a tool, by its identity."""

    def run_of(self, context: RunContextWrapper[Any]) -> tuple[Run, Tools]:
        """The run that a context belongs to, and its tools."""
        known = self.runs.get(context)
        if known is None:
            known = self.runs[context] = Run(name=self.run or token_hex(16)), {}
        return known


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
        self, shape: Shape, args: Mapping[str, Any], tool_call_id: str, context: RunContextWrapper[Any], here: Inherited
    ) -> ToolCall:
        """The call as the gate knows it; where a run can be resumed, in every process that does so."""
        return ToolCall(
            run=here.run,
            id=self._id(tool_call_id),
            tool_name=shape.name,
            args=args,
            agents=here.agents,
            group_id=f"{self.run.token}/{self.run.turn}" if self.run and _is_one_of_several(context) else None,
            metadata=_known_of(context, tool_call_id),
        )

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
