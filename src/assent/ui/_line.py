"""A line that is typed, and shown as it is typed."""

from __future__ import annotations

from typing import Final

from assent.ui._tty import Tty
from assent.ui._visible import visible
from assent.ui._wrap import cells

_PROMPT: Final = "> "


class Line:
    """What was typed so far; only characters that can be seen are in it."""

    def __init__(self, tty: Tty, width: int) -> None:
        self.text = ""
        self.done = False
        self._tty = tty
        self._shown = ""
        self._room = 0
        self.begin(width)

    def begin(self, width: int) -> None:
        """Show it, in a line of its own."""
        self._room = max(1, width - len(_PROMPT) - 1)
        self._shown = self._end()
        self._tty.say(f"\r{_PROMPT}{self._shown}", end="")

    def add(self, typed: str) -> None:
        """Take what was typed; nothing behind the Enter that ends the line."""
        for char in typed:
            match char:
                case "\r" | "\n":
                    self.done = True
                    break
                case "\x7f" | "\b":
                    self.text = self.text[:-1]
                case "\x15":
                    self.text = ""
                case "\x17":
                    before, blank, _ = self.text.rstrip().rpartition(" ")
                    self.text = before + blank
                case _ if visible(char) == char and char.isprintable():
                    self.text += char
                case _:
                    pass
        self._show()

    def _show(self) -> None:
        text, before = self._end(), self._shown
        self._shown = text
        if text.startswith(before):
            # Only what is new: a screen reader reads what is written.
            self._tty.say(text[len(before) :], end="")
            return
        spare = max(0, cells(before) - cells(text))
        self._tty.say(f"\r{_PROMPT}{text}{' ' * spare}" + "\b" * spare, end="")

    def _end(self) -> str:
        """As much of it as fits, from its end."""
        kept = self.text
        while cells(kept) > self._room:
            kept = kept[1:]
        return kept
