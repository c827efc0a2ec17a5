"""A tool's arguments as JSON data: what is shown, judged, bound, and then handed to the tool."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, cast

from anthropic.lib.tools import (
    BetaAsyncBuiltinFunctionTool,
    BetaAsyncFunctionTool,
    BetaBuiltinFunctionTool,
    BetaFunctionTool,
)
from pydantic import ValidationError, validate_call
from pydantic_core import PydanticSerializationError, to_jsonable_python

from assent.errors import InvalidArguments, Unspellable
from assent.model import freeze

SyncTool = BetaFunctionTool[Any] | BetaBuiltinFunctionTool
AsyncTool = BetaAsyncFunctionTool[Any] | BetaAsyncBuiltinFunctionTool
Runnable = SyncTool | AsyncTool

_PLAIN = frozenset({str, int, float, bool, type(None)})


class Shape:
    """What arguments a tool takes; worked out once, as every call needs it."""

    def __init__(self, tool: Runnable) -> None:
        self.tool = tool
        self.name = tool.name
        function = getattr(tool, "func", None)
        # Only a function says what it takes; any other tool checks its input when it runs.
        self._take = _taker(function) if callable(function) else None

    def spelled(self, given: object) -> dict[str, object]:
        """The arguments as the tool would take them, defaults included.

        Raises:
            InvalidArguments: they do not fit, so nobody is asked.
            Unspellable: they cannot be written whole, so a part would reach the tool unseen.
        """
        if not isinstance(given, Mapping):
            raise InvalidArguments(f"the arguments of {self.name} are an object, not {given!r}")
        named = dict(cast("Mapping[str, object]", given))
        if self._take is None:
            return named
        try:
            taken = self._take(named)
        except (ValidationError, TypeError) as error:
            raise InvalidArguments(f"the arguments do not fit {self.name}: {error}") from error
        return taken if _PLAIN.issuperset(map(type, taken.values())) else self._whole(taken, self._take)

    def _whole(
        self, taken: dict[str, object], take: Callable[[dict[str, object]], dict[str, object]]
    ) -> dict[str, object]:
        """The words for it, if the tool gets the same from them: a secret or excluded field would be lost."""
        try:
            words = cast("dict[str, object]", to_jsonable_python(taken))
            whole = take(words) == taken
        except (PydanticSerializationError, ValidationError, ValueError, TypeError):
            whole, words = False, {}
        if not whole:
            raise Unspellable("arguments", f"data of {self.name} that is not written whole (excluded or secret)")
        return words


def _taker(function: Callable[..., object]) -> Callable[[dict[str, object]], dict[str, object]]:
    """The function's own validation without the function: what it would be called with, by name."""

    def take(*args: object, **named: object) -> tuple[tuple[object, ...], dict[str, object]]:
        return args, named

    signature = inspect.signature(function)
    checked = validate_call(functools.update_wrapper(take, function))
    rest = next((each.name for each in signature.parameters.values() if each.kind is each.VAR_KEYWORD), None)
    defaults = {each.name: each.default for each in signature.parameters.values() if each.default is not each.empty}
    shown = {name: value for name, value in defaults.items() if _is_spellable(name, value)}

    def taken(given: dict[str, object]) -> dict[str, object]:
        args, named = checked(**given)
        values = dict(signature.bind(*args, **named).arguments)
        more = cast("dict[str, object]", values.pop(rest, {})) if rest is not None else {}
        return {**shown, **{name: value for name, value in values.items() if name in given}, **more}

    return taken


def _is_spellable(name: str, value: object) -> bool:
    try:
        freeze({name: value})
    except Unspellable:
        return False
    return True
