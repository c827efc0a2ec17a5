"""From PydanticAI's calls to ours: who asks, in which run, and which call it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import ToolsetTool

from assent.adapters.pydantic_ai._arguments import spelled, spelled_whole
from assent.errors import GateFailed
from assent.gate import Gate, Inherited, inherited
from assent.model import ToolCall, digest, freeze


def surroundings(gate: Gate | None, ctx: RunContext[Any]) -> Inherited:
    """The gate, the run and the chain of agents; those of the surrounding run, inside one."""
    outer = inherited()
    gate = gate or (outer.gate if outer else None)
    if gate is None:
        raise GateFailed("gate", "Gated() has no gate and is not inside a gated run; give it one: Gated(gate)")
    name = (ctx.agent.name if ctx.agent else None) or "agent"
    return Inherited(
        gate=gate,
        run=outer.run if outer else ctx.conversation_id or ctx.run_id or gate.run,
        agents=(*(outer.agents if outer else ()), name),
    )


def call_of(
    around: Inherited,
    ctx: RunContext[Any],
    tool_call_id: str,
    tool: ToolsetTool[Any],
    args: Mapping[str, Any],
    *,
    parks: bool,
) -> ToolCall:
    """The call as the gate knows it, in every process that resumes it.

    A run that `parks` its questions also says what the model proposed, for whoever brings the answers back.
    """
    made, turn = _made_by_model(ctx, tool_call_id)
    return ToolCall(
        run=around.run,
        id=f"{tool_call_id}@{turn}",
        tool_name=tool.tool_def.name,
        args=spelled_whole(tool, args, ctx.validation_context),
        agents=around.agents,
        metadata={
            "run_id": ctx.run_id,
            "conversation_id": ctx.conversation_id,
            "tool_call_id": tool_call_id,
            "proposed": _proposed(made) if parks else None,
        },
    )


def is_call_of(part: ToolCallPart, call: ToolCall) -> bool:
    """Whether `call_of` made the call from this part: ids repeat, with other tools and other arguments."""
    said = call.metadata
    if "proposed" not in said or said.get("tool_call_id") != part.tool_call_id:
        return False
    # A run that broke off while it waited did not say it: only a call that is just as proposed can be told then.
    return (said["proposed"] or call.digest) == _proposed(part)


def _proposed(part: ToolCallPart) -> str:
    """What the model asked for, before any validation: the digest of tool and arguments."""
    return digest((part.tool_name, freeze(spelled(part.args_as_dict()))))


def _made_by_model(ctx: RunContext[Any], tool_call_id: str) -> tuple[ToolCallPart, int]:
    """The call in the history, and when the model made it: some providers use the same ids in every turn.

    Run ids change when a run is resumed; the response in the history does not.
    """
    for message in reversed(ctx.messages):
        if isinstance(message, ModelResponse):
            for part in message.parts:
                if isinstance(part, ToolCallPart) and part.tool_call_id == tool_call_id:
                    return part, int(message.timestamp.timestamp() * 1_000_000)
    raise GateFailed("call", f"no response in the history makes the call {tool_call_id!r}")


def is_alone(ctx: RunContext[Any]) -> bool:
    """Whether the model wants nothing else in this turn, or ends the run with it.

    Then PydanticAI comes back with no answers: it drops what has to wait for them.
    """
    calls = [part.tool_name for part in ctx.messages[-1].parts if isinstance(part, ToolCallPart)]
    return len(calls) == 1 or any(_is_output(ctx, name) for name in calls)


def _is_output(ctx: RunContext[Any], name: str) -> bool:
    tool = ((ctx.tool_manager.tools if ctx.tool_manager else None) or {}).get(name)
    return tool is not None and tool.tool_def.kind == "output"
