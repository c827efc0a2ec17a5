"""The tools of the agent: files and commands in the words it knows, and anyone's beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from assent.agent._model import Block
from assent.config import SandboxPath
from assent.functions import FunctionTool
from assent.model import Tool

if TYPE_CHECKING:
    from assent.config import Settings

HERE: Final = "work"
"""The name of the folder the agent works in, where the configuration names none."""
_ANYTHING: Final[Mapping[str, object]] = {"type": "object"}


def settings_for(settings: Settings, cwd: Path, *, auto_approve_read: bool) -> Settings:
    """The settings, with the working folder as the one place if they name none; reads may be made to ask.

    Raises:
        ConfigError: the record would lie where the agent may write.
    """
    paths = dict(settings.sandbox.paths) or {HERE: SandboxPath(root=cwd, mode="rw")}
    if not auto_approve_read:
        paths = {name: replace(path, read_approval=True) for name, path in paths.items()}
    return replace(settings, sandbox=replace(settings.sandbox, paths=paths))


def described(tool: Tool) -> Block:
    """The tool as the API wants to know it."""
    return {"name": tool.name, "description": _description(tool), "input_schema": dict(schema_of(tool))}


def as_tool(tool: Tool | Callable[..., object]) -> Tool:
    """A plain function becomes a tool that asks, unless it says otherwise."""
    return tool if isinstance(tool, Tool) else FunctionTool(tool)


def _description(tool: Tool) -> str:
    text = getattr(tool, "description", None)
    if isinstance(text, str):
        return text
    source = tool.function if isinstance(tool, FunctionTool) else tool
    return (source.__doc__ or tool.name).strip()


def schema_of(tool: object) -> Mapping[str, object]:
    """The JSON Schema of a tool's arguments; of one that says nothing of them, any object."""
    schema = getattr(tool, "schema", None)
    if isinstance(schema, Mapping):
        return cast("Mapping[str, object]", schema)
    if isinstance(tool, FunctionTool):
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUserError

        # Arguments that JSON Schema cannot say are described as anything; the tool checks them itself.
        with suppress(PydanticUserError):
            function: Any = tool.function
            return TypeAdapter[object](function).json_schema()
    return _ANYTHING
