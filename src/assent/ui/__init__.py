"""Asking people at a terminal; what draws and asks is loaded when somebody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assent.ui._visible import visible

if TYPE_CHECKING:
    from assent.ui._terminal import TerminalApprover

__all__ = ["TerminalApprover", "visible"]


def __getattr__(name: str) -> object:
    if name == "TerminalApprover":
        from assent.ui._terminal import TerminalApprover

        return TerminalApprover
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
