"""A tool's arguments as JSON data: what is shown, judged, bound, and then handed to the tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.toolsets import ToolsetTool
from pydantic_core import to_json, to_jsonable_python

from assent.errors import GateFailed, Unspellable
from assent.model import ToolCall

_PLAIN = frozenset({str, int, float, bool, type(None)})


def spelled(args: Mapping[str, Any]) -> dict[str, object]:
    """Arguments as JSON data: what is shown, judged and bound."""
    if _is_plain(args):
        return dict(args)
    try:
        return cast("dict[str, object]", to_jsonable_python(dict(args), bytes_mode="base64"))
    except Exception as error:
        raise Unspellable("arguments", f"data that pydantic cannot write ({error})") from error


def _is_plain(args: Mapping[str, Any]) -> bool:
    """Whether every argument is its own spelling, with nothing inside that could be left out."""
    return _PLAIN.issuperset(map(type, args.values()))


def spelled_whole(tool: ToolsetTool[Any], args: Mapping[str, Any], context: object) -> dict[str, object]:
    """The same for a tool's validated arguments, where nothing may be left out.

    A field that is excluded or masked when it is written would reach the tool unseen and unbound.
    """
    if _is_plain(args):
        return dict(args)
    words = spelled(args)
    try:
        back = tool.args_validator.validate_json(to_json(words), context=context)
        whole = all(name in back and back[name] == value for name, value in args.items())
    except Exception:  # noqa: BLE001 — what cannot be read back is not whole, whatever the reason
        whole = False
    if not whole:
        raise Unspellable("arguments", f"data of {tool.tool_def.name} that is not written whole (excluded or secret)")
    return words


def approved_arguments(call: ToolCall, tool: ToolsetTool[Any], context: object) -> dict[str, Any]:
    """What the tool is given where a person changed the call: nothing else than they approved.

    Raises:
        GateFailed: the tool's own validators change it once more.
    """
    given: dict[str, Any] = tool.args_validator.validate_python(call.arguments(), context=context)
    if replace(call, args=spelled(given)).digest != call.digest:
        name = tool.tool_def.name
        raise GateFailed("call", f"the validators of {name} change what was approved; edit it so that they do not")
    return given
