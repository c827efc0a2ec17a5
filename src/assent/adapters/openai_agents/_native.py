"""The SDK's tools that are no functions: those that run here pass the gate, or are refused at once."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from agents import (
    ApplyPatchTool,
    CodeInterpreterTool,
    CustomTool,
    FileSearchTool,
    HostedMCPTool,
    ImageGenerationTool,
    LocalShellTool,
    ShellTool,
    Tool,
    ToolSearchTool,
    WebSearchTool,
)
from agents.tool import ProgrammaticToolCallingTool

from assent.adapters.openai_agents._calls import Place
from assent.adapters.openai_agents._executors import Custom, Editor, LocalShell, Native, Shell
from assent.adapters.openai_agents._hosted import Hosted
from assent.errors import GateFailed

_ELSEWHERE = (
    CodeInterpreterTool,
    FileSearchTool,
    ImageGenerationTool,
    ProgrammaticToolCallingTool,
    ToolSearchTool,
    WebSearchTool,
)
_HERE: dict[type[Any], tuple[str, type[Native]]] = {
    ShellTool: ("executor", Shell),
    LocalShellTool: ("executor", LocalShell),
    ApplyPatchTool: ("editor", Editor),
    CustomTool: ("on_invoke_tool", Custom),
}


def gated_native(tool: Tool, place: Place) -> Tool:
    """The tool behind the gate, where every question waits for its answer.

    Raises:
        GateFailed: it runs here, and there is no place to stop it.
    """
    # Only function tools can be paused without losing what the model asked for.
    place = replace(place, settings=replace(place.settings, style="inline"))
    if isinstance(tool, _ELSEWHERE) or (isinstance(tool, ShellTool) and tool.executor is None):
        return tool
    if isinstance(tool, HostedMCPTool):
        config = {**tool.tool_config, "require_approval": "always"}
        return _with(tool, on_approval_request=Hosted(place), tool_config=config)
    for kind, (part, native) in _HERE.items():
        if isinstance(tool, kind):
            inner: object = getattr(tool, part)
            if not isinstance(inner, Native):
                return _with(tool, **{part: native(tool, inner, place)})
            stands = place.around(inner.place, tool.name)
            return tool if stands is inner.place else _with(tool, **{part: inner.moved(stands)})
    name = type(tool).__name__
    raise GateFailed("gate", f"a {name} runs here and cannot be put behind it; give it to an agent without a gate")


def _with(tool: Tool, **changes: object) -> Tool:
    made = copy.copy(tool)
    # The SDK's own approvals would ask a second time, and take the answer from whoever resumes.
    for name, value in {**changes, "needs_approval": False, "on_approval": None}.items():
        if hasattr(made, name):
            setattr(made, name, value)
    return made
