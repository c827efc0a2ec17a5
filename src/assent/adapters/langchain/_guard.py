"""Agents inside of a gated tool: their tools pass the gate too, or do not start."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.runnables import RunnableConfig

from assent.errors import GateFailed

_NAMESPACE = "langgraph_checkpoint_ns"


@dataclass(frozen=True, slots=True)
class Running:
    """A tool that runs with a permit."""

    task: object
    """That of the graph; None outside of any."""
    agent: str
    tool: str


_running: ContextVar[Running | None] = ContextVar("assent_running", default=None)


def task_of(config: RunnableConfig | None) -> object:
    """The task of the graph that runs a call; None outside of any graph."""
    return ((config or {}).get("metadata") or {}).get(_NAMESPACE)


def agent_of(config: RunnableConfig | None) -> str:
    """The agent that a call adds to the chain of those around it; empty, if it adds none."""
    name, around = _name(config), _running.get()
    if around is None:
        return name
    if around.task == task_of(config):
        return ""  # a tool's own tool
    # LangGraph hands the name on to inner agents that have none: they are called after the tool that started them.
    return around.tool if name in ("", around.agent) else name


def _name(config: RunnableConfig | None) -> str:
    return str(((config or {}).get("metadata") or {}).get("lc_agent_name") or "")


def permit(config: RunnableConfig | None, tool: str) -> Token[Running | None]:
    """From now on tools may start that belong to this task: the permitted one, and what it calls itself."""
    return _running.set(Running(task_of(config), _name(config), tool))


def end(token: Token[Running | None]) -> None:
    """Back to what was permitted before."""
    _running.reset(token)


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
        around = _running.get()
        if context.get(_NAMESPACE) != (around.task if around else None):
            name = (serialized or {}).get("name") or "a tool"
            raise GateFailed(
                "gate", f"an inner agent without one wants to run {name}; give that agent middleware=[Gated()]"
            )


_GUARD = _Guard()
