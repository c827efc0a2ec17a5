"""A scripted model for the OpenAI Agents SDK, and what a run made of its tool calls."""

import json
from collections.abc import Sequence
from typing import Any

from agents import RunConfig
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

Call = tuple[str, dict[str, Any] | str, str]
"""Tool, arguments, id."""

QUIET = RunConfig(tracing_disabled=True)


def script(*turns: str | Sequence[Call]) -> ScriptedModel:
    """A model that says these things in order, streamed or not; the last one again and again."""

    def respond(call: ModelCall) -> list[Any]:
        said = sum(item.get("type") == "function_call" for item in call.input if isinstance(item, dict))
        now = turns[-1]
        for turn in turns[:-1]:
            if said < len(turn):
                now = turn
                break
            said -= len(turn)
        if isinstance(now, str):
            return [assistant_message(now)]
        return [function_call(tool, args, call_id=call_id) for tool, args, call_id in now]

    return ScriptedModel([ModelStep.respond(respond)] * 30)


def told(items: Sequence[Any]) -> dict[str, str]:
    """What the model was told of each call, by its id."""
    return {
        item["call_id"]: item["output"] if isinstance(item["output"], str) else json.dumps(item["output"])
        for item in items
        if item.get("type") == "function_call_output"
    }
