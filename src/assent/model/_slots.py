"""Filling a frozen value that is made for every call, without the price of a frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

opened: Callable[[object, type], None] = vars(object)["__class__"].__set__
"""Turns a value into its open twin, past the guard that a frozen one has."""


def open_twin(kind: Any) -> Any:  # noqa: ANN401 — any slotted class
    """The same slots without a guard: filled as this, a value then becomes a `kind`.

    A slot of a frozen dataclass takes a call to be set; here it takes an assignment.
    """
    return type(f"Open{kind.__name__}", (), {"__slots__": kind.__slots__})
