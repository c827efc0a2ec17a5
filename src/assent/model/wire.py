"""JSON and JSON Schema for every value, through pydantic; the core does not load this."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import TypeAdapter

from assent.model._decision import ApprovalDecision
from assent.model._permit import Permit

T = TypeVar("T")


class _Adapters(dict[object, TypeAdapter[Any]]):
    """What pydantic knows of each kind of value, made when it is first needed."""

    def __missing__(self, kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 — whatever pydantic takes
        if kind is Permit:
            message = "a permit does not travel: it is good in the process whose gate made it"
            raise TypeError(message)
        self[kind] = made = TypeAdapter(kind)
        return made


_adapters = _Adapters()


def dump(value: object) -> str:
    """The value as JSON text."""
    # Past the adapter, which has options for every use and takes as long as the work itself.
    return _adapters[type(value)].serializer.to_json(value).decode()


def dump_decision(decision: ApprovalDecision) -> str:
    """The answer as short JSON text: its `kind`, and what is not as it mostly is."""
    said = _adapters[type(decision)].serializer.to_json(decision, exclude_defaults=True).decode()
    kind = f'{{"kind":"{decision.kind}"'
    return f"{kind}}}" if said == "{}" else f"{kind},{said[1:]}"


def load(kind: type[T], text: str | bytes) -> T:
    """The value that `dump` wrote.

    Raises:
        pydantic.ValidationError: the text is not such a value.
    """
    value: T = _adapters[kind].validate_json(text)
    return value


def load_decision(text: str | bytes) -> ApprovalDecision:
    """The answer that `dump` or `dump_decision` wrote; its `kind` must be there."""
    decision: ApprovalDecision = _adapters[ApprovalDecision].validate_json(text)
    return decision


def schema(kind: object) -> dict[str, object]:
    """The JSON Schema of a value, for whoever writes or reads it elsewhere."""
    return _adapters[kind].json_schema()
