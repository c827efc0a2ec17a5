"""Choosing blocks of a diff: exactly before with the chosen ones applied, and what is told of the others."""

from __future__ import annotations

import random
import time
from collections.abc import Collection
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from assent.diff import Block, Diff, Edit, Hunk, Run, block_edits, blocks, chosen, diff, left_out, rows, splice
from tests.diff.applying import GIT, PATCH, apply, apply_for_real
from tests.diff.test_laws import made_up
from tests.diff.versions import before_and_edits, edited, files

_NO_NEWLINE = b"\\ No newline at end of file\n"


def text(found: Diff) -> str:
    """As people are shown it: bytes that are not UTF-8 are escaped."""
    return found.text("file", "file").decode(errors="backslashreplace")


def slowly(before: bytes, found: Diff, wanted: Collection[int]) -> bytes:
    """The diff's text applied line by line: a changed line only where its row lies in a block that is wanted."""
    there = blocks(text(found))
    applied = {row for number in wanted for row in range(there[number].first, there[number].last + 1)}
    left, new = before.split(b"\n"), list[bytes]()
    old = [line + b"\n" for line in left[:-1]] + ([left[-1]] if left[-1] else [])
    written = found.text("file", "file").split(b"\n")[2:-1]  # the head of the file is one row
    at = 0
    for row, line in enumerate(written, start=1):
        ends = b"" if written[row : row + 1] == [_NO_NEWLINE.strip()] else b"\n"
        match line[:1]:
            case b"@":
                first, _, count = line.split(b" ")[1][1:].partition(b",")
                start = int(first) - (count != b"0")
                new += old[at:start]
                at = start
            case b" ":
                new.append(old[at])
                at += 1
            case b"-":
                assert old[at] == line[1:] + ends
                new += [] if row in applied else [old[at]]
                at += 1
            case b"+":
                new += [line[1:] + ends] if row in applied else []
            case _:
                pass
    return b"".join(new + old[at:])


@settings(max_examples=400)
@given(before_and_edits(), st.integers(0, 5), st.data())
def test_only_the_chosen_blocks_are_applied(made: tuple[bytes, list[Edit]], context: int, data: st.DataObject) -> None:
    before, edits = made
    found = splice(before, edits, context=context)
    wanted = data.draw(some_of(found))
    assert chosen(before, found, wanted) == slowly(before, found, wanted)


@settings(max_examples=400)
@given(files, files, st.integers(0, 5), st.integers(0, 2_000), st.data())
def test_the_same_holds_for_a_comparison_wherever_the_work_ends(
    before: bytes, after: bytes, context: int, steps: int, data: st.DataObject
) -> None:
    found = diff(before, after, context=context, steps=steps)
    wanted = data.draw(some_of(found))
    assert chosen(before, found, wanted) == slowly(before, found, wanted)


@given(before_and_edits())
def test_all_blocks_are_after_and_none_are_before(made: tuple[bytes, list[Edit]]) -> None:
    before, edits = made
    found = splice(before, edits)
    assert chosen(before, found, range(len(block_edits(found)))) == edited(before, edits)
    assert chosen(before, found, ()) == before


@given(files, files, st.integers(0, 3))
def test_the_text_and_the_diff_have_the_same_blocks(before: bytes, after: bytes, context: int) -> None:
    found = diff(before, after, context=context)
    there, edits = blocks(text(found)), block_edits(found)
    assert len(there) == len(edits)
    assert sum(block.removed for block in there) == found.removed
    assert sum(block.added for block in there) == found.added
    grown = 0
    for block, edit in zip(there, edits, strict=True):
        above = before.count(b"\n", 0, edit.start)
        assert block.removed == _count(before[edit.start : edit.end])
        assert block.added == _count(edit.replacement)
        assert block.old_line == above + (block.removed > 0)
        assert block.new_line == above + grown + (block.added > 0)
        grown += block.added - block.removed


