"""The deferred style: what wakes up a run that was paused."""

from __future__ import annotations

from typing import Any, TypeVar

from agents import RunState

from assent.adapters.openai_agents._agent import GatedAgent

S = TypeVar("S", bound=RunState[Any, Any])


def resuming(state: S) -> S:
    """Wakes up a run that was paused by the gate: each answer is taken from the desk."""
    for item in state.get_interruptions():
        if isinstance(item.agent, GatedAgent) and item.type == "tool_approval_item":
            # No approval: the tool asks the gate for one, and only the record counts there.
            state.approve(item)
    return state
