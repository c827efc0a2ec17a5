"""What is worked out once for a function tool."""

from __future__ import annotations

import copy
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from agents import FunctionTool
from agents.tool import invoke_function_tool, set_function_tool_failure_error_function
from agents.tool_context import ToolContext

from assent.adapters.openai_agents._arguments import Shape, function_of
from assent.adapters.openai_agents._settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
    """What arguments a tool takes, and how it is run; nothing here keeps the tool itself."""

    shape: Shape
    bare: FunctionTool
    """A copy that lets its exceptions out: the record must not call a failure done."""

    @classmethod
    def of(cls, tool: FunctionTool, settings: Settings) -> Known:
        """From memory, if it is the same tool."""
        by_the_sdk = function_of(tool) is not None  # an MCP server's tools are made anew for every turn
        known = settings.known.get(tool.on_invoke_tool) if by_the_sdk else None
        if known is None or known.shape.name != tool.qualified_name:
            bare = set_function_tool_failure_error_function(copy.copy(tool), None)
            bare.timeout_behavior = "raise_exception"
            known = cls(shape=Shape.of(tool), bare=bare)
            if by_the_sdk:
                settings.known[tool.on_invoke_tool] = known
        return known

    def invoke(self, context: ToolContext[Any], given: str) -> Awaitable[Any]:
        """Run it as the SDK does."""
        bare = self.bare
        if bare.timeout_seconds is None and hasattr(bare.on_invoke_tool, "__agents_bind_function_tool__"):
            # The SDK's own: it takes the whole context, and need not be asked.
            return bare.on_invoke_tool(context, given)
        return invoke_function_tool(function_tool=bare, context=context, arguments=given)


def speaker(tool: FunctionTool, settings: Settings) -> object:
    """The policy given for the tool, else its own, else that of its function; None if there is none."""
    given = settings.policies.get(tool.qualified_name)
    if given is not None:
        return given
    return next((each for each in (tool, function_of(tool)) if hasattr(each, "check_approval")), None)