@given(files, files, st.integers(0, 3))
def test_blocks_are_the_longest_runs_of_changed_rows(before: bytes, after: bytes, context: int) -> None:
    shown = text(diff(before, after, context=context))
    drawn = rows(shown, limit=10_000).rows
    runs: list[Block] = []
    for is_changed, group in groupby(enumerate(drawn), key=lambda one: one[1].kind in {"removed", "added"}):
        together = list(group)
        if is_changed:
            removed = [row.old for _, row in together if row.old is not None]
            added = [row.new for _, row in together if row.new is not None]
            first, last = together[0][0], together[-1][0]
            if drawn[first - 1].kind == "no_newline" and runs:  # it speaks of the line above, and parts nothing
                before_it = runs.pop()
                first, removed = before_it.first, [before_it.old_line] * before_it.removed
            after_it = drawn[last + 1 : last + 2]
            runs.append(
                Block(
                    first=first,
                    last=last + (bool(after_it) and after_it[0].kind == "no_newline"),
                    removed=len(removed),
                    added=len(added),
                    old_line=removed[0] if removed else -1,
                    new_line=added[0] if added else -1,
                )
            )
    assert [
        replace(
            block,
            old_line=block.old_line if block.removed else -1,
            new_line=block.new_line if block.added else -1,
        )
        for block in blocks(shown)
    ] == runs


@st.composite
def some_of(draw: st.DrawFn, found: Diff) -> list[int]:
    numbers = list(range(len(block_edits(found))))
    return draw(st.lists(st.sampled_from(numbers), unique=True)) if numbers else []


def _count(data: bytes) -> int:
    return data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))


def reduced(found: Diff, wanted: Collection[int]) -> Diff:
    """The diff of the wanted blocks alone: what the others would remove is context."""
    made: list[Hunk] = []
    number, grown = 0, 0
    for hunk in found.hunks:
        runs: list[Run] = []
        for is_context, group in groupby(hunk.runs, key=lambda run: run.kind == "context"):
            takes = not is_context and number in wanted
            number += not is_context
            for run in group:
                if takes or run.kind == "context":
                    runs.append(run)
                elif run.kind == "removed":
                    runs.append(replace(run, kind="context"))
        if any(run.kind != "context" for run in runs):
            one = trimmed(replace(hunk, runs=tuple(runs)))
            made.append(replace(one, new_lines_before=one.lines_before + grown))
            grown += one.added - one.removed
    return replace(found, hunks=tuple(made))


def trimmed(hunk: Hunk) -> Hunk:
    """With three lines of context: more on one side than on the other means to `patch` that a file ends there."""
    lines = list(hunk.lines())
    first, *_, last = [at for at, (kind, _) in enumerate(lines) if kind != "context"] * 2
    above = max(0, first - 3)
    return replace(
        hunk,
        lines_before=hunk.lines_before + above,
        runs=tuple(Run(kind=kind, body=line, count=1) for kind, line in lines[above : last + 4]),
    )


@pytest.mark.parametrize("command", [GIT, PATCH], ids=["git", "patch"])
def test_git_and_patch_make_the_same_of_the_chosen_blocks(tmp_path: Path, command: tuple[str, ...]) -> None:
    chance = random.Random(11)  # noqa: S311 — no secret
    before: dict[str, bytes] = {}
    expected: dict[str, bytes] = {}
    texts: list[bytes] = []
    for number, (old, _, found) in enumerate(made_up(8, 1500)):
        wanted = [block for block in range(len(block_edits(found))) if chance.random() < 0.5]
        before[f"f{number}"], expected[f"f{number}"] = old, chosen(old, found, wanted)
        texts.append(reduced(found, wanted).text(f"f{number}", f"f{number}"))
        assert apply(texts[-1], old) == expected[f"f{number}"]
    assert sum(expected[name] != old for name, old in before.items()) > 500
    assert apply_for_real(command, tmp_path / "work", b"".join(texts), before) == expected


BEFORE = b"one\r\ntwo\r\nthree\r\nfour\r\nfive\xe2\x80\xa8six\r\nseven"
AFTER = b"ONE\r\ntwo\r\nthree\r\n3.5\r\nfour\r\nfive\xe2\x80\xa8SIX\r\nseven\r\n"


def test_the_blocks_of_a_small_diff() -> None:
    shown = text(diff(BEFORE, AFTER))
    assert blocks(shown) == snapshot(
        (
            Block(first=2, last=3, removed=1, added=1, old_line=1, new_line=1),
            Block(first=6, last=6, removed=0, added=1, old_line=3, new_line=4),
            Block(first=8, last=12, removed=2, added=2, old_line=5, new_line=6),
        )
    )


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ((0,), BEFORE.replace(b"one", b"ONE")),
        ((1,), BEFORE.replace(b"four", b"3.5\r\nfour")),
        ((2,), BEFORE.replace(b"six\r\nseven", b"SIX\r\nseven\r\n")),
        ((2, 0, 2), AFTER.replace(b"3.5\r\n", b"")),
    ],
)
def test_line_ends_stay_as_each_side_has_them(wanted: tuple[int, ...], expected: bytes) -> None:
    assert chosen(BEFORE, diff(BEFORE, AFTER), wanted) == expected


