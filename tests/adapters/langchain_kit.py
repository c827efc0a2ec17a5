"""A scripted chat model for LangChain, a tool for it, and what a run made of its tool calls."""

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

Call = tuple[str, dict[str, Any], str]
"""Tool, arguments, id."""
GO: Any = {"messages": [("user", "go")]}


def wanted(name: str, **args: object) -> Any:  # noqa: ANN401 — LangChain's own dict
    return {"name": name, "args": args, "id": "1", "type": "tool_call"}


@tool
def write(path: str, times: int = 1) -> str:
    """Write a file."""
    return f"wrote {path} {times}"


class Script(BaseChatModel):
    """Says these things in order; the last one again and again."""

    turns: list[Any]

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Any, **options: Any) -> "Script":  # noqa: ANN401
        return self

    def _generate(self, messages: list[Any], stop: Any = None, run_manager: Any = None, **options: Any) -> ChatResult:  # noqa: ANN401
        said = sum(isinstance(message, AIMessage) for message in messages)
        now: str | Sequence[Call] = self.turns[min(said, len(self.turns) - 1)]
        if isinstance(now, str):
            answer = AIMessage(now)
        else:
            calls = [{"name": tool, "args": args, "id": call_id, "type": "tool_call"} for tool, args, call_id in now]
            answer = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=answer)])


def told(messages: Sequence[AnyMessage]) -> dict[str, str]:
    """What the model was told of each call, by its id."""
    return {message.tool_call_id: message.text for message in messages if isinstance(message, ToolMessage)}
