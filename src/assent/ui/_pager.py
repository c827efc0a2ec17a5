"""Reading all of something: in `less`, where it is installed, else page by page."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from assent.ui._front import run_in_front
from assent.ui._keys import INTERRUPT, REDRAW, Keyboard
from assent.ui._tty import Tty
from assent.ui.draw import Look

Lines = Callable[[Look], Iterator[str]]

# Every character of the prompt is our own: `less` gives a meaning to . : ? % and \.
_PROMPT: Final = "q = back to the question, space = more, / = search ?e(end)."
_FORWARD: Final = frozenset({" ", "f", "page down"})
_BACK: Final = frozenset({"b", "page up"})
_STEPS: Final = {"j": 1, "down": 1, "enter": 1, "k": -1, "up": -1}
_ENDS: Final = {"g": 0, "home": 0, "G": None, "end": None}
_LEAVE: Final = frozenset({"q", "escape", INTERRUPT})
_KEYS: Final = _FORWARD | _BACK | _LEAVE | _STEPS.keys() | _ENDS.keys()


async def page(lines: Lines, tty: Tty, keys: Keyboard, look: Callable[[], Look]) -> bool:
    """Show it until the person has seen enough, and whether its end was shown; no key pressed there decides."""
    keys.fresh()
    if keys.is_interrupted:
        return False
    less = _less()
    # `less` takes its keys from the controlling terminal, whatever it is told.
    if less is None or tty.simple or not tty.in_front():
        return await _read(lines, tty, keys, look)
    command = [less, "-R", "-L", f"-P{_PROMPT}"]
    ended = await run_in_front(command, tty, environment=_environment(), lines=lines(look()))
    # Where it failed, who knows what it has shown.
    return await _read(lines, tty, keys, look) if ended.code else ended.took_all


def _less() -> str | None:
    """Where `less` is; none if the person wants another pager, which could run anything."""
    try:
        wanted = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    except ValueError:
        return None
    return shutil.which(wanted[0]) if Path(wanted[0]).name == "less" else None


def _environment() -> dict[str, str]:
    """Without what makes `less` start programs or write files, or draw anything but text and colours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LESS")}
    return {**kept, "LESSSECURE": "1", "LESSHISTFILE": "-", "LESSCHARSET": "utf-8"}


async def _read(lines: Lines, tty: Tty, keys: Keyboard, look: Callable[[], Look]) -> bool:
    """Our own pager: on a screen of its own, where the terminal has one."""
    with tty.alternate():
        text, top, seen = _Text(lines(look())), 0, False
        while True:
            room = max(1, look().height - 2)
            shown = text.window(top, room)
            at_end = not text.window(top + room, 1)
            seen = seen or at_end
            how = "end" if at_end else f"line {top + 1}"
            tty.show("\n".join([*shown, f"-- {how} -- space = more, b = back up, q = back to the question"]))
            match await keys.key(at_once=_KEYS):
                case key if key in _LEAVE:
                    return seen
                case key if key in _FORWARD:
                    top = top if at_end else top + room
                case key if key in _BACK:
                    top = max(0, top - room)
                case key if key in _STEPS:
                    top = max(0, top + _STEPS[key]) if not at_end or _STEPS[key] < 0 else top
                case key if key in _ENDS:
                    top = 0 if _ENDS[key] == 0 else max(0, text.length() - room)
                case key if key == REDRAW:
                    text = _Text(lines(look()))
                case _:
                    pass


class _Text:
    """Lines that are made when somebody looks at them."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._coming = lines
        self._made: list[str] = []

    def window(self, top: int, size: int) -> list[str]:
        missing = top + size - len(self._made)
        self._made.extend(itertools.islice(self._coming, max(0, missing)))
        return self._made[top : top + size]

    def length(self) -> int:
        self._made.extend(self._coming)
        return len(self._made)
