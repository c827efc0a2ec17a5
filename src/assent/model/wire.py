"""JSON and JSON Schema for every value, through pydantic; the core does not load this."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import TypeAdapter

from assent.model._decision import ApprovalDecision
from assent.model._permit import Permit

T = TypeVar("T")

_adapters: dict[object, TypeAdapter[Any]] = {}


def _adapter(kind: object) -> TypeAdapter[Any]:
    if kind is Permit:
        message = "a permit does not travel: it is good in the process whose gate made it"
        raise TypeError(message)
    if kind not in _adapters:
        exact: Any = kind
        _adapters[kind] = TypeAdapter(exact)
    return _adapters[kind]


def dump(value: object) -> str:
    """The value as JSON text."""
    # Past the adapter, which has options for every use and takes as long as the work itself.
    return _adapter(type(value)).serializer.to_json(value).decode()


def dump_decision(decision: ApprovalDecision) -> str:
    """The answer as short JSON text: its `kind`, and what is not as it mostly is."""
    said = _adapter(type(decision)).serializer.to_json(decision, exclude_defaults=True).decode()
    kind = f'{{"kind":"{decision.kind}"'
    return f"{kind}}}" if said == "{}" else f"{kind},{said[1:]}"


def load(kind: type[T], text: str | bytes) -> T:
    """The value that `dump` wrote.

    Raises:
        pydantic.ValidationError: the text is not such a value.
    """
    value: T = _adapter(kind).validate_json(text)
    return value


def load_decision(text: str | bytes) -> ApprovalDecision:
    """The answer that `dump` or `dump_decision` wrote; its `kind` must be there."""
    decision: ApprovalDecision = _adapter(ApprovalDecision).validate_json(text)
    return decision


def schema(kind: object) -> dict[str, object]:
    """The JSON Schema of a value, for whoever writes or reads it elsewhere."""
    return _adapter(kind).json_schema()
