"""One key at a time; what was typed before the question was read does not count."""

from __future__ import annotations

import asyncio
import math
import os
import re
import select
import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Final

from assent.ui._tty import EndOfInput, Tty
from assent.ui._turn import begin_turn

QUIET_SECONDS: Final = 0.35
"""How long nothing may have been typed before a key counts: whoever types meanwhile has not read."""
AGAIN_SECONDS: Final = 1.0
"""How long after a key counted the same one counts again: a key that is held begins to repeat after less."""
STARTLED_SECONDS: Final = 1.5
"""How long a question has to be there that comes in the place of one which went away by itself."""
ALONE_SECONDS: Final = 0.15
"""How long nothing may follow a key that may be held: where one waits longer than that to repeat, this tells."""
# What a terminal sends for one key, and what is pasted without marks, comes in one go; what a person types does not.
_BURST_SECONDS: Final = 0.03
_POLL_SECONDS: Final = 0.05
_SETTLED_SECONDS: Final = 0.2
_PASTE_SECONDS: Final = 1.0
_STOPPED_SECONDS: Final = 2.0
_MOST_BYTES: Final = 1 << 20
_PASTE_BEGINS, _PASTE_ENDS = b"\x1b[200~", b"\x1b[201~"
_PASTED: Final = re.compile(rb"\x1b\[200~.*?(?:\x1b\[201~|\Z)", re.DOTALL)
_ENDS: Final = ("intr", "quit")
_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?", re.DOTALL)
_ARROWS: Final = {"A": "up", "B": "down", "H": "home", "F": "end"}
_NAMES: Final = {
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\b": "backspace",
    **{f"\x1b{lead}{end}": name for lead in "[O" for end, name in _ARROWS.items()},
    **{f"\x1b[{number}~": name for numbers, name in (("17", "home"), ("48", "end")) for number in numbers},
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
}
_REPEATED: Final = re.compile(r"(\x1b[\[O]\d*[A-Z~]|.)\1+", re.DOTALL)
REDRAW: Final = "redraw"
"""Not a key: the window has another size, or the program was stopped and goes on."""
SEVERAL: Final = "several"
"""Not a key: something was pasted, or a key that no question knows."""
INTERRUPT: Final = "interrupt"
"""Ctrl-C at a terminal that is not ours to send signals for."""

Tick = Callable[[], None]


def _nothing() -> None:
    """What is done where nothing is to be done."""


@dataclass(slots=True)
class _Past:
    """What is known of a terminal from one question to the next."""

    counted: str = ""
    counted_at: float = -math.inf
    startled: bool = False


_pasts: Final[dict[str, _Past]] = {}


