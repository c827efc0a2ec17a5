"""From LangChain's calls to ours: who asks, in which run, and what speaks for the tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from assent.adapters.langchain._arguments import Shape
from assent.errors import GateFailed
from assent.functions import UNKNOWN, simple_approval_request
from assent.gate import Gate, Inherited, inherited, new_call_id
from assent.model import EffectState, Policy, ToolCall, Verdict

Style = Literal["inline", "interrupt"]
OnReject = Literal["tell", "stop"]
PAUSED = "LangGraph runs it again from its start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How calls are decided; the same for every call of an agent."""

    gate: Gate | None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    style: Style = "inline"
    inbox: str = ""
    on_reject: OnReject = "tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a call stands in its conversation."""

    id: str
    conversation: str
    """Empty, if nothing names it."""
    group_id: str | None = None

    @classmethod
    def of(cls, tool_call_id: str | None, state: object, config: RunnableConfig) -> Place:
        """The call's own message names it in every process that resumes it; ids of calls repeat."""
        messages = _messages(state)
        answers = (each for each in reversed(messages) if isinstance(each, AIMessage))
        made = next((each for each in answers if any(call["id"] == tool_call_id for call in each.tool_calls)), None)
        name = (made.id if made else None) or ""
        # Without a thread, the first message names the run, which ends with it.
        thread = (config.get("configurable") or {}).get("thread_id") or (messages[0].id if messages else "")
        return cls(
            id=f"{tool_call_id}@{name}" if name else new_call_id(),
            conversation=str(thread or ""),
            group_id=name if made is not None and len(made.tool_calls) > 1 else None,
        )

    @classmethod
    def alone(cls, config: RunnableConfig | None) -> Place:
        """A call that no message is known of."""
        thread = ((config or {}).get("configurable") or {}).get("thread_id")
        return cls(id=new_call_id(), conversation=str(thread or ""))


def surroundings(gate: Gate | None, place: Place, config: RunnableConfig | None) -> Inherited:
    """The gate, the run and the chain of agents; those of the surrounding run, inside one."""
    outer = inherited()
    gate = gate or (outer.gate if outer else None)
    if gate is None:
        raise GateFailed("gate", "Gated() has no gate and is not inside a gated run; give it one: Gated(gate)")
    name = ((config or {}).get("metadata") or {}).get("lc_agent_name")
    return Inherited(
        gate=gate,
        run=outer.run if outer else place.conversation or gate.run,
        agents=(*(outer.agents if outer else ()), *([str(name)] if name else [])),
    )


def context_of(config: RunnableConfig | None, tool_call_id: str | None) -> dict[str, object]:
    """What LangChain itself knows of the call, as far as JSON can spell it."""
    known = (config or {}).get("metadata") or {}
    plain = {str(name): value for name, value in known.items() if isinstance(value, (str, int, bool))}
    return {**plain, "tool_call_id": tool_call_id}


class ToolPolicy:
    """What speaks for a tool: the policy given for it, else its own, else nobody, and it asks."""

    def __init__(self, shape: Shape, policies: Mapping[str, Policy], here: Inherited, call: ToolCall) -> None:
        policy = policies.get(shape.tool.name) or _own_policy(shape.tool)
        self._shape = shape
        self._store = here.gate.store
        # From memory: most calls were never asked about.
        self._asked = self._store.history(call.run).calls.get(call.id)
        self._idempotent = bool(getattr(policy, "idempotent", False))
        self.check_approval: Callable[[ToolCall], Verdict | None] = _ask if policy is None else policy.check_approval
        for name in ("preview", "prepare", "narrow"):
            if hasattr(policy, name):
                setattr(self, name, getattr(policy, name))

    @property
    def idempotent(self) -> bool:
        """Whether it may run again after an unknown end; LangGraph's own pause inside of it is one."""
        asked = self._store.asked(self._asked) if self._asked else None
        effect = asked.effect if asked else None
        paused = effect is not None and effect.state is EffectState.UNKNOWN and effect.detail.endswith(PAUSED)
        return self._idempotent or paused

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """Edited arguments as the tool would get them."""
        return self._shape.validated(args)


def _own_policy(tool: BaseTool) -> Policy | None:
    for speaker in (tool, getattr(tool, "func", None), getattr(tool, "coroutine", None)):
        if hasattr(speaker, "check_approval"):
            return cast("Policy", speaker)
    return None


def _ask(call: ToolCall, /) -> Verdict:
    return simple_approval_request(call.tool_name, call.args, reason=UNKNOWN)


def _messages(state: object) -> list[AnyMessage]:
    """The conversation, in whichever kind of state the graph has."""
    if isinstance(state, dict):
        state = cast("dict[str, object]", state).get("messages")
    elif not isinstance(state, list):
        state = getattr(state, "messages", None)
    return cast("list[AnyMessage]", state or [])
