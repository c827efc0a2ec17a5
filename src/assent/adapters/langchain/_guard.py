"""Agents inside of a gated tool: their tools pass the gate too, or do not start."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.runnables import RunnableConfig

from assent.errors import GateFailed

_NAMESPACE = "langgraph_checkpoint_ns"
_permitted: ContextVar[object] = ContextVar("assent_permitted_task", default=None)
"""The task of the graph whose tool runs with a permit; None outside of any graph."""


def permit_task(config: RunnableConfig | None) -> Token[object]:
    """From now on tools may start that belong to this task: the permitted one, and what it calls itself."""
    return _permitted.set(((config or {}).get("metadata") or {}).get(_NAMESPACE))


def end_task(token: Token[object]) -> None:
    """Back to what was permitted before."""
    _permitted.reset(token)


def guarded(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a tool's run, for which everything it starts is watched."""
    given = options.get("callbacks")
    if isinstance(given, BaseCallbackManager):
        watched: Any = given.copy()
        # For what the tool starts, not for its own start, which has a permit: telling that takes a while.
        watched.inheritable_handlers.append(_GUARD)
    else:
        watched = [*(given or ()), _GUARD]
    return {**options, "callbacks": watched}


class _Guard(BaseCallbackHandler):
    """LangChain tells every tool's start to the callbacks of the run around it."""

    raise_error = True
    run_inline = True

    @property
    def ignore_chat_model(self) -> bool:
        """Only tools are watched."""
        return True

    def on_tool_start(self, serialized: dict[str, Any] | None, *_args: Any, **known: Any) -> None:  # noqa: ANN401
        """Refuse a tool of an inner graph that has no permit.

        Raises:
            GateFailed: the inner agent was built without a gate; deepagents builds one by itself.
        """
        context: dict[str, Any] = known.get("metadata") or {}
        if context.get(_NAMESPACE) != _permitted.get():
            name = (serialized or {}).get("name") or "a tool"
            raise GateFailed(
                "gate", f"an inner agent without one wants to run {name}; give that agent middleware=[Gated()]"
            )


_GUARD = _Guard()
