"""Which colour each thing has, for terminals that know 16, 256 or all of them."""

from __future__ import annotations

from typing import Final, NamedTuple

from assent.ui.draw._look import Colours, Look

_RESET: Final = "\x1b[0m"

# The terminal's own 16 colours suit its background, whichever that is. Neither red nor green is among
# those of the syntax: they say removed and added.
_WORDS: Final = {
    "title": "1;36",
    "strong": "1",
    "label": "2",
    "dim": "2",
    "warning": "1;33",
    "mark": "1;30;43",
    "hunk": "36",
    "file": "1;34",
    "allow": "32",
    "ask": "1;33",
    "deny": "1;31",
    "risky": "1;4;33",
    "denied": "1;4;31",
    "cursor": "7",
    "keyword": "95",
    "name": "94",
    "builtin": "36",
    "string": "33",
    "number": "36",
    "comment": "2",
    "operator": "",
}

# On a tinted row both colours are ours, so that it can be read on dark and on light terminals.
_TINTED: Final[dict[Colours, dict[str, str]]] = {
    "none": {},
    "16": {"added": "32", "removed": "31", "added_word": "7;32", "removed_word": "7;31"},
    "256": {
        "added": "48;5;22",
        "removed": "48;5;52",
        "added_word": "1;48;5;28",
        "removed_word": "1;48;5;124",
        "": "38;5;255",
        "dim": "38;5;250",
        "mark": "1;30;43",
        "keyword": "38;5;183",
        "name": "38;5;117",
        "builtin": "38;5;123",
        "string": "38;5;222",
        "number": "38;5;216",
        "comment": "38;5;250",
    },
    "true": {
        "added": "48;2;17;54;33",
        "removed": "48;2;66;23;28",
        "added_word": "1;48;2;30;104;60",
        "removed_word": "1;48;2;137;41;49",
        "": "38;2;238;238;238",
        "dim": "38;2;180;186;194",
        "mark": "1;30;43",
        "keyword": "38;2;214;165;255",
        "name": "38;2;140;200;255",
        "builtin": "38;2;130;225;225",
        "string": "38;2;245;205;130",
        "number": "38;2;250;175;135",
        "comment": "38;2;178;186;194",
    },
}


class Ink(NamedTuple):
    """A piece of a line, what it is, and the tint behind it."""

    text: str
    fore: str = ""
    back: str = ""


def paint(inks: list[Ink], look: Look) -> str:
    """The line as it is written to the terminal."""
    if look.plain or look.colours == "none":
        return "".join(ink.text for ink in inks)
    return "".join(_painted(ink, look.colours) for ink in inks)


def _painted(ink: Ink, colours: Colours) -> str:
    codes = _codes(ink.fore, ink.back, colours)
    return f"\x1b[{codes}m{ink.text}{_RESET}" if codes and ink.text else ink.text


def _codes(fore: str, back: str, colours: Colours) -> str:
    if not back:
        return _WORDS.get(fore, "")
    tinted = _TINTED[colours]
    # With 16 colours a row has one, and nothing else in it.
    return tinted[back] if colours == "16" else f"{tinted.get(fore, tinted[''])};{tinted[back]}"
