"""What the SDK makes of a tool's exception, once the record has it."""

from __future__ import annotations

import inspect
from typing import Any

from agents import FunctionTool
from agents.exceptions import ToolTimeoutError
from agents.tool import default_tool_timeout_error_message, maybe_invoke_function_tool_failure_error_function
from agents.tool_context import ToolContext


async def failed(tool: FunctionTool, context: ToolContext[Any], error: Exception) -> Any:  # noqa: ANN401 — a result
    """What the model is told, by the tool's own settings; raises the error if they say so."""
    if isinstance(error, ToolTimeoutError) and tool.timeout_seconds is not None:
        return await _timed_out(tool, context, error)
    # A tool that was built by hand has none of this: its exceptions end the run.
    handles = hasattr(tool.on_invoke_tool, "__agents_bind_function_tool__")
    text = handles and await maybe_invoke_function_tool_failure_error_function(
        function_tool=tool, context=context, error=error
    )
    if not handles or text is None:
        raise error
    return text


async def _timed_out(tool: FunctionTool, context: ToolContext[Any], error: ToolTimeoutError) -> Any:  # noqa: ANN401
    if tool.timeout_behavior == "raise_exception":
        raise error
    if tool.timeout_error_function is None:
        return default_tool_timeout_error_message(tool_name=tool.name, timeout_seconds=error.timeout_seconds)
    text = tool.timeout_error_function(context, error)
    return await text if inspect.isawaitable(text) else text
