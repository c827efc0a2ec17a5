"""Asking people at a terminal."""

from assent.ui._draw import draw
from assent.ui._terminal import TerminalApprover
from assent.ui._visible import visible

__all__ = ["TerminalApprover", "draw", "visible"]
