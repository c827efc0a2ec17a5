"""Where gate and tools meet."""

from __future__ import annotations

from assent.errors import Responded
from assent.gate import Gate
from assent.model import Tool, ToolCall


async def execute(call: ToolCall, tool: Tool, gate: Gate) -> object:
    """Run `call` if the gate lets it through; a person may answer in the tool's place.

    Raises:
        Refused: the call did not run.
        ToolError: it could not do what was permitted.
    """
    try:
        with gate.spend(await gate.admit(call, tool)) as permit:
            return await tool.run(permit)
    except Responded as answer:
        return answer.result
