"""How a gate is set up: what its options may be, and where its record lies by default."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Literal, get_args

from assent.config import Mode
from assent.errors import shown
from assent.functions import check_policy
from assent.model import Store

Timeout = float | Literal["default"] | None
"""Seconds a question may wait; None: for ever; "default": as the gate says."""


def check_options(mode: object, *timeouts: object) -> None:
    """Raise `ValueError` for what is no mode or no time limit."""
    if mode not in get_args(Mode):
        message = f"{mode!r} is no mode; interactive, approve_all and strict are"
        raise ValueError(message)
    for timeout in timeouts:
        check_timeout(timeout)


def check_timeout(timeout: object) -> None:
    """Raise `ValueError` for what is no time limit."""
    if timeout is None:
        return
    # To Python, True is a number.
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and isfinite(timeout) and timeout > 0:
        return
    message = f"{timeout!r} is no time limit; seconds above 0 are, and None waits for ever"
    raise ValueError(message)


def check_parts(approver: object, store: object) -> None:
    """Raise `TypeError` for what can neither be asked nor keep a record, before a call needs it."""
    if isinstance(approver, type):
        message = f"the approver {approver.__name__} is a class; give one of its objects: {approver.__name__}()"
        raise TypeError(message)
    if approver is not None and not (hasattr(approver, "decide") or hasattr(approver, "review")):
        message = f"{shown(approver)} is no approver: it needs decide(batch), as TerminalApprover() has"
        raise TypeError(message)
    if store is not None and not hasattr(store, "history"):
        message = f"{shown(store)} is no store; SQLiteStore(path) is one, and without a store the user's own is used"
        raise TypeError(message)


def check_gate(gate: object, policies: Mapping[str, object] | None = None) -> None:
    """Raise `TypeError` for what an adapter cannot work with, before a run needs it."""
    if gate is not None and not hasattr(gate, "admitting"):
        hint = f": write Gate(approver={type(gate).__name__}(…))" if hasattr(gate, "decide") else ""
        message = f"{shown(gate)} is no Gate{hint}"
        raise TypeError(message)
    for policy in (policies or {}).values():
        check_policy(policy)


def default_store() -> Store:
    """The record in the user's state directory."""
    from assent.config import default_store_path
    from assent.store import SQLiteStore

    return SQLiteStore(default_store_path())
