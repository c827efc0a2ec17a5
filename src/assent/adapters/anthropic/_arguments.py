"""A tool's arguments as JSON data: what is shown, judged, bound, and then handed to the tool."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from anthropic.lib.tools import (
    BetaAsyncBuiltinFunctionTool,
    BetaAsyncFunctionTool,
    BetaBuiltinFunctionTool,
    BetaFunctionTool,
)
from pydantic import validate_call
from pydantic_core import to_jsonable_python

from assent.errors import InvalidArguments, Unspellable
from assent.model import is_spellable

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
        self._is_plain = callable(function) and _is_plain(function)

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
        except Exception as error:  # whatever a validator raises, only this call suffers from it
            raise InvalidArguments(f"the arguments do not fit {self.name}: {error}") from error
        # Defaults are not validated, so they may be anything.
        if self._is_plain and _PLAIN.issuperset(map(type, taken.values())):
            return taken
        return self._whole(taken, self._take)

    def _whole(
        self, taken: dict[str, object], take: Callable[[dict[str, object]], dict[str, object]]
    ) -> dict[str, object]:
        """The words for it, if the tool gets the same from them.

        The tool validates what is approved once more: a secret or excluded field would be lost, and a
        validator that changes its own result (a decoder, a conversion of units) would change it unseen.
        """
        try:
            words = cast("dict[str, object]", to_jsonable_python(taken))
            whole = take(words) == taken
        except Exception:  # noqa: BLE001 — whatever a validator raises, these words do not stand for the arguments
            whole, words = False, {}
        if not whole:
            what = "is not written whole (excluded or secret) or that a validator changes again when the tool runs"
            raise Unspellable("arguments", f"data of {self.name} that {what}")
        return words


def _taker(function: Callable[..., object]) -> Callable[[dict[str, object]], dict[str, object]]:
    """The function's own validation without the function: what it would be called with, by name."""

    def take(*args: object, **named: object) -> tuple[tuple[object, ...], dict[str, object]]:
        return args, named

    signature = inspect.signature(function)
    checked = validate_call(functools.update_wrapper(take, function))
    rest = next((each.name for each in signature.parameters.values() if each.kind is each.VAR_KEYWORD), None)
    defaults = {each.name: each.default for each in signature.parameters.values() if each.default is not each.empty}
    shown = {name: value for name, value in defaults.items() if is_spellable(value)}

    def taken(given: dict[str, object]) -> dict[str, object]:
        args, named = checked(**given)
        values = dict(signature.bind(*args, **named).arguments)
        more = cast("dict[str, object]", values.pop(rest, {})) if rest is not None else {}
        return {**shown, **{name: value for name, value in values.items() if name in given}, **more}

    return taken


def _is_plain(function: Callable[..., object]) -> bool:
    """Whether every value is of a type that reads itself back as it is: text, a number, true, false, null."""
    try:
        hints = get_type_hints(function, include_extras=True)
        names = inspect.signature(function).parameters
    except (NameError, TypeError):
        return False
    return all(_PLAIN.issuperset(_kinds(hints.get(name))) for name in names)


def _kinds(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
