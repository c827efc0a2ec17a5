"""The streaming agent: a model, tools behind one gate, and a conversation that goes on."""

from assent.agent._anthropic import AnthropicModel
from assent.agent._asking import AskedBy
from assent.agent._choice import OFFLINE, chosen_model
from assent.agent._conversation import Shelf
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
from assent.agent._messages import message_of, usage_message
from assent.agent._model import Answer, Model, ModelFailed, ModelRequest, Piece
from assent.agent._runner import LATEST, AgentConfig, AgentRunner
from assent.agent._tools import schema_of
from assent.agent._usage import Usage

__all__ = [
    "LATEST",
    "OFFLINE",
    "AgentConfig",
    "AgentRunner",
    "Answer",
    "AnthropicModel",
    "AskedBy",
    "Event",
    "Model",
    "ModelFailed",
    "ModelRequest",
    "Piece",
    "RunResult",
    "Shelf",
    "Superseded",
    "Text",
    "TextDelta",
    "ThinkingDelta",
    "ToolBegun",
    "ToolDelta",
    "ToolOutput",
    "ToolResult",
    "ToolUse",
    "Usage",
    "chosen_model",
    "message_of",
    "schema_of",
    "usage_message",
]
