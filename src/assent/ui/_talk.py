"""The conversation with a person at a terminal: what is said, and which key is meant."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Final

from assent.config import Display
from assent.model import Clerk, Clock
from assent.ui._keys import INTERRUPT, REDRAW, SEVERAL, Keyboard, Tick
from assent.ui._line import Line
from assent.ui._pager import page
from assent.ui._tty import Tty
from assent.ui._wrap import cells, wrap
from assent.ui.draw import Colours, Drawing, Look

_PROMPT: Final = "> "
_SEVERAL: Final = "\nThat was more than one key: nothing is decided."
_NARROWEST: Final = 20
# What is drawn with where it can be: elsewhere each would be a number, and lines longer than we count.
_GLYPHS: Final = "─│┆↳›…⚠→·✓✗␍⟨⟩"
_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
# For whom every line is read aloud: not each second, but in time.
_ANNOUNCED: Final = (60, 30, 10)


class Interrupted(Exception):
    """The person pressed Ctrl-C, and nobody but us can hear it."""


class Talk:
    """A person at a terminal, for as long as one batch is asked."""

    def __init__(
        self, tty: Tty, *, clerk: Clerk | None, by: str, clock: Clock, display: Display, where: str, plain: bool
    ) -> None:
        self.tty = tty
        self.keys = Keyboard(tty)
        self.clerk = clerk
        self.by = by
        self.clock = clock
        self.where = where
        """Where answers are written down that outlive the run."""
        self._display = display
        self._plain = plain or not tty.spells(_GLYPHS)

    def look(self) -> Look:
        """How much room there is now."""
        size = self.tty.size()
        return Look(
            width=max(_NARROWEST, size.columns),
            height=size.lines,
            colours=_colours(simple=self.tty.simple),
            plain=self._plain,
            inline_lines=self._display.inline_lines,
            pager_lines=self._display.pager_lines,
            preview_lines=self._display.preview_lines,
        )

    def say(self, text: str) -> None:
        """Write it below what is there."""
        self.tty.say(text)

    def tell(self, text: str) -> None:
        """Write our own words, broken between them."""
        width = self.look().width
        self.say("\n".join(piece.rstrip() for line in text.split("\n") for piece in wrap(line, width)))

    async def choose(self, bar: str, keys: Container[str], *, expires: float | None = None) -> str:
        """Show what may be pressed, and wait for one of it; what was typed before does not count.

        Not only a key is given back: also `REDRAW`.

        Raises:
            EndOfInput: nobody is there any more.
            Interrupted: they want the program to end.
        """
        self.say(bar)
        left = _TimeLeft(self, expires)
        self.keys.fresh()
        while True:
            key = await self.key(ready=left.begin, tick=left.tick)
            if key == REDRAW:
                self.say("")
                return key
            if key in keys:
                self.say(key)
                return key
            left.end(_SEVERAL if key == SEVERAL else f"{key}\nNo such key here.")

    async def confirm(self, text: str, wanted: str) -> bool:
        """Whether this one key follows; any other one means no."""
        self.tell(text)
        self.keys.fresh()
        key = await self.key(ready=lambda: self.tty.say(_PROMPT, end=""))
        self.say(key if len(key) == 1 else "")
        return key == wanted

    async def key(self, *, at_once: Container[str] = (), ready: Tick, tick: Tick | None = None) -> str:
        """As `Keyboard.key`, but Ctrl-C is no key.

        Raises:
            EndOfInput: nobody is there any more.
            Interrupted: they want the program to end.
        """
        key = await self.keys.key(at_once=at_once, ready=ready, tick=tick or _nothing)
        if key == INTERRUPT:
            raise Interrupted
        return key

    async def words(self, text: str) -> str | None:
        """The line that is typed next; None if the person would rather go back.

        Raises:
            EndOfInput: nobody is there any more.
            Interrupted: they want the program to end.
        """
        self.tell(text)
        line = Line(self.tty, self.look().width)
        while not line.done:
            typed, named = await self.keys.text()
            if not named:
                line.add(typed)
            elif typed == INTERRUPT:
                raise Interrupted
            elif typed == REDRAW:
                line.begin(self.look().width)
            else:
                self.say("")
                return None
        self.say("")
        return line.text.strip()

    async def read(self, lines: Callable[[Look], Iterator[str]]) -> bool:
        """Show all of it in the pager; whether its end was shown."""
        return await page(lines, self.tty, self.keys, self.look)

    def shows(self, drawing: Drawing) -> bool:
        """Whether all of it is on the screen: a narrow one breaks lines of which nobody counts the pieces."""
        return drawing.whole and self.tty.size().columns >= _NARROWEST


class _TimeLeft:
    """The line of the prompt, with the time that is left."""

    def __init__(self, talk: Talk, expires: float | None) -> None:
        self._talk = talk
        self._expires = expires
        self._shown: str | None = None

    def begin(self) -> None:
        """Show it: from now on, a key counts."""
        self._shown = self._text()
        self._talk.tty.say(f"{self._shown}{_PROMPT}", end="")

    def end(self, text: str) -> None:
        """Say something behind it; it is shown anew when the next key counts."""
        self._shown = None
        self._talk.say(text)

    def tick(self) -> None:
        """Write the line anew where the time has changed, without touching any other."""
        if self._shown is None or (text := self._text()) == self._shown:
            return
        if self._talk.tty.simple:
            self.end("")
            self.begin()
            return
        spare = " " * max(0, len(self._shown) - len(text))
        self._shown = text
        self._talk.tty.say(f"\r{text}{_PROMPT}{spare}" + "\b" * len(spare), end="")

    def _text(self) -> str:
        if self._expires is None:
            return ""
        seconds = max(0, math.ceil(self._expires - self._talk.clock()))
        if self._talk.tty.simple:
            limit = min((each for each in _ANNOUNCED if each >= seconds), default=0)
            return f"Less than {limit} s left " if limit else ""
        return f"{duration(seconds)} left "


def duration(seconds: int) -> str:
    """`4 min 10 s`, `2 h 5 min`: the two largest units, without what is none."""
    parts: list[str] = []
    for unit, size in _UNITS:
        count, seconds = divmod(seconds, size)
        if count or parts:
            parts.append(f"{count} {unit}" if count else "")
    return " ".join(filter(None, parts[:2])) or "0 s"


def bar(choices: Mapping[str, str], look: Look) -> str:
    """`[y] Approve  [n] Reject`, in as many lines as it takes."""
    rows = [""]
    for key, label in choices.items():
        item = f"[{key}] {label.replace('…', '...') if look.plain else label}"
        if rows[-1] and cells(rows[-1]) + 2 + cells(item) > look.width:
            rows.append("")
        rows[-1] += f"  {item}" if rows[-1] else item
    return "\n".join(rows)


def _nothing() -> None:
    """What is done where nothing is to be done."""


def _colours(*, simple: bool) -> Colours:
    if simple or os.environ.get("NO_COLOR"):
        return "none"
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "true"
    return "256" if "256" in os.environ.get("TERM", "") else "16"
