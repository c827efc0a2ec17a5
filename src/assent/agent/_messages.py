"""Events as messages: the JSON of the WebSocket, and what beyond it a client may ignore."""

from __future__ import annotations

from assent.agent._events import (
    Event,
    RunResult,
    Superseded,
    Text,
    TextDelta,
    ThinkingDelta,
    ToolBegun,
    ToolDelta,
    ToolOutput,
    ToolResult,
    ToolUse,
)
from assent.model import thaw

_Message = dict[str, object]


def message_of(event: Event) -> _Message:
    """The event as a message; what happens in a sub-agent also names the chain that leads to it."""
    kind, subtype, content = _parts(event)
    message: _Message = {"type": kind, "subtype": subtype, "content": content}
    return {**message, "agents": list(event.agents)} if event.agents else message


def _parts(event: Event) -> tuple[str, str, _Message]:  # noqa: C901, PLR0911 — one arm an event
    match event:
        case Text():
            return "assistant", "text", {"text": event.text}
        case TextDelta():
            return "assistant", "text_delta", {"text": event.text}
        case ThinkingDelta():
            return "assistant", "thinking_delta", {"text": event.text}
        case ToolBegun():
            return "assistant", "tool_use_start", {"id": event.id, "name": event.name}
        case ToolDelta():
            return "assistant", "tool_use_delta", {"id": event.id, "partial_json": event.json}
        case ToolUse():
            return "assistant", "tool_use", {"id": event.id, "name": event.name, "input": thaw(event.input)}
        case ToolOutput():
            return "user", "tool_output_delta", {"tool_use_id": event.tool_use_id, "text": event.text}
        case ToolResult():
            content: _Message = {"tool_use_id": event.tool_use_id, "content": event.content, "is_error": event.is_error}
            return "user", "tool_result", content
        case Superseded():
            return "system", "superseded", {"reason": event.reason, "attempt": event.attempt}
        case RunResult(status="success"):
            return "result", "success", {"message": "Conversation complete"}
        case RunResult():
            return "result", "error", {"message": event.message, "code": event.status}


def usage_message(result: RunResult) -> _Message:
    """What the run used, for clients that show it; sent before the result."""
    usage = result.usage
    content: _Message = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "requests": usage.requests,
        "cost": result.cost,
        "conversation": result.conversation,
    }
    return {"type": "system", "subtype": "usage", "content": content}
