"""Tools of an MCP server that a provider calls: the SDK asks us first, and the gate answers."""

from __future__ import annotations

import json

from agents.tool import MCPToolApprovalFunctionResult, MCPToolApprovalRequest

from assent.adapters.openai_agents._arguments import Shape
from assent.adapters.openai_agents._calls import Place
from assent.adapters.openai_agents._door import Door
from assent.adapters.openai_agents._told import RunStopped, told
from assent.errors import AssentError, GateFailed, Responded


class Hosted:
    """Answers for a tool that a provider runs at an MCP server: yes or no, as the gate says."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def __call__(self, request: MCPToolApprovalRequest) -> MCPToolApprovalFunctionResult:
        wanted = request.data
        name = f"{wanted.server_label}.{wanted.name}"
        door = Door(self._place, Shape(name), self._place.settings.policies.get(name))
        try:
            here, permit = await door.admit(
                request.ctx_wrapper,
                wanted.id,
                lambda: door.shape.words(wanted.arguments or "{}"),
                agent="",
                marked=False,
            )
            if permit.announcement:
                raise GateFailed("edit", f"{name} runs at its server, and can only be approved or rejected as it is")
            here.gate.hand_over(permit, to="the provider")
        except Responded as answer:
            return {"approve": False, "reason": f"a person answered in its place: {json.dumps(answer.result)}"}
        except RunStopped:
            raise
        except AssentError as error:
            return {"approve": False, "reason": told(error)}
        return {"approve": True}