@pytest.mark.parametrize("made", [(b"", b"a\nb"), (b"a\nb", b""), (b"", b"\n"), (None, b"a\n"), (b"a", None)])
def test_a_file_that_is_empty_on_one_side_has_one_block(made: tuple[bytes | None, bytes | None]) -> None:
    before, after = made
    found = diff(before, after)
    assert len(blocks(text(found))) == 1
    assert chosen(before or b"", found, (0,)) == (after or b"")
    assert chosen(before or b"", found, ()) == (before or b"")


def test_no_difference_has_no_blocks() -> None:
    assert blocks("") == ()
    assert blocks(text(diff(BEFORE, BEFORE))) == ()
    assert left_out("", ()) == ""


@pytest.mark.parametrize("wanted", [(3,), (-1,), (0, 7)])
def test_a_block_that_is_not_there_is_an_error(wanted: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="there are 3 blocks, counted from 0"):
        chosen(BEFORE, diff(BEFORE, AFTER), wanted)


def test_a_diff_of_another_file_is_an_error() -> None:
    with pytest.raises(ValueError, match="not one of this file"):
        chosen(AFTER, diff(BEFORE, AFTER), (0,))


SEVERAL = (
    diff(b"a\nb\nc\n", b"A\nb\nC\n").text("x.py", "x.py").decode()
    + diff(b"same\n", b"same\nmore").text("y.py", "y.py").decode()
    + diff(b"gone\n", None).text("z.py", "z.py").decode()
)


def test_blocks_are_counted_over_all_files() -> None:
    assert [(block.removed, block.added) for block in blocks(SEVERAL)] == [(1, 1), (1, 1), (0, 1), (1, 0)]


def test_what_was_left_out_is_told_file_by_file() -> None:
    assert left_out(SEVERAL, (1, 3)) == snapshot(
        """\
--- a/x.py
+++ b/x.py
@@ -1,1 +1,1 @@
+A
--- a/y.py
+++ b/y.py
@@ -1,0 +2,1 @@
+more
\\ No newline at end of file
"""
    )
    assert left_out(SEVERAL, (2,)).count("--- a/x.py\n") == 1
    assert left_out(SEVERAL, range(4)) == ""


@settings(max_examples=200)
@given(before_and_edits(), st.data())
def test_what_was_left_out_is_where_the_other_blocks_are_and_nothing_of_the_old_file(
    made: tuple[bytes, list[Edit]], data: st.DataObject
) -> None:
    before, edits = made
    found = splice(before, edits)
    wanted = data.draw(some_of(found))
    others = [number for number in range(len(block_edits(found))) if number not in wanted]
    told = left_out(text(found), wanted).split("\n")
    assert [line for line in told if line.startswith("@@")] == [
        f"@@ -{block.old_line},{block.removed} +{block.new_line},{block.added} @@"
        for number, block in enumerate(blocks(text(found)))
        if number in others
    ]
    assert [line for line in told if line.startswith("-") and not line.startswith("--- ")] == []


def test_of_very_much_that_was_left_out_the_beginning_and_the_count_are_told() -> None:
    shown = diff(b"", b"".join(b"line %d\n" % number for number in range(300))).text("f", "f").decode()
    told = left_out(shown, ()).splitlines()
    assert len(told) == 101
    assert told[99] == "+line 96"
    assert told[100] == "… and 203 more lines of what was left out"


def test_of_a_very_long_line_the_beginning_and_the_count_are_told() -> None:
    shown = diff(b"", b"x" * 1_000_000).text("f", "f").decode()
    told = left_out(shown, ())
    assert f"+{'x' * 499}… and 999501 more characters\n" in told
    assert len(told) < 1_000


def test_a_diff_of_twenty_thousand_lines_is_read_at_once() -> None:
    before = b"".join(b"line %d\n" % number for number in range(20_000))
    after = before.replace(b"7\n", b"seven\n")
    found = diff(before, after)
    shown = text(found)
    assert len(shown.splitlines()) > 16_000
    started = time.process_time()
    there = blocks(shown)
    result = chosen(before, found, range(0, len(there), 2))
    left_out(shown, range(0, len(there), 2))
    # A tenth of it is usual; what grew with the square would take minutes.
    assert time.process_time() - started < 2
    assert len(there) == 2_000
    assert result.count(b"seven\n") == 1_000