class Keyboard:
    """Reads a terminal that was taken."""

    def __init__(self, tty: Tty) -> None:
        self._tty = tty
        self._last = time.monotonic()
        self._size = tty.size()
        self._resized: float | None = None
        self._looked = time.monotonic()
        self._pressed: str | None = None
        self._past = _pasts.setdefault(tty.terminal, _Past())
        self._shown = self._last
        self._unheard: str | None = None

    def fresh(self) -> None:
        """Forget what was typed: something new was shown. But whoever wanted to interrupt it still does."""
        control, typed = self._tty.control(), _PASTED.sub(b"", self._tty.typed())
        ends = (control.get(byte) for byte in map(bytes, zip(typed, strict=True)))
        self._unheard = self._unheard or next((name for name in ends if name in _ENDS), None)
        self._tty.forget_typed()
        self._shown = self._last = self._looked = time.monotonic()
        self._size, self._resized = self._tty.size(), None

    @property
    def is_interrupted(self) -> bool:
        """Whether the person wants no more to be shown."""
        return self._unheard is not None

    def startle(self) -> None:
        """What was shown went away without a key: whoever is about to press one has not read what comes next."""
        self._past.startled = True

    async def key(self, *, at_once: Container[str] = (), ready: Tick = _nothing, tick: Tick = _nothing) -> str:
        """The next key that comes alone after a quiet moment, by its name or its character.

        `ready` is called when every key would count, `tick` now and then. A key `at_once` decides
        nothing, so it counts whenever it comes. Also given back: `REDRAW`, `SEVERAL`, `INTERRUPT`.

        Raises:
            EndOfInput: the terminal was closed, or the person said that nothing will follow.
        """
        said = False
        while True:
            before = self._last
            if (unheard := self._unheard) is not None:
                self._unheard = None
                return await self._signal(unheard)
            if await self._displaced():
                return REDRAW
            if not self._typed():
                if not said and self._is_ready(before):
                    said = True
                    ready()
                if self._moved():
                    return REDRAW
                tick()
                await asyncio.sleep(_POLL_SECONDS)
                continue
            begun = time.monotonic()
            burst = await self._burst()
            name = await self._named(burst)
            if name in (REDRAW, INTERRUPT):
                return name
            held, last = name or _held(burst), self._pressed
            self._pressed = held
            if held in at_once:
                return held
            if self._is_read(begun, before) and await self._is_pressed(held, begun, last):
                self._past.counted, self._past.counted_at = held, time.monotonic()
                self._past.startled = False
                return name or SEVERAL

    def _is_read(self, now: float, before: float) -> bool:
        """Whether what is shown can have been read by now."""
        return now - before >= QUIET_SECONDS and not (self._past.startled and now - self._shown < STARTLED_SECONDS)

    def _is_ready(self, before: float) -> bool:
        now = time.monotonic()
        return self._is_read(now, before) and now - self._past.counted_at >= AGAIN_SECONDS

    async def _is_pressed(self, key: str, begun: float, last: str | None) -> bool:
        """Whether it is a press of its own, and not of one that is still held: that one has decided already."""
        # Before the first key nobody knows which one is held: it may have answered somebody else's question.
        if last is not None and key not in (last, self._past.counted):
            return True
        if key == self._past.counted and begun - self._past.counted_at < AGAIN_SECONDS:
            return False
        alone = time.monotonic() + ALONE_SECONDS
        while not (followed := self._typed()) and time.monotonic() < alone:  # noqa: ASYNC110 — as `_typed` says
            await asyncio.sleep(_BURST_SECONDS)
        return not followed

    async def text(self) -> tuple[str, bool]:
        """What was typed or pasted next; and True, if it is no text but the name of a key or an event.

        Raises:
            EndOfInput: the terminal was closed, or the person said that nothing will follow.
        """
        while not self._typed():
            if await self._displaced() or self._moved():
                return REDRAW, True
            await asyncio.sleep(_POLL_SECONDS)
        burst = await self._burst()
        if (name := await self._named(burst)) in (REDRAW, INTERRUPT, "escape"):
            return name, True
        pasted = burst.startswith(_PASTE_BEGINS)
        plain = burst.replace(_PASTE_BEGINS, b"").replace(_PASTE_ENDS, b"").decode(errors="replace")
        plain = _SEQUENCE.sub("", plain)
        return " ".join(plain.split()) if pasted else plain, False

    def _typed(self) -> bool:
        # Looked at, not waited for: a thread that waits would hold the terminal after a cancel and take the
        # next key from its owner, and a loop cannot watch it on every system (kqueue and /dev/tty).
        return bool(select.select([self._tty.descriptor], [], [], 0)[0])

    async def _displaced(self) -> bool:
        """Whether other programs could ask here since; now it is our turn again."""
        if not self._tty.displaced:
            return False
        if await begin_turn(self._tty):
            self.startle()
        return self._drop()

    def _moved(self) -> bool:
        """Whether what was drawn is not what is on the screen any more."""
        now, self._looked, before = time.monotonic(), time.monotonic(), self._looked
        if not self._tty.is_ours():
            self._tty.take()
            return self._drop()
        if now - before > _STOPPED_SECONDS:
            return self._drop()
        if (size := self._tty.size()) != self._size:
            # A window that is dragged has many sizes on the way.
            self._size, self._resized = size, now
        return self._resized is not None and now - self._resized >= _SETTLED_SECONDS and self._drop()

    def _drop(self) -> bool:
        self._last, self._resized = time.monotonic(), None
        return True

    async def _burst(self) -> bytes:
        """All that comes in one go."""
        typed = self._read()
        pasting = time.monotonic() + _PASTE_SECONDS
        while len(typed) < _MOST_BYTES:
            await asyncio.sleep(_BURST_SECONDS)
            if self._typed():
                typed += self._read()
            elif _PASTE_BEGINS not in typed or _PASTE_ENDS in typed or time.monotonic() > pasting:
                break
        self._last = self._looked = time.monotonic()
        return typed

    def _read(self) -> bytes:
        try:
            typed = os.read(self._tty.descriptor, 4096)
        except OSError as error:
            # A terminal that is gone ends the input on one system and fails on another.
            raise EndOfInput from error
        if not typed:
            raise EndOfInput
        return typed

    async def _named(self, burst: bytes) -> str:
        """The name of the one key this is; nothing, if it is more or no key at all."""
        # Alone or among others, but not in what was pasted: whoever hammers on Ctrl-C means it.
        control = {} if burst.startswith(b"\x1b") else self._tty.control()
        meant = {control[byte] for byte in map(bytes, zip(burst, strict=True)) if byte in control}
        for name in (*_ENDS, "susp"):
            if name in meant:
                return await self._signal(name)
        if meant:
            raise EndOfInput
        text = burst.decode(errors="replace")
        return _NAMES.get(text, text if len(text) == 1 and text.isprintable() else "")

    async def _signal(self, name: str) -> str:
        if not self._tty.in_front():
            return INTERRUPT if name in ("intr", "quit") else ""
        self._tty.give_back()
        self._tty.say("")
        self._tty.send(name)
        if name != "susp":
            # Whoever is interrupted takes the question back; whoever is not is asked again.
            await asyncio.sleep(_STOPPED_SECONDS)
        await self._displaced()
        self._tty.take()
        self._drop()
        return REDRAW


def _held(burst: bytes) -> str:
    """The name of a key that is held down."""
    found = _REPEATED.fullmatch(burst.decode(errors="replace"))
    return _NAMES.get(found[1], found[1]) if found else ""
