"""File tools as a PydanticAI toolset, behind a gate or, by explicit choice, without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from pydantic_ai import FunctionToolset, Tool
from pydantic_ai.toolsets import ToolsetTool

from assent.adapters.pydantic_ai._policy import function_of
from assent.errors import ConflictingCall, GateFailed, ToolError
from assent.gate import inherited, new_call_id
from assent.model import ApprovalRequest, Narrows, Permit, Preview, ToolCall, Verdict
from assent.runtime import error_result, execute
from assent.tools.files import Dialect, FileSandbox, FileTool, file_tools

handed: ContextVar[tuple[Permit, ToolsetTool[Any]] | None] = ContextVar("handed", default=None)
"""Where one of our tools finds the permit it runs with, whatever was wrapped around it or renamed it."""


def file_toolset(sandbox: FileSandbox, dialect: Dialect = "assent", *, ungated: bool = False) -> FunctionToolset[Any]:
    """The sandbox's tools for an agent that has `Gated(gate)`, or runs inside one that has.

    Without a gate, what would ask is refused; `ungated` runs it without asking anybody. The limits
    of the sandbox hold in every case.
    """
    if dialect == "dotted":
        dialect = "underscored"  # the model APIs allow no dots in a tool's name
    return FunctionToolset([_tool(tool, ungated=ungated) for tool in file_tools(sandbox, dialect)])


def _tool(tool: FileTool[Any, Any], *, ungated: bool) -> Tool[Any]:
    function = _Function(tool, ungated=ungated)
    return Tool.from_schema(function, name=tool.name, description=tool.description, json_schema=dict(tool.schema))


class _Function:
    """What PydanticAI calls; behind a gate it runs with the permit, and with exactly what was permitted."""

    def __init__(self, tool: FileTool[Any, Any], *, ungated: bool) -> None:
        self.tool = tool
        self.name = tool.name
        self.idempotent = tool.idempotent
        self.ungated = ungated

    async def __call__(self, **args: object) -> object:
        permit, tool = handed.get() or (None, None)
        if permit is not None and tool is not None and function_of(tool) is self:
            # Behind the gate nothing may change the arguments any more.
            if ToolCall(run="", id="", tool_name=self.name, args=args).args != permit.call.args:
                raise ConflictingCall(self.name, permit.call.id)
            return await self.tool.run(permit)
        try:
            return await (self.tool.ungated(args) if self.ungated else self._alone(args))
        except (ToolError, GateFailed) as error:
            return error_result(error)

    async def _alone(self, args: dict[str, object]) -> object:
        """No permit came along: the surrounding run's gate decides, else only what policy allows runs."""
        around = inherited()
        run, agents = (around.run, around.agents) if around else ("", ())
        call = ToolCall(run=run, id=new_call_id(), tool_name=self.name, args=self.tool.validate(args), agents=agents)
        if around is not None:
            return await execute(call, self.tool, around.gate)
        if isinstance(self.tool.check_approval(call), ApprovalRequest):
            raise GateFailed("gate", f"{self.name} asks first, and the agent has no gate; give it Gated(gate)")
        return await self.tool.ungated(args)

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        return self.tool.check_approval(call)

    async def preview(self, call: ToolCall, /) -> Preview:
        return await self.tool.preview(call)

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        if not isinstance(self.tool, Narrows):
            raise GateFailed("edit", f"{self.name} can do all of it or nothing: it has no hunks to choose")
        return await self.tool.narrow(call, hunks, shown)
