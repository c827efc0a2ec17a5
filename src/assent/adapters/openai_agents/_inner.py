"""An agent that runs as a tool: once approved it goes on where it paused, and does not begin anew."""

from __future__ import annotations

from typing import Any

from agents import RunContextWrapper
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result
from agents.tool_context import ToolContext

from assent.adapters.openai_agents._again import asked_before
from assent.errors import AlreadySpent
from assent.gate import Gate
from assent.model import EffectState, Store, ToolCall


class Paused(BaseException):
    """An approved agent's own run paused: it goes on when the outer one is resumed."""


_PAUSED = "its agent waits for an answer, and goes on where it was"
_RECORDED = f"{Paused.__name__}: "


def pause_in(context: RunContextWrapper[Any]) -> str:
    """Where the agent inside paused, as the record has it; empty if the SDK has no paused run for this call."""
    if not isinstance(context, ToolContext) or context.tool_call is None:
        return ""
    inner = peek_agent_tool_run_result(context.tool_call, scope_id=get_agent_tool_state_scope(context))
    questions: list[Any] = getattr(inner, "interruptions", None) or []
    # Ids do not repeat in a run of the SDK, so these tell one pause of it from the next.
    return f"{_PAUSED}: {sorted(str(each.call_id) for each in questions)}" if questions else ""


def has_paused(call: ToolCall, store: Store) -> str:
    """Where an approved agent paused of late; empty if it has not begun, or is over."""
    asked = asked_before(call, store)
    effect = asked.effect if asked else None
    if effect is None or effect.state is not EffectState.UNKNOWN or not effect.detail.startswith(_RECORDED):
        return ""
    return effect.detail.removeprefix(_RECORDED)


def goes_on(call: ToolCall, context: RunContextWrapper[Any], gate: Gate) -> bool:
    """Whether an approved agent has begun, and goes on where it paused.

    Raises:
        AlreadySpent: the state is from before that pause, and all since then would be done again.
    """
    pause = has_paused(call, gate.store)
    if pause and pause != pause_in(context):
        gate.refused(call, spent := AlreadySpent(call.tool_name))
        raise spent
    return bool(pause)
