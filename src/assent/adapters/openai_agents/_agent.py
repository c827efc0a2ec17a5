"""An agent behind the gate: whatever tools it has when its turn comes, and whoever it hands over to."""

from __future__ import annotations

import copy
import dataclasses
import weakref
from collections.abc import Mapping
from operator import is_
from typing import Any, ClassVar, TypeVar, cast, get_args, get_origin

from agents import Agent, FunctionTool, Handoff, RunContextWrapper, Tool

from assent.adapters.openai_agents._calls import Place
from assent.adapters.openai_agents._native import gated_native
from assent.adapters.openai_agents._settings import OnReject, Settings, Style, check_words
from assent.adapters.openai_agents._tool import gated_tool
from assent.errors import GateFailed
from assent.gate import Gate, check_gate
from assent.model import Policy

T = TypeVar("T", bound="Agent[Any] | Tool")
_TOOLS = tuple(get_origin(kind) or kind for kind in get_args(Tool))
_Made = dict[int, tuple[Agent[Any], "GatedAgent"]]


def gated(
    what: T,
    gate: Gate | None = None,
    *,
    policies: Mapping[str, Policy] | None = None,
    style: Style = "inline",
    on_reject: OnReject = "tell",
    run: str = "",
) -> T:
    """The agent, or a single tool, behind the gate; without a gate, behind that of the surrounding run.

    `inline` waits for the answer while the run waits; a turn's questions are one batch. `deferred`
    puts them on the desk and ends the run with `interruptions`; `resuming` wakes it up, for which
    the run needs a name that every process gives it. A tool without a policy (in `policies`, or its
    own `check_approval`) asks. Agents that this one hands over to have the same gate and policies.
    """
    check_words(style, on_reject)
    check_gate(gate, policies)
    settings = Settings(gate=gate, policies=policies or {}, style=style, on_reject=on_reject, run=run)
    if isinstance(what, Agent):
        if style == "deferred" and gate is not None and not run:
            raise ValueError("a run that is resumed later needs a name: gated(agent, gate, style='deferred', run='…')")
        return cast("T", _behind(cast("Agent[Any]", what), settings, {}))
    if not isinstance(tool := cast("object", what), _TOOLS):
        hint = "; make a tool of it first: function_tool(…)" if callable(tool) else ""
        raise TypeError(f"gated takes an Agent that a Runner runs, or a tool, not a {type(tool).__name__}{hint}")
    if style == "deferred":
        raise ValueError("a single tool cannot pause a run; put its agent behind the gate: gated(agent, gate, …)")
    return cast("T", _gated(cast("Tool", what), Place(settings=settings)))


class GatedAgent(Agent[Any]):
    """Mixed into the class of an agent; a clone of it is behind the same gate."""

    assent: ClassVar[Settings]

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        """Whatever tools the agent has in this turn, those of MCP servers included, behind the gate."""
        tools = await super().get_all_tools(run_context)
        if not all(map(_is_gated, self.handoffs)):
            raise GateFailed("gate", f"{self.name} hands over to an agent without one; use gated(agent, gate) there")
        run, of_late = self.assent.run_of(run_context)
        run.turn += 1
        mine = self.assent, self.name
        known, behind = of_late.get(mine, ([], []))
        # The SDK asks several times a turn, and mostly nothing has changed.
        if len(known) != len(tools) or not all(map(is_, known, tools)):
            place = Place(settings=self.assent, agent=self.name, run=run)
            made = dict(zip(map(id, known), behind, strict=True))
            behind = [made.get(id(tool)) or _gated(tool, place) for tool in tools]
            of_late[mine] = [*tools], behind
        return [*behind]


def _gated(tool: Tool, place: Place) -> Tool:
    if not isinstance(tool, FunctionTool):
        return gated_native(tool, place)
    inner = getattr(tool, "_agent_instance", None)
    if inner is not None and not isinstance(inner, GatedAgent):
        raise GateFailed("gate", f"the agent {inner.name!r} runs as a tool without one; use gated(agent).as_tool(…)")
    return gated_tool(tool, place)


def _behind(agent: Agent[Any], settings: Settings, made: _Made) -> GatedAgent:
    """The same agent with the gate in its class, so that nothing that copies it loses it."""
    if (known := made.get(id(agent))) is not None and known[0] is agent:
        return known[1]
    kind = type(agent)
    kind = kind.__bases__[1] if isinstance(agent, GatedAgent) else kind
    gate: Any = copy.copy(agent)
    gate.__class__ = type(kind.__name__, (GatedAgent, kind), {"assent": settings})
    made[id(agent)] = agent, gate
    gate.tools = list(agent.tools)
    for tool in gate.tools:
        _gated(tool, Place(settings=settings))  # what cannot be gated is said at once
    gate.handoffs = [_handoff(each, settings, made) for each in agent.handoffs]
    return cast("GatedAgent", gate)


def _handoff(target: Agent[Any] | Handoff[Any, Any], settings: Settings, made: _Made) -> Any:  # noqa: ANN401 — either
    if isinstance(target, Agent):
        return _taking_over(target, settings, made)
    handed = _Handed(target, settings, made)
    behind = dataclasses.replace(target, on_invoke_handoff=handed)
    reference = getattr(target, "_agent_ref", None)
    agent = cast("Agent[Any] | None", reference() if reference else None)
    if agent is not None:
        # The SDK looks here for the agent of a paused run; `made` keeps it alive.
        setattr(behind, "_agent_ref", weakref.ref(_taking_over(agent, settings, made)))  # noqa: B010 — not public
    return behind


def _taking_over(agent: Agent[Any], settings: Settings, made: _Made) -> GatedAgent:
    """An agent with a gate of its own keeps it; one that inherits has this one here, and its own policies."""
    if isinstance(agent, GatedAgent):
        if agent.assent.gate is not None:
            return agent
        settings = dataclasses.replace(settings, policies={**settings.policies, **agent.assent.policies})
    return _behind(agent, settings, made)


def _is_gated(target: object) -> bool:
    return isinstance(target, GatedAgent) or isinstance(getattr(target, "on_invoke_handoff", None), _Handed)


class _Handed:
    """Hands over to an agent behind the gate, whichever one it is."""

    def __init__(self, handoff: Handoff[Any, Any], settings: Settings, made: _Made) -> None:
        self._handoff = handoff
        self._settings = settings
        self._made = made

    async def __call__(self, context: RunContextWrapper[Any], given: str) -> Agent[Any]:
        agent: Agent[Any] = await self._handoff.on_invoke_handoff(context, given)
        # A copy: an agent that is made anew for every handoff is not kept.
        return _taking_over(agent, self._settings, {**self._made})
