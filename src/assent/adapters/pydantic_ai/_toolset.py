"""Where the tools run: every call of them goes through the gate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

RunTool = Callable[[RunContext[Any], ToolsetTool[Any], dict[str, Any], AbstractToolset[Any]], Awaitable[Any]]


@dataclass
class GatedToolset(WrapperToolset[Any]):
    """Every call of the wrapped tools goes through the capability."""

    run_tool: RunTool

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:  # noqa: ANN401 — whatever the tool returns
        """Ask the gate first."""
        del name  # the tool's definition has it
        return await self.run_tool(ctx, tool, tool_args, self.wrapped)
