"""Telling a person who looks elsewhere that a question waits."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from assent.ui._tty import Tty
from assent.ui._visible import visible

_BELL: Final = "\a"
_LONGEST: Final = 120
# The console of a machine has no title, and prints what it does not understand.
_NO_TITLE: Final = frozenset({"linux", "cons25", "vt100", "vt220"})


@contextmanager
def waiting(text: str, tty: Tty) -> Generator[None]:
    """Ring, notify, and say it in the title of the window for as long as it waits."""
    tty.say(_BELL, end="")
    if tty.simple or os.environ.get("TERM") in _NO_TITLE:
        yield
        return
    line = visible(text, keep="")[:_LONGEST]
    tty.say(f"\x1b]9;assent: {line}\a", end="")
    # Kept and put back: the terminal knows what the title was, we do not.
    with tty.switched(f"\x1b[22;0t\x1b]0;? {line}\a", "\x1b[23;0t"):
        yield
