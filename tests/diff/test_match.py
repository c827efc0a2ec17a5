"""Laws of the comparison itself: what agrees really agrees, in order, and nothing obvious is missed."""

from __future__ import annotations

import random
from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.diff._budget import Budget
from assent.diff._gallop import common_head, common_lines, common_prefix, common_suffix, common_tail
from assent.diff._lines import lines_below, split_lines
from assent.diff._match import match
from assent.diff._myers import Search

few = st.lists(st.integers(0, 4), max_size=60)
many = st.lists(st.integers(0, 80), max_size=60)


@settings(max_examples=400)
@given(few | many, few | many)
def test_blocks_agree_and_come_in_order(old: list[int], new: list[int]) -> None:
    blocks = match(old, new, Budget())
    for block in blocks:
        assert block.size > 0
        assert old[block.i : block.i + block.size] == new[block.j : block.j + block.size]
    for block, then in pairwise(blocks):
        assert block.i + block.size <= then.i
        assert block.j + block.size <= then.j
        assert (block.i + block.size, block.j + block.size) != (then.i, then.j)


@given(few | many, few | many, st.integers(0, 1_500))
def test_what_is_found_on_a_small_budget_agrees_and_comes_in_order(old: list[int], new: list[int], steps: int) -> None:
    ends = (0, 0)
    for block in match(old, new, Budget(steps)):
        assert old[block.i : block.i + block.size] == new[block.j : block.j + block.size]
        assert ends <= (block.i, block.j)
        assert ends[1] <= block.j
        ends = (block.i + block.size, block.j + block.size)


class Watched:
    """An item that counts how often any of them is looked at."""

    looks = 0

    def __init__(self, value: int) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        Watched.looks += 1
        return isinstance(other, Watched) and self._value == other._value

    def __hash__(self) -> int:
        Watched.looks += 1
        return hash(self._value)


@pytest.mark.parametrize(
    "value",
    [
        lambda chance, _: chance.randrange(2),
        lambda chance, _: chance.randrange(200),
        lambda chance, at: at if at % 2 else chance.randrange(10),
        lambda chance, at: at ^ chance.randrange(64),
        lambda chance, at: at * at % 10_007 + chance.randrange(3),
    ],
    ids=["two kinds", "many kinds", "every second", "nearly in order", "now and then"],
)
@pytest.mark.parametrize("steps", [1_000, 50_000, 400_000])
def test_a_comparison_does_not_do_more_work_than_it_may(value: Callable[[random.Random, int], int], steps: int) -> None:
    chance = random.Random(5)  # noqa: S311 — no secret
    old, new = ([Watched(value(chance, at)) for at in range(40_000)] for _ in range(2))
    Watched.looks = 0
    match(old, new, Budget(steps))
    assert Watched.looks <= steps


def test_a_budget_that_was_too_small_once_is_used_up() -> None:
    budget = Budget(10)
    assert budget.take(4)
    assert not budget.take(7)
    assert not budget.take(1)


def shortest(old: list[int], new: list[int]) -> int:
    """How many items the longest common subsequence has, from the table everybody learns."""
    row = [0] * (len(new) + 1)
    for item in old:
        above = row
        row = [0]
        for j, other in enumerate(new):
            row.append(above[j] + 1 if item == other else max(above[j + 1], row[j]))
    return row[-1]


@settings(max_examples=300)
@given(st.lists(st.integers(0, 4), max_size=14), st.lists(st.integers(0, 4), max_size=14))
def test_a_search_that_can_look_to_the_end_finds_the_shortest_way(old: list[int], new: list[int]) -> None:
    assert sum(block.size for block in Search(Budget()).blocks(old, new)) == shortest(old, new)


@given(few, st.data())
def test_what_is_left_of_a_sequence_is_found_whole(old: list[int], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(old), max_size=len(old)))
    new = [item for item, keep in zip(old, kept, strict=True) if keep]
    found = sum(block.size for block in Search(Budget()).blocks(old, new))
    assert found == len(new)


def test_a_search_without_work_left_finds_nothing() -> None:
    assert list(Search(Budget(0)).blocks([1, 2], [1, 2])) == []


def test_lines_that_stand_out_hold_the_two_together() -> None:
    # The shortest way keeps the braces; a person would keep the function.
    old = ["f {", "  a", "}", "", "g {", "  b", "}"]
    new = ["g {", "  b", "}", "", "f {", "  c", "}"]
    kept = [old[block.i + step] for block in match(old, new, Budget()) for step in range(block.size)]
    assert "g {" in kept
    assert "  b" in kept


texts = st.binary(max_size=3).map(lambda piece: piece * 700)


@given(texts, st.binary(max_size=9), st.binary(max_size=9), texts)
def test_common_ends_of_bytes_are_found_to_the_byte(head: bytes, one: bytes, other: bytes, tail: bytes) -> None:
    old, new = head + one + tail, head + other + tail
    most = min(len(old), len(new))
    front = next((at for at in range(most) if old[at] != new[at]), most)
    back = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    assert common_head(old, 0, new, 0) == common_prefix(old, 0, new, 0, most=most) == front
    assert common_tail(old, 0, new, 0) == common_suffix(old, len(old), new, len(new), most=most) == back
    assert common_tail(old, front, new, front) == min(back, most - front)


@given(
    st.binary(max_size=12).map(lambda piece: piece.translate(bytes(b"ab\n"[byte % 3] for byte in range(256)))),
    st.data(),
)
def test_common_lines_are_whole_lines_and_all_that_agree(middle: bytes, data: st.DataObject) -> None:
    head, one, tail = middle[:4], middle[4:8], middle[8:]
    old, new = head + one + tail, head + data.draw(st.sampled_from((b"", b"a", b"\n", b"b\n", one))) + tail
    front, back = common_lines(old, new)
    assert old[:front] == new[:front]
    assert old[len(old) - back :] == new[len(new) - back :]
    rests = old[front : len(old) - back], new[front : len(new) - back]
    assert split_lines(old) == split_lines(old[:front]) + split_lines(rests[0]) + split_lines(old[len(old) - back :])
    assert split_lines(new) == split_lines(new[:front]) + split_lines(rests[1]) + split_lines(new[len(new) - back :])
    left, right = map(split_lines, rests)
    assert not (left and right and (left[0] == right[0] or left[-1] == right[-1]))


def test_a_repetitive_comparison_keeps_at_least_what_difflib_keeps() -> None:
    old, new = [number * number % 7 for number in range(900)], [number * number % 11 % 7 for number in range(900)]
    peer = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in match(old, new, Budget())) >= sum(block.size for block in peer)


@given(st.lists(st.binary(max_size=90).map(lambda line: line.translate(None, b"\n"))), st.data())
def test_a_line_far_below_is_found_as_by_walking_down(lines: list[bytes], data: st.DataObject) -> None:
    text = b"\n".join(lines)
    first = data.draw(st.integers(0, max(len(lines) - 1, 0)))
    count = data.draw(st.integers(0, len(lines) + 2))
    starts = [len(b"\n".join([*lines[:number], b""])) for number in range(len(lines))]
    at = starts[first] if starts else 0
    expected = starts[first + count] if first + count < len(starts) else len(text) if count else at
    assert lines_below(text, at, count, b"\n") == expected
