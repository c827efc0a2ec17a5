"""LangGraph's tasks: a pause ends a whole task, so a call that may have to pause needs one of its own."""

from __future__ import annotations

from typing import cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Send

from assent.errors import ToolError
from assent.model import Preview, ToolCall

_READ, _TASKS, _PUSH = "__pregel_read", "__pregel_tasks", "__pregel_push"


def shares_its_task(config: RunnableConfig | None) -> bool:
    """Whether a call of a turn of several runs in one task with the others, as far as LangGraph tells."""
    match _sent(config or RunnableConfig()):
        case [{"type": "tool_call"}] | {"__type": "tool_call_with_context"}:
            return False
        case _:
            return True


def _sent(config: RunnableConfig) -> object:
    """What a `Send` gave to the task; None if the graph's own edges started it."""
    read = (config.get("configurable") or {}).get(_READ)
    match (config.get("metadata") or {}).get("langgraph_path"):
        case (kind, int(index), *_) if kind == _PUSH and read is not None:
            return cast("Send", read(_TASKS)[index]).arg
        case _:
            return None


async def refuse_to_pause(call: ToolCall, /) -> Preview:
    """In place of the drawing that a question needs: it is refused before it comes to the desk.

    LangGraph finds the answers to a task's pauses by their order, which is another one at every resume where
    calls run side by side; and it runs the whole task again, also what has run before.

    Raises:
        ToolError: always.
    """
    message = (
        f"{call.tool_name} was not executed: it needs an approval, and the graph cannot pause for one of several calls "
        "that share a task. Make one call at a time. (For the developer: use create_agent, one Send per call, or "
        'Gated(style="inline").)'
    )
    raise ToolError(message)
