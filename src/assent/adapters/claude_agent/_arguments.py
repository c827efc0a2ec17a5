"""The arguments of a tool that runs in this process: checked as the SDK checks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import jsonschema  # type: ignore[import-untyped]
from claude_agent_sdk import (
    SdkMcpTool,
    _build_input_schema,  # pyright: ignore[reportPrivateUsage] — the schema that the SDK itself checks with
)

from assent.errors import InvalidArguments

_check = cast("Callable[..., None]", jsonschema.validate)
_EXACT = 2**53 - 1
"""Beyond it, JavaScript's numbers do not have every whole number any more."""
_SPELLED_OUT = 1e21
"""From here on, JavaScript writes whole numbers with an exponent, and they come back as they were."""


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
        filled = as_numbered({**self._defaults, **given})
        try:
            _check(instance=filled, schema=self.schema)
        except jsonschema.ValidationError as error:
            message = f"the arguments do not fit {self.tool.name}: {cast('Any', error).message}"
            raise InvalidArguments(message) from error
        return filled


def as_numbered(args: Mapping[str, object]) -> dict[str, object]:
    """The arguments with the numbers that come back from Claude Code, which has only JavaScript's.

    Raises:
        InvalidArguments: it would change one of them.
    """
    return {name: _numbered(value) for name, value in args.items()}


def _numbered(value: object) -> object:
    if isinstance(value, Mapping):
        return as_numbered(cast("Mapping[str, object]", value))
    if isinstance(value, (list, tuple)):
        return [_numbered(each) for each in cast("Sequence[object]", value)]
    if isinstance(value, float) and value.is_integer() and abs(value) < _SPELLED_OUT:
        value = int(value)
    if isinstance(value, int) and abs(value) > _EXACT:
        raise InvalidArguments(
            f"{value} is beyond the whole numbers that Claude Code keeps exactly (up to {_EXACT}); give it as text"
        )
    return value
