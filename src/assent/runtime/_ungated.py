"""Tools without a gate: nobody is asked, and the tools' own limits hold all the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from assent.errors import ToolError, UnknownTool
from assent.runtime._session import error_result


class RunsBare(Protocol):
    """A tool that can also be run without a permit."""

    @property
    def name(self) -> str:
        """What the model calls it."""
        ...

    async def ungated(self, args: Mapping[str, object], /) -> object:
        """Do it within its own limits, or raise `ToolError`."""
        ...


class Ungated:
    """Calls tools directly, by the explicit choice of whoever makes one; nothing is on the record."""

    def __init__(self, tools: Iterable[RunsBare]) -> None:
        self.tools = {tool.name: tool for tool in tools}

    async def call(self, name: str, args: Mapping[str, object]) -> object:
        """The tool's result, or `{"error": code, "message": text}`."""
        try:
            if name not in self.tools:
                raise UnknownTool(name, list(self.tools))
            return await self.tools[name].ungated(args)
        except ToolError as error:
            return error_result(error)
