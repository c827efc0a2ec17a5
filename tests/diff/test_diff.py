"""What a diff looks like: its text, its counts, the places it names, and that people can read it."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.diff import Diff, Edit, diff, splice
from tests.diff.applying import GIT, PATCH, apply, apply_for_real
from tests.diff.calls import calls
from tests.diff.hostile import HOSTILE, Pair, few_kinds
from tests.diff.versions import edited


def shown(found: Diff) -> str:
    return found.text("file", "file").decode()


def replaced(before: bytes, old: bytes, new: bytes) -> Diff:
    start = before.index(old)
    return splice(before, [Edit(start=start, end=start + len(old), replacement=new)])


def test_an_edit_that_repeats_its_lines_adds_only_the_new_one() -> None:
    before = b"import os\nimport sys\nimport time\ndef helper():\n    pass\n"
    found = replaced(before, b"import os\nimport sys", b"import os\nimport sys\nimport json")
    assert (found.added, found.removed) == (1, 0)
    assert shown(found) == snapshot("""\
--- a/file
+++ b/file
@@ -1,5 +1,6 @@
 import os
 import sys
+import json
 import time
 def helper():
     pass
""")


def test_an_edit_at_a_last_line_without_newline_changes_that_line() -> None:
    before = b"import os\nimport sys"
    found = replaced(before, b"import sys", b"import sys\nimport json")
    assert shown(found) == snapshot("""\
--- a/file
+++ b/file
@@ -1,2 +1,3 @@
 import os
-import sys
\\ No newline at end of file
+import sys
+import json
\\ No newline at end of file
""")


def test_lines_that_stay_inside_an_edit_are_not_shown_as_changed() -> None:
    before = b"".join(b"line %d\n" % number for number in range(40))
    new = before.replace(b"line 10\n", b"ten\n").replace(b"line 30\n", b"thirty\n")
    found = splice(before, [Edit(start=0, end=len(before), replacement=new)])
    assert (found.added, found.removed, len(found.hunks)) == (2, 2, 2)


def test_two_edits_of_one_line_become_one_change() -> None:
    before = b"zero\nname = name\nend\n"
    edits = [Edit(start=5, end=9, replacement=b"key"), Edit(start=12, end=16, replacement=b"value")]
    assert [line for kind, line in splice(before, edits).hunks[0].lines() if kind == "added"] == [b"key = value\n"]


@pytest.mark.parametrize(
    "places",
    [[(4, 2)], [(0, 9)], [(-1, 2)], [(3, 5), (2, 3)], [(0, 3), (2, 5)]],
    ids=["backwards", "too far", "too early", "not in order", "overlapping"],
)
def test_edits_that_make_no_sense_are_refused(places: list[tuple[int, int]]) -> None:
    edits = [Edit(start=start, end=end, replacement=b"x") for start, end in places]
    with pytest.raises(ValueError, match="in order, apart, and within 8 bytes"):
        splice(b"a\nb\nc\nd\n", edits)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, b"a\nb\n", "--- /dev/null\n+++ b/file\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
        (b"a\n", None, "--- a/file\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        (b"", b"a\n", "--- a/file\n+++ b/file\n@@ -0,0 +1 @@\n+a\n"),
        (b"a\n", b"", "--- a/file\n+++ b/file\n@@ -1 +0,0 @@\n-a\n"),
        (None, b"", ""),
        (None, None, ""),
    ],
)
def test_what_is_not_there_is_dev_null_and_what_is_empty_has_no_lines(
    before: bytes | None, after: bytes | None, expected: str
) -> None:
    assert shown(diff(before, after)) == expected


def test_line_ends_other_than_newline_are_part_of_the_line() -> None:
    before = b"one\rtwo\x0cthree\xc2\x85four\xe2\x80\xa8five\r\nsix\n"
    found = diff(before, before.replace(b"six", b"seven"))
    assert (found.hunks[0].old_count, found.removed, found.added) == (2, 1, 1)


def test_the_bytes_of_a_hunk_can_be_found_again() -> None:
    before = b"".join(b"line %d\n" % number for number in range(100))
    found = diff(before, before.replace(b"line 20\n", b"").replace(b"line 70\n", b"line 70\nline 70b\n"))
    assert [before[hunk.start : hunk.end] for hunk in found.hunks] == [hunk.before for hunk in found.hunks]
    assert [(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) for hunk in found.hunks] == [
        (18, 7, 18, 6),
        (69, 6, 68, 7),
    ]


def test_context_is_as_wide_as_asked_for() -> None:
    before = b"".join(b"%d\n" % number for number in range(20))
    after = before.replace(b"10\n", b"ten\n")
    assert [diff(before, after, context=context).hunks[0].old_count for context in (0, 1, 30)] == [1, 3, 20]


@pytest.mark.parametrize(("between", "hunks"), [(6, 1), (7, 2)])
def test_changes_whose_contexts_touch_share_a_hunk(between: int, hunks: int) -> None:
    before = b"first\n" + b"".join(b"%d\n" % number for number in range(between)) + b"last\n"
    assert len(diff(before, before.upper()).hunks) == hunks


def test_a_function_that_is_put_in_is_shown_from_its_first_line_on() -> None:
    before = b"class Box:\n    @property\n    def height(self):\n        return 1\n"
    after = before.replace(
        b"    @property\n", b"    @property\n    def width(self):\n        return 2\n\n    @property\n", 1
    )
    method = b"    @property\n    def depth(self):\n        return 3\n\n"
    assert shown(diff(before, after)) == snapshot("""\
