"""Lengths of time, as people write and read them: `15m`, `2h`, `30d`."""

from __future__ import annotations

import argparse
import math
import re
from typing import Final

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_NAMES: Final = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


def seconds(text: str) -> float:
    """The length of a span such as `15m`; for argparse, which says what is wrong with it.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    found = re.fullmatch(r"([0-9]{1,9})([smhdw])", text)
    if not found or not int(found[1]):
        message = f"{text!r} is no span of time; write a number above 0 and s, m, h, d or w, such as 15m, 2h or 30d"
        raise argparse.ArgumentTypeError(message)
    return float(int(found[1]) * _SECONDS[found[2]])


def spoken(length: float) -> str:
    """A length in its largest unit, rounded down: 90 seconds are `1 min`."""
    whole = max(0, math.floor(length))
    for name, size in _NAMES:
        if whole >= size:
            return f"{whole // size} {name}"
    return "0 s"


def left(length: float) -> str:
    """How much time is left, rounded up: what has a moment left is not over."""
    return spoken(math.ceil(length)) if length > 0 else "over"
