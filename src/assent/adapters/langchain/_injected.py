"""What a tool gets beside the model's arguments: state, store, runtime and the id of the call."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, Literal, cast

from langchain_core.tools import BaseTool, InjectedToolCallId
from langgraph.prebuilt.tool_node import _get_all_injected_args  # pyright: ignore[reportPrivateUsage] — see `_filled_in`
from pydantic import BaseModel

FilledIn = Literal["yes", "maybe", "no"]
"""Whether LangGraph has put its own values in place of whatever the model wrote under their names."""


class Injected:
    """Which of a tool's arguments others fill in; worked out once, as every call needs it."""

    def __init__(self, tool: BaseTool, schema: type[BaseModel] | None) -> None:
        self._by_langgraph = _filled_in(tool)
        fields = schema.model_fields if schema else {}
        self._call_ids = tuple(name for name, field in fields.items() if any(map(_is_call_id, field.metadata)))
        self.declared: frozenset[str] = self._by_langgraph.union(set(fields) - _seen_by_the_model(tool))
        """Those that the model does not see."""

    def among(self, given: Mapping[str, Any], tool_call_id: str | None, filled_in: FilledIn) -> dict[str, Any]:
        """What came with a call and is none of the model's.

        Where LangGraph does not fill it in, nobody does: whatever came under such a name was written by the caller.
        Where it may have, it was not the model if nothing like it comes out of JSON; all else is shown.
        """
        found: dict[str, Any] = {}
        if filled_in != "no" and self._by_langgraph:
            sure = filled_in == "yes"
            names = (name for name in self._by_langgraph if name in given)
            found = {name: given[name] for name in names if sure or not _may_be_a_models(given[name])}
        if tool_call_id is not None and self._call_ids:
            # LangChain itself fills it in, whatever came with the call.
            found.update(dict.fromkeys(self._call_ids, tool_call_id))
        return found


def _may_be_a_models(value: object) -> bool:
    """Whether it is made of what comes out of JSON; also of what we could not spell again, as half characters."""
    left, seen = [value], set[int]()
    while left:
        each = left.pop()
        if isinstance(each, (dict, list)):
            inner = cast("dict[Any, object] | list[object]", each)
            left += [] if id(inner) in seen else inner.values() if isinstance(inner, dict) else inner
            seen.add(id(inner))
        elif not isinstance(each, (str, int, float, NoneType)):
            return False
    return True


def _filled_in(tool: BaseTool) -> frozenset[str]:
    """The names under which LangGraph puts its own values, in place of whatever the model wrote there."""
    # Asked of LangGraph itself: a name that only we take for its own would hide what the model wrote.
    try:
        known = _get_all_injected_args(tool)
    except Exception:  # noqa: BLE001 — a tool it cannot read, it cannot run either
        return frozenset()
    # State that the model sees as an argument is filled in only where the graph has it.
    state = known.state.keys() & known.all_injected_keys
    return frozenset(name for name in (*state, known.store, known.runtime) if name)


def _seen_by_the_model(tool: BaseTool) -> set[str]:
    schema = tool.tool_call_schema
    return set(schema.model_fields) if isinstance(schema, type) and issubclass(schema, BaseModel) else set()


def _is_call_id(mark: object) -> bool:
    return isinstance(mark, InjectedToolCallId) or (isinstance(mark, type) and issubclass(mark, InjectedToolCallId))
