"""The tests' own reader of diffs is as strict as git: otherwise the law would prove nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diff.applying import GIT, DoesNotApply, apply, apply_for_real

BEFORE = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\neight"
GOOD = b"""\
--- a/file
+++ b/file
@@ -2,7 +2,7 @@
 two
 three
 four
-five
+FIVE
 six
 seven
 eight
\\ No newline at end of file
"""


def test_what_git_applies_the_reader_applies(tmp_path: Path) -> None:
    after = BEFORE.replace(b"five", b"FIVE")
    assert apply(GOOD, BEFORE) == after
    assert apply_for_real(GIT, tmp_path / "work", GOOD, {"file": BEFORE}) == {"file": after}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (b" two\n", b" to\n"),
        (b"-five\n", b"-fiv\n"),
        (b"@@ -2,7 +2,7 @@", b"@@ -2,8 +2,7 @@"),
        (b"@@ -2,7 +2,7 @@", b"@@ -2,6 +2,7 @@"),
        (b"\\ No newline at end of file\n", b""),
        (b" seven\n", b"?seven\n"),
        (b"+++ b/file\n", b""),
    ],
    ids=["context", "removed", "too many lines", "too few lines", "no marker", "odd mark", "no head"],
)
def test_what_git_refuses_the_reader_refuses(tmp_path: Path, right: bytes, wrong: bytes) -> None:
    assert right in GOOD
    broken = GOOD.replace(right, wrong)
    with pytest.raises(DoesNotApply):
        apply(broken, BEFORE)
    with pytest.raises(AssertionError):
        apply_for_real(GIT, tmp_path / "work", broken, {"file": BEFORE})


def test_the_reader_refuses_wrong_line_numbers_which_git_forgives() -> None:
    for wrong in (b"@@ -3,7 +2,7 @@", b"@@ -2,7 +3,7 @@"):
        with pytest.raises(DoesNotApply):
            apply(GOOD.replace(b"@@ -2,7 +2,7 @@", wrong), BEFORE)