--- a/file
+++ b/file
@@ -1,4 +1,8 @@
 class Box:
+    @property
+    def width(self):
+        return 2
+
     @property
     def height(self):
         return 1
""")
    third = after.replace(b"    @property\n    def height", method + b"    @property\n    def height")
    assert [line for kind, line in diff(after, third).hunks[0].lines() if kind == "added"] == method.splitlines(
        keepends=True
    )


def lines_of(seed: int, count: int, different: int) -> list[bytes]:
    chance = random.Random(seed)  # noqa: S311 — no secret
    return [b"line %d\n" % chance.randrange(different) for _ in range(count)]


def test_few_changes_in_a_repetitive_file_stay_few() -> None:
    before, chance = lines_of(1, 20_000, 10), random.Random(2)  # noqa: S311 — no secret
    after = list(before)
    for at in chance.sample(range(len(after)), 200):
        after[at] = b"line %d\n" % chance.randrange(10)
    found = diff(b"".join(before), b"".join(after))
    assert found.added + found.removed <= 2 * sum(one != other for one, other in zip(before, after, strict=True))
    assert apply(found.text("file", "file"), b"".join(before)) == b"".join(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (lines_of(1, 20_000, 10), lines_of(2, 20_000, 10)),
        (lines_of(1, 60_000, 2), lines_of(2, 60_000, 2)),
        ([b"x\n"] * 40_000 + [b"y\n"] * 40_000, [b"y\n"] * 40_000 + [b"x\n"] * 40_000),
        (lines_of(1, 30_000, 10**9), lines_of(1, 30_000, 10**9)[::-1]),
        # Taking out one anchor makes the next: a comparison that always goes on takes forever.
        (
            [line for number in range(10_000) for line in (b"%d\n" % (number + 1), b"%d\n" % number)],
            [
                line
                for number in range(10_000)
                for line in (b"-%d\n" % number, b"%d\n" % (number + 1), b"%d\n" % number)
            ],
        ),
    ],
    ids=["ten lines", "two lines", "swapped", "reversed", "endless anchors"],
)
@pytest.mark.timeout(60)
def test_there_is_a_bound_and_what_comes_out_is_right_all_the_same(before: list[bytes], after: list[bytes]) -> None:
    old, new = b"".join(before), b"".join(after)
    assert apply(diff(old, new).text("file", "file"), old) == new


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_file_four_times_as_long_is_not_more_work_once_the_budget_is_used_up(make: Callable[[int], Pair]) -> None:
    work: list[int] = []
    for lines in (30_000, 120_000):
        old, new = make(lines)
        count, text = calls(partial(shown_coarsely, old, new))
        work.append(count)
        assert apply(text, old) == new
    assert work[1] <= 1.5 * work[0] + 500
    assert work[1] <= STEPS


STEPS = 300_000


def shown_coarsely(old: bytes, new: bytes) -> bytes:
    return diff(old, new, steps=STEPS).text("file", "file")


def test_a_splice_of_many_edits_is_not_more_work_once_the_budget_is_used_up() -> None:
    before = b"some line\n" * 40_000
    work: list[int] = []
    for every in (100, 20):
        edits = [Edit(start=at, end=at + 4, replacement=b"other") for at in range(0, len(before), every)]
        count, found = calls(partial(splice, before, edits, steps=100_000))
        work.append(count)
        assert apply(found.text("file", "file"), before) == edited(before, edits)
    # Every edit has to be put in; that is all.
    assert work[1] <= work[0] + 3 * len(before) // 20


def test_looking_for_the_best_place_of_every_change_is_part_of_the_work() -> None:
    before = (b"\n" * 60 + b"end\n") * 5_000
    edits = [Edit(start=at + 58, end=at + 58, replacement=b"\n") for at in range(0, len(before), 64)]
    count, found = calls(partial(splice, before, edits, steps=STEPS))
    assert count <= STEPS
    assert apply(found.text("file", "file"), before) == edited(before, edits)


def test_what_the_budget_does_not_reach_to_is_one_change_without_what_agrees_at_its_ends() -> None:
    before = [b"line %d\n" % number for number in range(2_000)]
    after = [line if 100 <= number < 1_900 and number % 3 else b"new\n" for number, line in enumerate(before)]
    after[:100], after[1_900:] = before[:100], before[1_900:]
    old, new = b"".join(before), b"".join(after)
    for found in (
        diff(old, new, steps=0),
        splice(old, [Edit(start=0, end=len(old), replacement=new)], steps=0),
    ):
        (hunk,) = found.hunks
        assert [run.kind for run in hunk.runs] == ["context", "removed", "added", "context"]
        assert (hunk.old_start, hunk.old_count) == (100, 1_804)


def test_an_edit_that_makes_no_sense_is_refused_after_the_budget_too() -> None:
    edits = [Edit(start=at, end=at + 1, replacement=b"x") for at in (0, 4, 2)]
    with pytest.raises(ValueError, match="in order, apart, and within 8 bytes"):
        splice(b"a\nb\nc\nd\n", edits, steps=0)


def test_the_memory_for_two_files_at_the_limit_is_six_times_their_size_at_most() -> None:
    old, new = few_kinds(3_300_000)
    tracemalloc.start()
    try:
        text = diff(old, new).text("file", "file")
        assert tracemalloc.get_traced_memory()[1] <= 6 * (len(old) + len(new))
    finally:
        tracemalloc.stop()
    assert text.count(b"\n") > 1_000_000


AWKWARD = [
    "with space",
    "with\ttab",
    'with "quotes"',
    "back\\slash",
    "new\nline",
    "bell\a",
    "dir/ünï.txt",
    "byte\udcff",
    " ",
]


@pytest.mark.parametrize("command", [GIT, PATCH], ids=["git", "patch"])
def test_git_and_patch_find_files_with_awkward_names(tmp_path: Path, command: tuple[str, ...]) -> None:
    texts = b"".join(diff(b"a\n", b"b\n").text(name, name) for name in AWKWARD)
    assert apply_for_real(command, tmp_path / "work", texts, dict.fromkeys(AWKWARD, b"a\n")) == dict.fromkeys(
        AWKWARD, b"b\n"
    )


@pytest.mark.parametrize("command", [GIT, PATCH], ids=["git", "patch"])
def test_git_and_patch_create_and_delete_files(tmp_path: Path, command: tuple[str, ...]) -> None:
    texts = diff(None, b"new\n").text("new", "new") + diff(b"old", None).text("old", "old")
    assert apply_for_real(command, tmp_path / "work", texts, {"old": b"old"}) == {"new": b"new\n"}


def test_names_are_quoted_as_git_quotes_them() -> None:
    assert diff(b"", b"x\n").text('a "b"\t', "c d").split(b"@@")[0] == b'--- "a/a \\"b\\"\\t"\t\n+++ b/c d\t\n'
