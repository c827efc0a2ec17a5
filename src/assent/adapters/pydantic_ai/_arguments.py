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
        return cast("dict[str, object]", to_jsonable_python(dict(args), bytes_mode="utf8"))
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
        back = taken(tool, words, context)
        whole = all(name in back and back[name] == value for name, value in args.items())
    except Exception:  # noqa: BLE001 — what cannot be read back is not whole, whatever the reason
        whole = False
    if not whole:
        why = "(excluded, secret, or changed by validators)"
        raise Unspellable("arguments", f"data of {tool.tool_def.name} that is not written whole {why}")
    return words


def taken(tool: ToolsetTool[Any], words: Mapping[str, object], context: object) -> dict[str, Any]:
    """JSON data as the tool takes it."""
    return cast("dict[str, Any]", tool.args_validator.validate_json(to_json(words), context=context))


def proposed(tool: ToolsetTool[Any], words: str | dict[str, Any] | None, context: object) -> dict[str, Any]:
    """What the model wrote, as PydanticAI takes it before it runs the tool.

    Raises:
        GateFailed: it does not fit.
    """
    validator = tool.args_validator
    try:
        if isinstance(words, str):
            return cast("dict[str, Any]", validator.validate_json(words or "{}", context=context))
        return cast("dict[str, Any]", validator.validate_python(words or {}, context=context))
    except Exception as error:
        raise GateFailed("call", f"the arguments do not fit {tool.tool_def.name}: {error}") from error


def still(call: ToolCall, args: Mapping[str, Any]) -> bool:
    """Whether the tool's arguments are those of the call: a validator may give it what others change meanwhile."""
    return _is_plain(args) or replace(call, args=spelled(args)).digest == call.digest


def approved_arguments(call: ToolCall, tool: ToolsetTool[Any], context: object) -> dict[str, Any]:
    """What the tool is given where a person changed the call: nothing else than they approved.

    Raises:
        GateFailed: the tool's own validators change it once more.
    """
    given = taken(tool, call.arguments(), context)
    if replace(call, args=spelled(given)).digest != call.digest:
        name = tool.tool_def.name
        raise GateFailed("call", f"the validators of {name} change what was approved; edit it so that they do not")
    return given
