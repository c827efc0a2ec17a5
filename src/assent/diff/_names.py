"""How a file's name stands in the head of a unified diff, so that git and patch read it back."""

from __future__ import annotations

import re

_QUOTED = re.compile(r'[\x00-\x1f\x7f"\\\udc80-\udcff]| \Z')
"""What a name may not show as it is: bytes that are not UTF-8 too, and a space that nobody would see."""
_SHORT = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}
_NOBODY = b"/dev/null"


def header(old: str | None, new: str | None) -> bytes:
    """The two lines above the first hunk; None is a file that is not there."""
    return b"--- %b\n+++ %b\n" % (_spelled("a/", old), _spelled("b/", new))


def _spelled(side: str, name: str | None) -> bytes:
    if name is None:
        return _NOBODY
    path = side + name
    if _QUOTED.search(path):
        path = f'"{_QUOTED.sub(_escaped, path)}"'
    # A tab ends a name that has a space in it: patch would take the rest for a date.
    return (path + "\t" * (" " in path)).encode("utf-8", "surrogateescape")


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    (byte,) = character.encode("utf-8", "surrogateescape")
    return "\\" + (_SHORT.get(character) or f"{byte:03o}")
