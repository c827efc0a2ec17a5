"""Reads a unified diff, anyone's, line by line: nothing in it is left out or believed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

RowKind = Literal["file", "hunk", "context", "removed", "added", "no_newline"]

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NOBODY = "/dev/null"


class Entry(NamedTuple):
    """One line of a diff, and the numbers it has in the old and in the new file."""

    kind: RowKind
    text: str
    old: int | None = None
    new: int | None = None
    name: str = ""
    """For files and hunks: the file's name, from which its language can be told."""


@lru_cache(maxsize=4)  # whoever turns the pages of a diff reads it once
def entries(text: str) -> tuple[Entry, ...]:
    r"""What each line of the diff says; lines end at "\n" only."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    found: list[Entry] = []
    name = ""
    at = 0
    while at < len(lines):
        line, following = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        if hunk := _HUNK.match(line):
            found.append(Entry("hunk", line, name=name))
            inside = list(_hunk_lines(hunk, lines, at + 1))
            found += inside
            at += 1 + len(inside)
        elif line.startswith("--- ") and following.startswith("+++ "):
            found.append(_file(line[4:], following[4:]))
            name = found[-1].name
            at += 2
        else:
            # Whatever else stands outside the hunks belongs to some file's head: shown as it is.
            found.append(Entry("no_newline" if line.startswith("\\") else "file", line))
            at += 1
    return tuple(found)


def _hunk_lines(hunk: re.Match[str], lines: list[str], at: int) -> Iterator[Entry]:
    """The lines that belong to the hunk, from `at` on.

    The numbers in its head say where it ends: a removed line "-- x" looks like the head of a file.
    """
    old, old_count, new, new_count = (1 if number is None else int(number) for number in hunk.groups())
    old_end, new_end = old + old_count, new + new_count
    while at < len(lines) and (old < old_end or new < new_end):
        line = lines[at]
        match line[:1]:
            case "+":
                yield Entry("added", line[1:], None, new)
                new += 1
            case "-":
                yield Entry("removed", line[1:], old)
                old += 1
            case " " | "":  # some programs strip the space of an empty line
                yield Entry("context", line[1:], old, new)
                old += 1
                new += 1
            case "\\":
                yield Entry("no_newline", line)
            case _:
                return
        at += 1


def _file(old: str, new: str) -> Entry:
    """The head of a file, in one line: its name, or both where they differ."""
    old, new = _plain(old, "a/"), _plain(new, "b/")
    return Entry("file", new if old == new else f"{old} → {new}", name=(old if new == _NOBODY else new).strip('"'))


def _plain(name: str, side: str) -> str:
    name = name.removesuffix("\t")
    quote = '"' if name.startswith('"') else ""
    return quote + name.removeprefix(quote).removeprefix(side)
