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
    # As `gate.spend` does, without the price of a `with`: most calls are nobody's question.
    spender = gate.spender
    spender.start(permit)
    try:
        result = await tool.run(permit)
    except BaseException as error:
        spender.end(permit, error)
        raise
    if permit.answered is not None:
        spender.end(permit, None)
    return result
