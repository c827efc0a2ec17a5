"""The blocks of a diff, of which a person may choose some: changed lines without a gap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice

from assent.diff._diff import Diff
from assent.diff._edits import Edit
from assent.diff._hunk import Hunk
from assent.diff._unified import Unified, read

_CHANGED = frozenset({"removed", "added"})
_MOST_LINES = 100
"""So many lines are told of what was left out,"""
_MOST_CHARACTERS = 500
"""and so many characters of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Changed lines with nothing unchanged between them; rows are counted as `rows` counts them."""

    first: int
    """Its first row,"""
    last: int
    """and its last one, which belongs to it."""
    removed: int
    """How many lines go."""
    added: int
    """How many lines come."""
    old_line: int
    """The number of its first old line; if it has none, of the line it comes after."""
    new_line: int
    """The number of its first new line; if it has none, of the line it comes after."""


# One question is drawn several times: on the screen, in the pager, in a list.
@lru_cache(maxsize=4)
def blocks(unified_text: str) -> tuple[Block, ...]:
    """The blocks of a unified diff, of one file or of several, in the order of the text."""
    diff = read(unified_text)
    return tuple(_block(diff, group) for group in _groups(diff))


def block_edits(diff: Diff) -> tuple[Edit, ...]:
    """What each block of the diff does to the bytes of the old file, in whole lines."""
    return tuple(edit for hunk in diff.hunks for edit in _edits(hunk))


def chosen(before: bytes, diff: Diff, blocks: Collection[int]) -> bytes:
    """The old file with only these blocks of its diff applied, counted from 0.

    Raises:
        ValueError: there is no such block, or the diff is not one of this file.
    """
    if any(before[hunk.start : hunk.end] != hunk.before for hunk in diff.hunks):
        raise ValueError("the diff is not one of this file: compare the file as it is")
    edits = block_edits(diff)
    if unknown := sorted(set(blocks).difference(range(len(edits)))):
        raise ValueError(f"there are {len(edits)} blocks, counted from 0; {unknown} are not among them")
    parts: list[bytes] = []
    at = 0
    for edit in (edits[number] for number in sorted(set(blocks))):
        parts += before[at : edit.start], edit.replacement
        at = edit.end
    return b"".join([*parts, before[at:]])


def left_out(unified_text: str, chosen: Collection[int]) -> str:
    """The blocks that were not chosen: where they are, and the lines that would have come.

    Lines that would have gone are only counted: whoever wanted the change may not have read them.
    The numbers are those of the whole diff. Of many lines the first ones are there, of a long line its beginning,
    and how much more there is.
    """
    diff = read(unified_text)
    lines = _left_out(diff, unified_text, frozenset(chosen))
    told = [_cut(line) for line in islice(lines, _MOST_LINES)]
    more = sum(1 for _ in lines)
    if more:
        told.append(f"… and {more} more {'line' if more == 1 else 'lines'} of what was left out")
    return "".join(f"{line}\n" for line in told)


def _groups(diff: Unified) -> Iterator[range]:
    """The stretches of each block; "no newline" belongs to the line above it."""
    stretches = diff.stretches
    at = 0
    while at < len(stretches):
        start = at
        while at < len(stretches) and (
            stretches[at].kind in _CHANGED or (at > start and stretches[at].kind == "no_newline")
        ):
            at += 1
        if at > start:
            yield range(start, at)
        else:
            at += 1


def _block(diff: Unified, group: range) -> Block:
    first, last = diff.stretches[group.start], diff.stretches[group.stop - 1]
    removed, added = (
        sum(diff.stretches[at].size for at in group if diff.stretches[at].kind == kind) for kind in ("removed", "added")
    )
    # A hunk without lines on one side is numbered by the line it comes after; in any other, the next line is known.
    alone = _is(diff, group.start - 1, "hunk") and not _is(diff, group.stop, "context")
    return Block(
        first=first.row,
        last=last.end - 1,
        removed=removed,
        added=added,
        old_line=first.old - (not removed and not alone),
        new_line=first.new - (not added and not alone),
    )


def _is(diff: Unified, at: int, kind: str) -> bool:
    return 0 <= at < len(diff.stretches) and diff.stretches[at].kind == kind


def _edits(hunk: Hunk) -> Iterator[Edit]:
    at = hunk.start
    for is_context, group in groupby(hunk.runs, key=lambda run: run.kind == "context"):
        runs = list(group)
        end = at + sum(len(run.body) for run in runs if run.kind != "added")
        if not is_context:
            yield Edit(start=at, end=end, replacement=b"".join(run.body for run in runs if run.kind == "added"))
        at = end


def _left_out(diff: Unified, text: str, applied: Collection[int]) -> Iterator[str]:
    """The lines of the other blocks, behind the heads of their files and their own."""
    files = [at for at, stretch in enumerate(diff.stretches) if stretch.kind == "file"]
    told = 0
    for number, group in enumerate(_groups(diff)):
        if number in applied:
            continue
        known = bisect_left(files, group.start)
        if known > told:
            yield from _lines(diff, text, range(files[known - 1], files[known - 1] + 1))
            told = known
        block = _block(diff, group)
        yield f"@@ -{block.old_line},{block.removed} +{block.new_line},{block.added} @@"
        yield from (line for line in _lines(diff, text, group) if not line.startswith("-"))


def _lines(diff: Unified, text: str, group: range) -> list[str]:
    """The lines of these stretches."""
    stretches = diff.stretches
    end = stretches[group.stop].at if group.stop < len(stretches) else len(text)
    return text[stretches[group.start].at : end].removesuffix("\n").split("\n")


def _cut(line: str) -> str:
    more = len(line) - _MOST_CHARACTERS
    return f"{line[:_MOST_CHARACTERS]}… and {more} more characters" if more > 0 else line
