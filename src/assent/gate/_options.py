"""How a gate is set up: what its options may be, and where its record lies by default."""

from __future__ import annotations

from typing import Literal, get_args

from assent.config import Mode
from assent.model import Store

Timeout = float | Literal["default"] | None
"""Seconds a question may wait; None: for ever; "default": as the gate says."""


def check_options(mode: object, *timeouts: object) -> None:
    """Raise `ValueError` for what is no mode or no time limit."""
    if mode not in get_args(Mode):
        message = f"{mode!r} is no mode; interactive, approve_all and strict are"
        raise ValueError(message)
    for timeout in timeouts:
        if timeout is not None and not (isinstance(timeout, (int, float)) and timeout > 0):
            message = f"{timeout!r} is no time limit; seconds above 0 are, and None waits for ever"
            raise ValueError(message)


def default_store() -> Store:
    """The record in the user's state directory."""
    from assent.config import default_store_path
    from assent.store import SQLiteStore

    return SQLiteStore(default_store_path())
