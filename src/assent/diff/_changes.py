"""From edits of bytes to changes of whole lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from assent.diff._edits import Edit
from assent.diff._lines import line_end, line_start, split_lines
from assent.diff._match import match
from assent.diff._myers import Block


class Change(NamedTuple):
    """The whole lines from byte `start` up to `end` give way to the whole lines `new`."""

    start: int
    end: int
    new: bytes
    line: int
    """How many lines stand before it."""
    removed: int
    added: int


def changes(before: bytes, edits: Sequence[Edit]) -> Iterator[Change]:
    """What the edits change, in whole lines; lines that an edit leaves as they are do not count."""
    at = line = 0
    for edit in _of_whole_lines(before, edits):
        line += before.count(b"\n", at, edit.start)
        at = edit.start
        yield from _changed_lines(edit, split_lines(before[edit.start : edit.end]), line)


def _of_whole_lines(before: bytes, edits: Sequence[Edit]) -> Iterator[Edit]:
    """The same edits, each grown to whole lines; those that share a line become one."""
    group: list[Edit] = []
    for edit in edits:
        if not (group[-1].end if group else 0) <= edit.start <= edit.end <= len(before):
            message = f"edits must be in order, apart, and within {len(before)} bytes; {edit.start}:{edit.end} is not"
            raise ValueError(message)
        if group and before.find(b"\n", group[-1].end, edit.start) >= 0:
            yield _joined(before, group)
            group = []
        group.append(edit)
    if group:
        yield _joined(before, group)


def _joined(before: bytes, edits: Sequence[Edit]) -> Edit:
    """One edit of whole lines in the place of several."""
    at = start = line_start(before, edits[0].start)
    pieces: list[bytes] = []
    for edit in edits:
        pieces += [before[at : edit.start], edit.replacement]
        at = edit.end
    new = b"".join(pieces)
    if before.endswith(b"\n", 0, at) and (not new or new.endswith(b"\n")):
        return Edit(start=start, end=at, replacement=new)  # it ends where a line ends, before and after
    end = line_end(before, at)
    return Edit(start=start, end=end, replacement=new + before[at:end])


def _changed_lines(edit: Edit, old: list[bytes], line: int) -> Iterator[Change]:
    new = split_lines(edit.replacement)
    old_at = list(accumulate(map(len, old), initial=edit.start))
    new_at = list(accumulate(map(len, new), initial=0))
    i = j = 0
    for block in [*match(old, new), Block(len(old), len(new), 0)]:
        if block.i > i or block.j > j:
            yield Change(
                start=old_at[i],
                end=old_at[block.i],
                new=edit.replacement[new_at[j] : new_at[block.j]],
                line=line + i,
                removed=block.i - i,
                added=block.j - j,
            )
        i, j = block.i + block.size, block.j + block.size
