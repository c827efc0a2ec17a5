"""From edits of bytes to changes of whole lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import islice
from typing import NamedTuple

from assent.diff._budget import Budget
from assent.diff._edits import Edit
from assent.diff._gallop import common_lines
from assent.diff._lines import count_lines, line_end, line_start
from assent.diff._match import match

_WINDOW = 1 << 17
"""So many lines are compared at once; a list of all lines could be fifty times as large as the file."""
_EDIT = 150
"""Steps of the budget for an edit, besides those of its comparison."""


class Change(NamedTuple):
    """The whole lines from byte `start` up to `end` give way to the whole lines `new`."""

    start: int
    end: int
    new: bytes
    line: int
    """How many lines stand before it."""
    removed: int
    added: int


def changes(before: bytes, edits: Sequence[Edit], budget: Budget) -> Iterator[Change]:
    """What the edits change, in whole lines; lines that an edit leaves as they are do not count.

    Once the budget is used up, all that is left is one change.
    """
    at = line = 0
    for edit in _of_whole_lines(before, edits, budget):
        line += before.count(b"\n", at, edit.start)
        at = edit.start
        yield from _changed_lines(before, edit, line, budget)


def _of_whole_lines(before: bytes, edits: Sequence[Edit], budget: Budget) -> Iterator[Edit]:
    """The same edits, each grown to whole lines; those that share a line become one."""
    group: list[Edit] = []
    end = 0
    for edit in edits:
        if not end <= edit.start <= edit.end <= len(before):
            message = f"edits must be in order, apart, and within {len(before)} bytes; {edit.start}:{edit.end} is not"
            raise ValueError(message)
        if group and before.find(b"\n", end, edit.start) >= 0 and budget.take(_EDIT):
            yield _joined(before, group)
            group = []
        group.append(edit)
        end = edit.end
    if group:
        yield _joined(before, group)


def _joined(before: bytes, edits: Sequence[Edit]) -> Edit:
    """One edit of whole lines in the place of several."""
    at = start = line_start(before, edits[0].start)
    grown = bytearray()  # not a list of pieces: a million edits would make two million of them
    for edit in edits:
        grown += before[at : edit.start]
        grown += edit.replacement
        at = edit.end
    new = bytes(grown)
    if before.endswith(b"\n", 0, at) and (not new or new.endswith(b"\n")):
        return Edit(start=start, end=at, replacement=new)  # it ends where a line ends, before and after
    end = line_end(before, at)
    return Edit(start=start, end=end, replacement=new + before[at:end])


def _changed_lines(before: bytes, edit: Edit, line: int, budget: Budget) -> Iterator[Change]:
    i, j, old, new = edit.start, 0, before[edit.start : edit.end], edit.replacement
    if _is_one_line(old) and _is_one_line(new):  # by far the most edits, where there are many
        if old != new:
            yield Change(i, edit.end, new, line, 1, 1)
        return
    for removed, added, same in _compared(old, new, budget):
        i_end, j_end = i + sum(map(len, removed)), j + sum(map(len, added))
        if removed or added:
            yield Change(i, i_end, new[j:j_end], line, len(removed), len(added))
        size = sum(map(len, same))
        i, j, line = i_end + size, j_end + size, line + len(removed) + len(same)
    if i < edit.end or j < len(new):
        yield from _rest(before, Edit(start=i, end=edit.end, replacement=new[j:]), line)


def _is_one_line(data: bytes) -> bool:
    return data != b"" and data.find(b"\n", 0, -1) < 0


def _compared(old: bytes, new: bytes, budget: Budget) -> Iterator[tuple[list[bytes], list[bytes], list[bytes]]]:
    """Lines that go, lines that come, and lines that agree behind them, again and again.

    If the budget is used up, or where very many lines have nothing in common, the rest is missing.
    """
    old_stream, new_stream = BytesIO(old), BytesIO(new)
    old_lines: list[bytes] = []
    new_lines: list[bytes] = []
    while True:
        old_lines += islice(old_stream, _WINDOW - len(old_lines))
        new_lines += islice(new_stream, _WINDOW - len(new_lines))
        i = j = 0
        for block in match(old_lines, new_lines, budget):
            end = block.i + block.size
            yield old_lines[i : block.i], new_lines[j : block.j], old_lines[block.i : end]
            i, j = end, block.j + block.size
        del old_lines[:i], new_lines[:j]
        if not budget.left:
            return
        if old_stream.tell() == len(old) and new_stream.tell() == len(new):
            yield old_lines, new_lines, []
            return
        if not i:
            return


def _rest(before: bytes, edit: Edit, line: int) -> Iterator[Change]:
    """The edit as one change, without the lines that agree at its ends."""
    old, new = before[edit.start : edit.end], edit.replacement
    head, tail = common_lines(old, new)
    line += old.count(b"\n", 0, head)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if old or new:
        start = edit.start + head
        yield Change(start, start + len(old), new, line, count_lines(old), count_lines(new))
