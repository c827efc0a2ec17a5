"""A tool's arguments as JSON data: what is shown, judged, bound, and then handed to the tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Literal, cast

from pydantic_ai.toolsets import ToolsetTool
from pydantic_core import to_json, to_jsonable_python

from assent.errors import GateFailed, Unspellable
from assent.model import ToolCall

_PLAIN = frozenset({str, int, float, bool, type(None)})
_BYTES: Final[tuple[Literal["utf8", "base64"], ...]] = ("utf8", "base64")
"""How bytes may have been written: as most types read them, and as those of base64 do."""


def spelled(args: Mapping[str, Any]) -> dict[str, object]:
    """Arguments as JSON data: what is shown, judged and bound."""
    return next(_spellings(args))


def _spellings(args: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    """What it may be as JSON data, the usual first."""
    if _is_plain(args):
        yield dict(args)
        return
    errors: list[Exception] = []
    for mode in _BYTES:
        try:
            yield to_jsonable_python(dict(args), bytes_mode=mode)
        except Exception as error:  # noqa: BLE001 — whatever it is, it is not written
            errors.append(error)
    if len(errors) == len(_BYTES):
        raise Unspellable("arguments", f"data that pydantic cannot write ({errors[0]})") from errors[0]


def _is_plain(args: Mapping[str, Any]) -> bool:
    """Whether every argument is its own spelling, with nothing inside that could be left out."""
    return _PLAIN.issuperset(map(type, args.values()))


def spelled_whole(tool: ToolsetTool[Any], args: Mapping[str, Any], context: object) -> dict[str, object]:
    """The same for a tool's validated arguments, where nothing may be left out.

    A field that is excluded or masked when it is written would reach the tool unseen and unbound.
    """
    if _is_plain(args):
        return dict(args)
    for words in _spellings(args):
        if _reads_back(tool, words, args, context):
            return words
    why = "(excluded, secret, or changed by validators)"
    raise Unspellable("arguments", f"data of {tool.tool_def.name} that is not written whole {why}")


def edited(tool: ToolsetTool[Any], args: Mapping[str, object], context: object) -> dict[str, object]:
    """A person's arguments as JSON data, as the tool would read them."""
    given = taken(tool, args, context)
    found = (words for words in _spellings(given) if _reads_back(tool, words, given, context))
    return next(found, None) or spelled(given)


def _reads_back(tool: ToolsetTool[Any], words: Mapping[str, object], args: Mapping[str, Any], context: object) -> bool:
    try:
        back = taken(tool, words, context)
        return all(name in back and back[name] == value for name, value in args.items())
    except Exception:  # noqa: BLE001 — what cannot be read back is not whole, whatever the reason
        return False


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


def is_unchanged(call: ToolCall, args: Mapping[str, Any]) -> bool:
    """Whether the tool's arguments are those of the call: a validator may give it what others change meanwhile."""
    return _is_plain(args) or _is_of(call, args)


def _is_of(call: ToolCall, args: Mapping[str, Any]) -> bool:
    return any(replace(call, args=words).digest == call.digest for words in _spellings(args))


def approved_arguments(call: ToolCall, tool: ToolsetTool[Any], context: object) -> dict[str, Any]:
    """What the tool is given where a person changed the call: nothing else than they approved.

    Raises:
        GateFailed: the tool's own validators change it once more.
    """
    given = taken(tool, call.arguments(), context)
    if not _is_of(call, given):
        name = tool.tool_def.name
        raise GateFailed("call", f"the validators of {name} change what was approved; edit it so that they do not")
    return given
