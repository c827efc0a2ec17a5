"""A tool's arguments as JSON data: what is shown, judged, bound, and then handed to the tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from agents import FunctionTool
from agents.function_schema import function_schema
from pydantic import BaseModel, TypeAdapter

from assent.errors import InvalidArguments, Unspellable

_PLAIN = frozenset({str, int, float, bool, type(None)})


class Shape:
    """What a tool is called, and what arguments it takes."""

    def __init__(self, name: str, spell: Callable[[Mapping[str, Any]], dict[str, Any]] = dict) -> None:
        self.name = name
        self._spell = spell

    @classmethod
    def of(cls, tool: FunctionTool) -> Shape:
        """By the function's own parameters; what was built by hand takes JSON as it is."""
        model = _model(tool)
        if model is None:
            return cls(tool.qualified_name)
        # Not the tool itself: what is remembered of it must not keep it.
        name = tool.qualified_name
        return cls(name, lambda given: _spelled(name, model(**given)))

    @classmethod
    def by(cls, name: str, adapter: TypeAdapter[Any]) -> Shape:
        """By a type that pydantic knows."""
        return cls(
            name, lambda given: adapter.dump_python(adapter.validate_python(given), mode="json", exclude_none=True)
        )

    def words(self, given: str) -> dict[str, Any]:
        """The model's own words.

        Raises:
            InvalidArguments: they are no JSON object, so nobody is asked.
        """
        try:
            words: object = json.loads(given)
        except ValueError as error:
            raise InvalidArguments(f"the arguments of {self.name} are no JSON ({{}} means none): {error}") from error
        if not isinstance(words, dict):
            raise InvalidArguments(f"the arguments of {self.name} are no JSON object")
        return cast("dict[str, Any]", words)

    def spelled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the tool would take them; defaults are among them.

        Raises:
            InvalidArguments: they do not fit, so nobody is asked.
            Unspellable: they cannot be written whole, so a part would reach the tool unseen.
        """
        try:
            return self._spell(given)
        except ValueError as error:
            raise InvalidArguments(f"the arguments do not fit {self.name}: {error}") from error


def function_of(tool: object) -> object:
    """The Python function behind a tool, if that is what it is made of."""
    return getattr(tool, "__wrapped__", None)


def _model(tool: FunctionTool) -> type[BaseModel] | None:
    function = function_of(tool)
    if function is None:
        return None
    try:
        # The same parameters that the SDK made the tool from; descriptions do not matter here.
        schema = function_schema(
            cast("Callable[..., Any]", function), use_docstring_info=False, strict_json_schema=False
        )
    except Exception:  # noqa: BLE001 — callables that only the decorator understands; the tool validates for itself
        return None
    return schema.params_pydantic_model


def _spelled(name: str, taken: BaseModel) -> dict[str, Any]:
    """What was taken, in words that the tool takes in the same way: it validates them once more."""
    words = dict(taken)
    if _PLAIN.issuperset(map(type, words.values())) and _is_whole(words, taken):
        return words
    words = taken.model_dump(mode="json", by_alias=True)
    if not _is_whole(words, taken):
        raise Unspellable("arguments", f"data of {name} that is not written whole (excluded, secret, or changed again)")
    return words


def _is_whole(words: Mapping[str, Any], taken: BaseModel) -> bool:
    try:
        return type(taken)(**words) == taken
    except ValueError:
        return False
