"""Text made safe, coloured and cut to the width: nothing reaches a terminal but through here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from assent.ui._visible import visible
from assent.ui._wrap import cells, wrap
from assent.ui.draw._colours import Ink, paint
from assent.ui.draw._look import Look

__all__ = ["Ink", "cells", "hidden", "indented", "paint", "said", "spelled", "untabbed", "warned", "wrapped"]

_TAB: Final = 4
_MARKS = re.compile(r"(⟨U\+[0-9A-F]+⟩|\t)")
# The bracket is spelled too, but it hides nothing.
_BRACKET: Final = "⟨"


def spelled(text: str, fore: str = "", back: str = "", *, keep: str = "\t") -> list[Ink]:
    """Anybody's text, in one line: what is hidden in it stands out."""
    if text.isascii() and text.isprintable():
        return [Ink(text, fore, back)] if text else []
    pieces = _MARKS.split(visible(text, keep=keep))
    return [Ink(piece, "mark" if at % 2 and piece != "\t" else fore, back) for at, piece in enumerate(pieces) if piece]


def untabbed(inks: list[Ink], look: Look) -> list[Ink]:
    """The same with every tab as wide as it is here, and visible: a tab is not the spaces it looks like."""
    if not any("\t" in ink.text for ink in inks):
        return inks
    done: list[Ink] = []
    column = 0
    for ink in inks:
        for piece in re.split(r"(\t)", ink.text):
            size = _TAB - column % _TAB
            shown = piece if piece != "\t" else " " * size if look.plain else "→".ljust(size)
            done.append(Ink(shown, "dim" if piece == "\t" else ink.fore, ink.back))
            column += size if piece == "\t" else cells(piece)
    return done


def wrapped(inks: list[Ink], width: int) -> Iterator[tuple[list[Ink], int]]:
    """The line in pieces that fit, each with the cells it takes."""
    # Where the next piece begins: in which ink, and how far into it.
    at = start = 0
    for piece in wrap("".join(ink.text for ink in inks), max(width, 1)):
        taken: list[Ink] = []
        left = len(piece)
        while left:
            ink = inks[at]
            taken.append(ink._replace(text=ink.text[start : start + left]))
            left -= len(taken[-1].text)
            start += len(taken[-1].text)
            if start == len(ink.text):
                at, start = at + 1, 0
        yield taken, cells(piece)


def said(label: str, text: str, look: Look, *, fore: str = "") -> list[str]:
    """A line of ours that quotes somebody: the label first, and an indent where it goes on."""
    inks = [Ink(label, "label"), *untabbed(spelled(text[: look.longest], fore, keep=""), look)]
    return indented(inks, look)


def warned(text: str, look: Look) -> list[str]:
    """A warning, which may quote somebody too."""
    return indented(
        [Ink("Warning: " if look.plain else "⚠ ", "warning"), *spelled(text[: look.longest], "warning", keep="")], look
    )


def indented(inks: list[Ink], look: Look, first: str = "", indent: int = 2) -> list[str]:
    """The line behind its beginning; where it goes on, a sign says so, or it could pass for another line."""
    sign = Ink(f"{' ' * indent}{'.. ' if look.plain else '↳ '}", "dim")
    room = look.width - max(len(first), len(sign.text))
    pieces = [piece for piece, _ in wrapped(inks, room)]
    return [paint([sign if at else Ink(first, "strong"), *piece], look).rstrip(" ") for at, piece in enumerate(pieces)]


def hidden(texts: Iterable[tuple[str, str]]) -> tuple[int, str]:
    """How many characters are spelled in texts that may keep some, and one of them as it is spelled."""
    count, example = 0, ""
    for text, keep in texts:
        for char in sorted(set(text) - set(keep) - {_BRACKET}, reverse=True):
            shown = visible(char, keep="")
            if shown != char:
                count += text.count(char)
                example = example or shown
    return count, example
