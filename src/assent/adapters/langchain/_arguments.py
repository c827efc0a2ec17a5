"""A tool's arguments as JSON data: what is shown, judged, bound, and then handed to the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from assent.adapters.langchain._injected import FilledIn, Injected
from assent.errors import GateFailed, InvalidArguments, Unspellable

# What pydantic calls the rest of a function's parameters; they are none of the model's unless it says so.
_SYNTHETIC = frozenset({"args", "kwargs"})


class Shape:
    """What arguments a tool takes; worked out once, as every call needs it."""

    def __init__(self, tool: BaseTool) -> None:
        self.tool = tool
        self._schema = _model(tool.args_schema)
        self._is_known = self._schema is not None or tool.args_schema is None or isinstance(tool.args_schema, dict)
        self._injected = Injected(tool, self._schema)
        # Written only if they came with the call.
        self._quiet = (_SYNTHETIC | self._injected.declared).intersection(
            self._schema.model_fields if self._schema else ()
        )

    def named(self, given: str | Mapping[str, Any]) -> dict[str, Any]:
        """The input by name; text alone is the tool's only argument."""
        return {next(iter(self.tool.args), "tool_input"): given} if isinstance(given, str) else dict(given)

    def injected(self, given: Mapping[str, Any], tool_call_id: str | None, filled_in: FilledIn) -> dict[str, Any]:
        """What others than the model put beside its arguments: the tool gets it, and nobody is shown it."""
        return self._injected.among(given, tool_call_id, filled_in)

    def spelled(self, given: Mapping[str, Any], injected: Mapping[str, Any]) -> dict[str, object]:
        """The arguments as the tool would take them, defaults included, without what is injected.

        Raises:
            ValidationError: they do not fit, so nobody is asked.
            Unspellable: they cannot be written whole, so a part would reach the tool unseen.
        """
        if self._schema is None:
            if not self._is_known:
                message = (
                    f"{self.tool.name} has none of pydantic 2, and its own may change what was approved; give it one"
                )
                raise GateFailed("schema", message)
            # Plain JSON schema or none at all: LangChain hands the arguments on as they are.
            return {name: value for name, value in given.items() if name not in injected}
        # With what is injected, as the tool itself reads them: its validators see all of it.
        taken = self._schema.model_validate({**given, **injected} if injected else given)
        unseen = {*injected, *(self._quiet - taken.model_fields_set)} if self._quiet or injected else None
        words = self._written(taken, unseen)
        if not _is_whole(words, taken, injected, unseen):
            raise self._unspellable("not written whole (excluded, secret, or changed by validators)")
        return words

    def validated(self, args: Mapping[str, object], injected: Mapping[str, Any]) -> dict[str, object]:
        """The same for arguments that a person gave.

        Raises:
            InvalidArguments: they do not fit the tool.
        """
        try:
            return self.spelled(args, injected)
        except ValueError as error:
            message = f"the edited arguments do not fit {self.tool.name}: {error}"
            raise InvalidArguments(message) from error

    def _written(self, taken: BaseModel, unseen: set[str] | None) -> dict[str, object]:
        try:
            return taken.model_dump(mode="json", by_alias=True, exclude=unseen)
        except Exception as error:
            raise self._unspellable(f"not written at all ({type(error).__name__}: {error})") from error

    def _unspellable(self, how: str) -> Unspellable:
        return Unspellable("arguments", f"data of {self.tool.name} that is {how}")


def _is_whole(
    words: Mapping[str, object], taken: BaseModel, injected: Mapping[str, Any], unseen: set[str] | None
) -> bool:
    """Whether the tool gets the same from what was written as from what it was given."""
    # Also of plain text: the tool reads it once more, and its validators may change it every time.
    try:
        again = type(taken).model_validate({**words, **injected} if injected else words)
        return again == taken if not unseen else _seen(again, unseen) == _seen(taken, unseen)
    except Exception:  # noqa: BLE001 — what cannot be compared is not the same
        return False


def _seen(taken: BaseModel, unseen: set[str]) -> dict[str, object]:
    return {name: value for name, value in taken if name not in unseen}


def _model(schema: object) -> type[BaseModel] | None:
    return schema if isinstance(schema, type) and issubclass(schema, BaseModel) else None
