"""What the model reads: results, refusals and failures as tool messages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import cast

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from assent.model import Permit
from assent.runtime import announced


def message(name: str, tool_call_id: str, content: object, *, failed: bool = False) -> ToolMessage:
    """A tool's result, whoever gave it."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return ToolMessage(text, name=name, tool_call_id=tool_call_id, status="error" if failed else "success")


def failed(result: object) -> bool:
    """Whether the tool failed, and LangChain made a message of it."""
    return isinstance(result, ToolMessage) and result.status == "error"


def changed(permit: Permit, result: object) -> object:
    """The result, and before it what the model must know: that a person changed its call."""
    match result:
        case ToolMessage(content=str(text)):
            return result.model_copy(update={"content": announced(permit, text)})
        case ToolMessage(content=blocks):
            return result.model_copy(update={"content": [{"type": "text", "text": permit.announcement}, *blocks]})
        case Command(update={"messages": _}):
            update = cast("dict[str, object]", result.update)
            return replace(result, update={**update, "messages": changed(permit, update["messages"])})
        case list():
            return [changed(permit, each) for each in cast("list[object]", result)]
        case _:
            return result
