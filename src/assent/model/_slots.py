"""Filling a frozen value that is made for every call, without the price of a frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def slot_setters(kind: type) -> tuple[Callable[[Any, object], None], ...]:
    """What fills each slot of a class, in the order of its fields; for its own `__init__` only."""
    return tuple(vars(kind)[name].__set__ for name in kind.__slots__)
