"""A message of the model and its calls, be it the SDK's own or what a database kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A call in a message of the model."""

    id: str
    name: str
    input: object


class Message:
    """What the model said: an object of the SDK, its dictionary, or its content alone."""

    def __init__(self, said: object) -> None:
        whole = said if not isinstance(said, list) else {"content": cast("list[object]", said)}
        content = _field(whole, "content")
        blocks = cast("Iterable[object]", content) if isinstance(content, list) else ()
        self.id = str(_field(whole, "id") or "")
        # Only then the calls are whole; content alone does not say why the model stopped.
        self.wants_tools = _field(whole, "stop_reason") in ("tool_use", None)
        self.calls = [
            Block(id=str(_field(each, "id")), name=str(_field(each, "name")), input=_field(each, "input"))
            for each in blocks
            if _field(each, "type") == "tool_use" and _field(each, "toolset_name") is None
        ]


def _field(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, dict) else getattr(value, name, None)
