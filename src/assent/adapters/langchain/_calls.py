"""From LangChain's calls to ours: who asks, in which run, and how it is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig

from assent.adapters.langchain._guard import agent_of, task_of
from assent.errors import GateFailed
from assent.gate import Gate, Inherited, check_gate, inherited, new_call_id
from assent.model import Policy

Style = Literal["inline", "interrupt"]
OnReject = Literal["tell", "stop"]
_PLAIN = frozenset({str, int, bool})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How calls are decided; the same for every call of an agent."""

    gate: Gate | None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    style: Style = "inline"
    inbox: str = ""
    on_reject: OnReject = "tell"

    def __post_init__(self) -> None:
        check_gate(self.gate, self.policies)


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
        made = _maker(messages, tool_call_id)
        # Some graphs give their messages no ids; a task's name stays the same through its resumes, too.
        name = str((made.id if made else None) or task_of(config) or "")
        # Without a thread, the first message names the conversation: LangGraph has no name for one invocation.
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
    name = agent_of(config)
    return Inherited(
        gate=gate,
        run=outer.run if outer else place.conversation or gate.run,
        agents=(*(outer.agents if outer else ()), *([name] if name else [])),
    )


def context_of(config: RunnableConfig | None, tool_call_id: str | None) -> dict[str, object]:
    """What LangChain itself knows of the call, as far as JSON can spell it."""
    known = (config or {}).get("metadata") or {}
    plain: dict[str, object] = {str(name): value for name, value in known.items() if type(value) in _PLAIN}
    plain["tool_call_id"] = tool_call_id
    return plain


def _maker(messages: list[AnyMessage], tool_call_id: str | None) -> AIMessage | None:
    """The newest message that made the call."""
    for each in reversed(messages):
        if isinstance(each, AIMessage):
            for call in each.tool_calls:
                if call["id"] == tool_call_id:
                    return each
    return None


def _messages(state: object) -> list[AnyMessage]:
    """The conversation, in whichever kind of state the graph has."""
    if isinstance(state, dict):
        state = cast("dict[str, object]", state).get("messages")
    elif not isinstance(state, list):
        state = getattr(state, "messages", None)
    return cast("list[AnyMessage]", state or [])
