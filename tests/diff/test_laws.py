"""The law of the diff: applied to before, it gives exactly after; said by our reader, git and patch."""

from __future__ import annotations

import random
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.diff import Diff, Edit, diff, splice
from tests.diff.applying import GIT, PATCH, apply, apply_for_real
from tests.diff.versions import LINES, before_and_edits, edited, files


def text(found: Diff) -> bytes:
    return found.text("file", "file")


@settings(max_examples=400)
@given(files, files, st.integers(0, 5))
def test_a_diff_applied_to_before_gives_after(before: bytes, after: bytes, context: int) -> None:
    assert apply(text(diff(before, after, context=context)), before) == after


@settings(max_examples=400)
@given(before_and_edits(), st.integers(0, 5))
def test_a_splice_applied_to_before_gives_after(made: tuple[bytes, list[Edit]], context: int) -> None:
    before, edits = made
    assert apply(text(splice(before, edits, context=context)), before) == edited(before, edits)


@settings(max_examples=200)
@given(before_and_edits())
def test_a_diff_of_two_close_versions_applies_too(made: tuple[bytes, list[Edit]]) -> None:
    before, edits = made
    # Long enough that small edits are found one by one, between long stretches that agree.
    padding = b"".join(b"line %d\n" % number for number in range(300))
    before, after = (padding + part + padding for part in (before, edited(before, edits)))
    before, after = before + before, after + after
    assert apply(text(diff(before, after)), before) == after


@settings(max_examples=300)
@given(files, files, before_and_edits(), st.integers(0, 2_000))
def test_the_law_holds_wherever_the_work_ends(
    before: bytes, after: bytes, made: tuple[bytes, list[Edit]], steps: int
) -> None:
    assert apply(text(diff(before, after, steps=steps)), before) == after
    before, edits = made
    assert apply(text(splice(before, edits, steps=steps)), before) == edited(before, edits)


@settings(max_examples=100)
@given(before_and_edits(), st.integers(0, 20_000))
def test_the_law_holds_for_a_long_file_wherever_the_work_ends(made: tuple[bytes, list[Edit]], steps: int) -> None:
    before, edits = made
    padding = b"".join(b"line %d\n" % number for number in range(300))
    before, after = ((padding + part) * 4 + padding for part in (before, edited(before, edits)))
    assert apply(text(diff(before, after, steps=steps)), before) == after


@given(files, files)
def test_counts_and_byte_ranges_of_a_diff_agree_with_its_text(before: bytes, after: bytes) -> None:
    found = diff(before, after)
    body = [line for hunk in found.hunks for line in hunk.text().split(b"\n")[1:]]
    assert found.added == sum(line.startswith(b"+") for line in body)
    assert found.removed == sum(line.startswith(b"-") for line in body)
    for hunk in found.hunks:
        assert before[hunk.start : hunk.end] == hunk.before
        assert hunk.before == b"".join(line for kind, line in hunk.lines() if kind != "added")
        assert hunk.after == b"".join(line for kind, line in hunk.lines() if kind != "removed")
        assert hunk.old_count == len(BytesIO(hunk.before).readlines())
        assert hunk.new_count == len(BytesIO(hunk.after).readlines())
        assert hunk.lines_before == before.count(b"\n", 0, hunk.start)


@given(files)
def test_nothing_differs_from_itself(content: bytes) -> None:
    assert diff(content, content).hunks == ()
    assert text(diff(content, content)) == b""


def made_up(seed: int, count: int) -> list[tuple[bytes, bytes, Diff]]:
    """Before, after and diff of many small files, half compared and half spliced."""
    chance = random.Random(seed)  # noqa: S311 — no secret

    def file(most: int) -> bytes:
        lines = b"".join(chance.choice(LINES) for _ in range(chance.randrange(most)))
        return lines + chance.choice((b"", b"", b"end", b"end\r"))

    made: list[tuple[bytes, bytes, Diff]] = []
    while len(made) < count:
        before = file(24)
        places = sorted(chance.randrange(len(before) + 1) for _ in range(2 * chance.randrange(4)))
        edits = [
            Edit(start=start, end=end, replacement=file(4))
            for start, end in zip(places[::2], places[1::2], strict=True)
        ]
        after = edited(before, edits) if chance.random() < 0.8 else file(24)
        compared = chance.random() < 0.5 or after != edited(before, edits)
        made.append((before, after, diff(before, after) if compared else splice(before, edits)))
    return made


@pytest.mark.parametrize("command", [GIT, PATCH], ids=["git", "patch"])
def test_git_and_patch_make_exactly_after_of_before(tmp_path: Path, command: tuple[str, ...]) -> None:
    made = {f"f{number}": one for number, one in enumerate(made_up(7, 1500))}
    texts = b"".join(found.text(name, name) for name, (_, _, found) in made.items())
    before = {name: old for name, (old, _, _) in made.items()}
    assert apply_for_real(command, tmp_path / "work", texts, before) == {
        name: new for name, (_, new, _) in made.items()
    }
