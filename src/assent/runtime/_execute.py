"""Where gate and tools meet."""

from __future__ import annotations

from assent.errors import Responded
from assent.gate import Gate
from assent.model import Permit, Tool, ToolCall


async def execute(call: ToolCall, tool: Tool, gate: Gate) -> object:
    """Run `call` if the gate lets it through; a person may answer in the tool's place.

    Raises:
        Refused: the call did not run.
        ToolError: it could not do what was permitted.
    """
    try:
        admitted = gate.admitting(call, tool)
        permit = admitted if isinstance(admitted, Permit) else await admitted
    except Responded as answer:
        return answer.result
    with gate.spend(permit):
        return await tool.run(permit)
