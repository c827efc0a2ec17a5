"""Laws of the comparison itself: what agrees really agrees, in order, and nothing obvious is missed."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from assent.diff._gallop import common_head, common_prefix, common_suffix, common_tail
from assent.diff._match import match
from assent.diff._myers import Search

few = st.lists(st.integers(0, 4), max_size=60)
many = st.lists(st.integers(0, 80), max_size=60)


@settings(max_examples=400)
@given(few | many, few | many)
def test_blocks_agree_and_come_in_order(old: list[int], new: list[int]) -> None:
    blocks = match(old, new)
    for block in blocks:
        assert block.size > 0
        assert old[block.i : block.i + block.size] == new[block.j : block.j + block.size]
    for block, then in pairwise(blocks):
        assert block.i + block.size <= then.i
        assert block.j + block.size <= then.j
        assert (block.i + block.size, block.j + block.size) != (then.i, then.j)


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
    assert sum(block.size for block in Search(work=10_000).blocks(old, new)) == shortest(old, new)


@given(few, st.data())
def test_what_is_left_of_a_sequence_is_found_whole(old: list[int], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(old), max_size=len(old)))
    new = [item for item, keep in zip(old, kept, strict=True) if keep]
    found = sum(block.size for block in Search(work=10_000).blocks(old, new))
    assert found == len(new)


def test_a_search_without_work_left_finds_nothing() -> None:
    assert list(Search(work=0).blocks([1, 2], [1, 2])) == []


def test_lines_that_stand_out_hold_the_two_together() -> None:
    # The shortest way keeps the braces; a person would keep the function.
    old = ["f {", "  a", "}", "", "g {", "  b", "}"]
    new = ["g {", "  b", "}", "", "f {", "  c", "}"]
    kept = [old[block.i + step] for block in match(old, new) for step in range(block.size)]
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


def test_a_repetitive_comparison_keeps_at_least_what_difflib_keeps() -> None:
    old, new = [number * number % 7 for number in range(900)], [number * number % 11 % 7 for number in range(900)]
    peer = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in match(old, new)) >= sum(block.size for block in peer)
