"""A scripted model, and what a run made of its tool calls."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.run import AgentRunResult

Call = tuple[str, dict[str, Any], str]
"""Tool, arguments, id."""


def script(*turns: str | Sequence[Call]) -> FunctionModel:
    """A model that says these things in order, streamed or not; the last one again and again."""

    def turn(messages: list[ModelMessage]) -> str | Sequence[Call]:
        said = sum(isinstance(message, ModelResponse) for message in messages)
        return turns[min(said, len(turns) - 1)]

    def respond(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        now = turn(messages)
        if isinstance(now, str):
            return ModelResponse(parts=[TextPart(now)])
        return ModelResponse(parts=[ToolCallPart(tool, args, tool_call_id=call_id) for tool, args, call_id in now])

    async def stream(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        now = turn(messages)
        if isinstance(now, str):
            yield now
        else:
            yield {
                index: DeltaToolCall(name=tool, json_args=json.dumps(args), tool_call_id=call_id)
                for index, (tool, args, call_id) in enumerate(now)
            }

    return FunctionModel(respond, stream_function=stream)


def returns(result: AgentRunResult[Any] | Sequence[ModelMessage]) -> dict[str, tuple[object, str]]:
    """What the model was told of each call, by its id, and the outcome."""
    messages = result.all_messages() if isinstance(result, AgentRunResult) else result
    return {
        part.tool_call_id: (part.content, part.outcome)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }


def prompts(result: AgentRunResult[Any]) -> list[object]:
    """What the user said."""
    return [
        part.content
        for message in result.all_messages()
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
