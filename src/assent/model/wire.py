"""JSON and JSON Schema for every value, through pydantic; the core does not load this."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter

from assent.model._decision import ApprovalDecision

T = TypeVar("T")

# An answer says what kind it is: the first kind that fits the fields would be `approve`.
_DECISION = Annotated[ApprovalDecision, Field(discriminator="kind")]


_adapters: dict[object, TypeAdapter[Any]] = {}


def _adapter(kind: object) -> TypeAdapter[Any]:
    if kind not in _adapters:
        exact: Any = _DECISION if kind == ApprovalDecision else kind
        _adapters[kind] = TypeAdapter(exact)
    return _adapters[kind]


def dump(value: object) -> str:
    """The value as JSON text."""
    return _adapter(type(value)).dump_json(value).decode()


def load(kind: type[T], text: str | bytes) -> T:
    """The value that `dump` wrote.

    Raises:
        pydantic.ValidationError: the text is not such a value.
    """
    value: T = _adapter(kind).validate_json(text)
    return value


def load_decision(text: str | bytes) -> ApprovalDecision:
    """The answer that `dump` wrote; its `kind` must be there."""
    decision: ApprovalDecision = _adapter(ApprovalDecision).validate_json(text)
    return decision


def schema(kind: object) -> dict[str, object]:
    """The JSON Schema of a value, for whoever writes or reads it elsewhere."""
    return _adapter(kind).json_schema()
