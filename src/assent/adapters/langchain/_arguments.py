"""A tool's arguments as JSON data: what is shown, judged, bound, and then handed to the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from assent.errors import InvalidArguments, Unspellable
from assent.model import freeze

# What pydantic calls the rest of a function's parameters; they are none of the model's unless it says so.
_SYNTHETIC = frozenset({"args", "kwargs"})


class Shape:
    """What arguments a tool takes; worked out once, as every call needs it."""

    def __init__(self, tool: BaseTool) -> None:
        self.tool = tool
        plain = tool.args_schema if isinstance(tool.args_schema, dict) else {}
        self._seen = frozenset[str](plain.get("properties", ()))
        self._schema = _model(tool.args_schema)
        self._hidden = frozenset[str]()
        seen = _model(tool.tool_call_schema) if self._schema else None
        if self._schema is not None and seen is not None:
            self._hidden = frozenset(self._schema.model_fields.keys() - seen.model_fields.keys())
            # What the model sees has lost the validators, so it is used only where LangGraph fills in the rest.
            self._schema = seen if self._hidden else self._schema
        self._synthetic = _SYNTHETIC.intersection(self._schema.model_fields if self._schema else ())

    def named(self, given: str | Mapping[str, Any]) -> dict[str, Any]:
        """The input by name; text alone is the tool's only argument."""
        return {next(iter(self.tool.args), "tool_input"): given} if isinstance(given, str) else dict(given)

    def spelled(self, given: Mapping[str, Any]) -> dict[str, object]:
        """The arguments as the tool would take them, defaults included, without what LangGraph injects.

        Raises:
            ValidationError: they do not fit, so nobody is asked.
            Unspellable: they cannot be written whole, so a part would reach the tool unseen.
        """
        if self._schema is None:
            # Plain JSON schema or none at all: LangChain hands the arguments on as they are.
            return {name: value for name, value in given.items() if name in self._seen or _is_spellable(name, value)}
        taken = self._schema.model_validate(
            {name: value for name, value in given.items() if name not in self._hidden} if self._hidden else given
        )
        unused = set(self._synthetic - taken.model_fields_set) if self._synthetic else None
        words = taken.model_dump(mode="json", by_alias=True, exclude=unused)
        if not _is_whole(words, taken):
            raise Unspellable(
                "arguments",
                f"data of {self.tool.name} that is not written whole (excluded, secret, or changed by validators)",
            )
        return words

    def validated(self, args: Mapping[str, object]) -> dict[str, object]:
        """The same for arguments that a person gave.

        Raises:
            InvalidArguments: they do not fit the tool.
        """
        try:
            return self.spelled(args)
        except ValueError as error:
            message = f"the edited arguments do not fit {self.tool.name}: {error}"
            raise InvalidArguments(message) from error

    def injected(self, given: Mapping[str, Any], words: Mapping[str, object]) -> dict[str, Any]:
        """What LangGraph adds beside the arguments: nothing that the model could have written."""
        known = self._schema.model_fields if self._schema else {}
        return {name: value for name, value in given.items() if name not in words and name not in known}


def _is_whole(words: Mapping[str, object], taken: BaseModel) -> bool:
    """Whether the tool gets the same from what was written as from what it was given."""
    # Also of plain text: the tool reads it once more, and its validators may change it every time.
    try:
        return type(taken).model_validate(words) == taken
    except ValueError:
        return False


def _model(schema: object) -> type[BaseModel] | None:
    return schema if isinstance(schema, type) and issubclass(schema, BaseModel) else None


def _is_spellable(name: str, value: object) -> bool:
    try:
        freeze({name: value})
    except Unspellable:
        return False
    return True
