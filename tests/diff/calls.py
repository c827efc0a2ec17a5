"""Counts how much is called while something runs: the same number on a busy machine and on a quiet one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


def calls(work: Callable[[], T]) -> tuple[int, T]:
    """How many functions were called, of Python and of C; and what came out."""
    count = 0

    def watch(_frame: FrameType, event: str, _of: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        result = work()
    finally:
        sys.setprofile(before)
    return count, result
