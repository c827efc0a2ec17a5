"""The arguments of a tool that runs in this process: checked as the SDK checks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import jsonschema  # type: ignore[import-untyped]
from claude_agent_sdk import (
    SdkMcpTool,
    _build_input_schema,  # pyright: ignore[reportPrivateUsage] — the schema that the SDK itself checks with
)

from assent.errors import InvalidArguments

_check = cast("Callable[..., None]", jsonschema.validate)


class Shape:
    """What arguments a tool takes; worked out once, as every call needs it."""

    def __init__(self, tool: SdkMcpTool[Any]) -> None:
        self.tool = tool
        self.schema: dict[str, Any] = _build_input_schema(tool)
        fields = cast("Mapping[str, object]", self.schema.get("properties") or {})
        described = {
            name: cast("Mapping[str, object]", each) for name, each in fields.items() if isinstance(each, dict)
        }
        self._defaults = {name: each["default"] for name, each in described.items() if "default" in each}

    def validated(self, given: Mapping[str, object]) -> dict[str, object]:
        """The arguments as the tool would take them.

        Raises:
            InvalidArguments: they do not fit.
        """
        filled = {**self._defaults, **given}
        try:
            _check(instance=filled, schema=self.schema)
        except jsonschema.ValidationError as error:
            message = f"the arguments do not fit {self.tool.name}: {cast('Any', error).message}"
            raise InvalidArguments(message) from error
        return filled
