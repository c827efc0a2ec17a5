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
from assent.adapters.openai_agents._calls import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
    """A tool, what arguments it takes, and how it is run."""

    tool: FunctionTool
    shape: Shape
    invoker: object
    bare: FunctionTool
    """The same, which lets its exceptions out: the record must not call a failure done."""

    @classmethod
    def of(cls, tool: FunctionTool, settings: Settings) -> Known:
        """From memory, if it is the same tool."""
        known = settings.known.get(id(tool))
        if known is None or known.tool is not tool or known.invoker is not tool.on_invoke_tool:
            bare = set_function_tool_failure_error_function(copy.copy(tool), None)
            bare.timeout_behavior = "raise_exception"
            known = cls(tool=tool, shape=Shape.of(tool), invoker=tool.on_invoke_tool, bare=bare)
            if function_of(tool) is not None:  # an MCP server's tools are made anew for every turn
                settings.known[id(tool)] = known
        return known

    def invoke(self, context: ToolContext[Any], given: str) -> Awaitable[Any]:
        """Run it as the SDK does."""
        if self.tool.timeout_seconds is None and hasattr(self.tool.on_invoke_tool, "__agents_bind_function_tool__"):
            # The SDK's own: it takes the whole context, and need not be asked.
            return self.bare.on_invoke_tool(context, given)
        return invoke_function_tool(function_tool=self.bare, context=context, arguments=given)


def speaker(tool: FunctionTool, settings: Settings) -> object:
    """The policy given for the tool, else its own, else that of its function; None if there is none."""
    function = function_of(tool)
    given = settings.policies.get(tool.qualified_name)
    own = next((each for each in (tool, function) if hasattr(each, "check_approval")), None)
    return given or own
