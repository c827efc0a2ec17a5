"""File tools as a PydanticAI toolset, behind a gate or, by explicit choice, without one."""

from __future__ import annotations

from typing import Any

from pydantic_ai import FunctionToolset, Tool

from assent.errors import ToolError
from assent.model import Permit, Preview, ToolCall, Verdict
from assent.runtime import error_result
from assent.tools.files import Dialect, FileSandbox, FileTool, file_tools


def file_toolset(sandbox: FileSandbox, dialect: Dialect = "assent") -> FunctionToolset[Any]:
    """The sandbox's tools for an agent; give the agent `Gated(gate)` too, or nobody is asked.

    The limits of the sandbox hold in both cases.
    """
    if dialect == "dotted":
        dialect = "underscored"  # the model APIs allow no dots in a tool's name
    return FunctionToolset([_tool(tool) for tool in file_tools(sandbox, dialect)])


def _tool(tool: FileTool[Any, Any]) -> Tool[Any]:
    return Tool.from_schema(
        _Function(tool), name=tool.name, description=tool.description, json_schema=dict(tool.schema)
    )


class _Function:
    """What PydanticAI calls; behind a gate, the tool itself runs with its permit."""

    def __init__(self, tool: FileTool[Any, Any]) -> None:
        self.tool = tool
        self.name = tool.name
        self.idempotent = tool.idempotent

    async def __call__(self, **args: object) -> object:
        try:
            return await self.tool.ungated(args)
        except ToolError as error:
            return error_result(error)

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        return self.tool.check_approval(call)

    async def preview(self, call: ToolCall, /) -> Preview:
        return await self.tool.preview(call)

    async def run(self, permit: Permit, /) -> object:
        return await self.tool.run(permit)
