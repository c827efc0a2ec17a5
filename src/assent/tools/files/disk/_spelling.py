"""Which paths are spelled in a way a tool takes; decided before the disk is touched."""

from __future__ import annotations

from reprlib import Repr
from typing import Final, NoReturn

from assent.errors import InvalidPath

PATH_BYTES: Final = 4095
PART_BYTES: Final = 255
_brief: Final = Repr()
_brief.maxstring = 120
shown: Final = _brief.repr
"""A path as a message names it: control characters made visible, and never longer than a line."""


def check_spelling(path: str) -> None:
    """Refuse what no tool takes as a path, `~` included; the disk is not asked.

    Raises:
        InvalidPath: It is empty, absolute, over-long, begins with `~`, or cannot be a name on disk.
    """
    if path.startswith("~"):
        raise InvalidPath(f"{shown(path)} begins with ~, which is not expanded; give a path relative to the root.")
    encoded(path)


def encoded(path: str) -> bytes:
    """The bytes the disk knows this path by: as they are, without normalisation or expansion."""
    try:
        name = path.encode()
    except UnicodeEncodeError:
        name = _escaped(path)
    # Lean, because every opening comes by here. No part can be too long unless the whole is longer than a part may be.
    if not path or path[0] == "/" or "\0" in path or len(name) > PART_BYTES:
        _check(path, name)
    return name


def decoded(name: bytes) -> str:
    """The path as text; bytes that are no UTF-8 survive the way there and back."""
    return name.decode("utf-8", "surrogateescape")


def _escaped(path: str) -> bytes:
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        _refuse(path, "has half of a surrogate pair, which no file name can have")


def _check(path: str, name: bytes) -> None:
    if not path:
        raise InvalidPath("The path is empty; give a path relative to the root, or . for the root itself.")
    if path[0] == "/":
        _refuse(path, "is absolute")
    if "\0" in path:
        _refuse(path, "has a NUL character, which no file name can have")
    if len(name) > PATH_BYTES:
        _refuse(path, f"is {len(name)} bytes long; at most {PATH_BYTES} are allowed")
    longest = max(map(len, name.split(b"/")))
    if longest > PART_BYTES:
        _refuse(path, f"has a part of {longest} bytes; at most {PART_BYTES} between two slashes are allowed")


def _refuse(path: str, why: str) -> NoReturn:
    raise InvalidPath(f"{shown(path)} {why}; give a path relative to the root.")
