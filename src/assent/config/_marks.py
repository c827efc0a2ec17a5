"""What a value in the file must be, told to pydantic without importing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from assent.config._places import default_store_path, locate

_Schema = dict[str, object]
_Handler = Callable[[object], _Schema]


def _describe(schema: _Schema, kind: type) -> None:
    # Pydantic 2.11 leaves out the docstring of a standard dataclass.
    schema["description"] = kind.__doc__


FILE_RULES: Final = {
    "extra": "forbid",
    "allow_inf_nan": False,
    "use_attribute_docstrings": True,
    "json_schema_extra": _describe,
}
"""For `__pydantic_config__`. Not `strict`: that would refuse mappings; each mark is strict instead."""

_TEXT: Final[_Schema] = {"type": "str", "strict": True, "min_length": 1}


class _Info(Protocol):
    @property
    def context(self) -> str: ...


class Seconds:
    """A number above 0; neither text nor a truth value stands for one."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return {**handler(source), "gt": 0, "strict": True}


class Flag:
    """true or false; neither text nor a number stands for one."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return {**handler(source), "strict": True}


class Bytes:
    """A whole number above 0."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return {**handler(source), "gt": 0, "strict": True}


class Suffix:
    """The end of a file name from a dot on, such as .md or .tar.gz."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return {**handler(source), "strict": True, "pattern": r"^\.[^/]+$"}


class Name:
    """The first part of a path as the model spells it, so it cannot hold a `/` or be `..`."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return {**handler(source), "strict": True, "pattern": "^[^/.][^/]*$"}


class OnlyNames:
    """No key but a `Name`, said in the JSON Schema too."""

    def __get_pydantic_json_schema__(self, core: object, handler: _Handler) -> _Schema:
        return {**handler(core), "additionalProperties": False}


class PlaceText:
    """A path written as text, relative to the folder of the file."""

    def __get_pydantic_core_schema__(self, _source: object, _handler: _Handler) -> _Schema:
        return _then(_place, _TEXT)


class StoreText:
    """A path written as text, or null for the default store."""

    def __get_pydantic_core_schema__(self, _source: object, _handler: _Handler) -> _Schema:
        return _then(_store, {"type": "nullable", "schema": _TEXT})


def _then(function: object, schema: _Schema) -> _Schema:
    return {"type": "function-after", "function": {"type": "with-info", "function": function}, "schema": schema}


def _place(text: str, info: _Info) -> Path:
    return locate(text, info.context)


def _store(text: str | None, info: _Info) -> Path:
    return default_store_path() if text is None else locate(text, info.context)
