"""Did you mean …? What is close is found wherever it stands; what is not close is not suggested."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.diff import suggest
from tests.diff.versions import files

CODE = (
    b"".join(b"    value_%d = load(%d, name)\n" % (number, number % 50) for number in range(2_000))
    + b"""\
def calculate_total(items):
    total = 0
    for item in items:
        total += item.price
    return total
"""
)


@pytest.mark.parametrize(
    "wanted",
    [
        b"def calcualte_total(items):",
        b"def calculate_totals(items):\n    total = 0\n    for item in items:\n",
        b"def calculate_total(items):\n\ttotal = 0\n\tfor item in items:\n",
        b"def calculate_total(items):\r\n    total = 0\r\n",
        b"def calculate_total( items ):",
        b"def calculate_total(things):\n    total = 1\n    for item in items:\n        total += item.price\n",
    ],
    ids=["typo", "one line of three", "tabs", "line ends", "spaces", "two lines of four"],
)
def test_the_place_that_was_meant_comes_first(wanted: bytes) -> None:
    found = suggest(CODE, wanted)
    assert found[0].line == 2_001
    assert found[0].text.startswith("def calculate_total(items):")
    assert found[0].text.count("\n") == wanted.rstrip(b"\n").count(b"\n")


def test_a_piece_of_a_line_is_found_in_its_line() -> None:
    code = b"import os\n" * 50 + b"client = Client(host, port, timeout=60, retries=3, backoff=12, verify=True)\n"
    assert [one.line for one in suggest(code, b"timeout=30")] == [51]


def test_a_place_that_differs_only_in_space_wins_over_one_that_looks_more_alike() -> None:
    code = b"if ready:\n\tstart( engine )\nif ready:\n    start(engine2)\n"
    assert [one.line for one in suggest(code, b"if ready:\n    start(engine)\n")] == [1]


def test_a_line_end_is_no_difference_to_a_file_with_other_ones() -> None:
    assert [one.line for one in suggest(CODE.replace(b"\n", b"\r\n"), b"    total = 0\n    for item in items:\n")] == [
        2_002
    ]


def test_all_of_a_file_at_the_limit_is_searched() -> None:
    code = b"value = 1\n" * 999_990 + b"return  total\n"
    assert [one.line for one in suggest(code, b"return total\n")] == [999_991]


def test_at_most_as_many_as_asked_for_and_the_best_first() -> None:
    code = b"alpha beta gamma delta\n\nalpha beta gamma zeta\n\nalpha beta kappa delta\n\nalpha beta gamma delta one\n"
    assert [one.line for one in suggest(code, b"alpha beta gamma delta!\n")] == [1, 7, 3]
    assert [one.line for one in suggest(code, b"alpha beta gamma delta!\n", most=1)] == [1]


@pytest.mark.parametrize("wanted", [b"", b"\n", b" \t\n", b"}", b"class Zebra(Quagga):\n    stripes = 26\n", b"\0\xff"])
def test_nothing_silly_is_suggested(wanted: bytes) -> None:
    assert suggest(CODE, wanted) == []


def test_letters_in_the_middle_of_a_word_are_not_taken_for_words_with_space_between() -> None:
    assert suggest(b"abcdefgh\n", b"c d e f") == []
    assert [one.line for one in suggest(b"x\n(cdef)\n", b"c d e f")] == [2]


def test_a_long_suggestion_is_cut_and_says_so() -> None:
    found = suggest(b"value = [" + b"1234567890, " * 1_000 + b"]\n", b"value = [1234567890, 1234567890, 1234567891, ")
    assert found[0].text.endswith(" … (cut)")
    assert len(found[0].text) < 500


def test_bytes_that_are_no_text_are_shown_escaped() -> None:
    assert suggest(b"caf\xe9 au lait\n", b"cafe au lait\n")[0].text == "caf\\xe9 au lait"


@given(files, st.binary(max_size=40))
def test_a_suggestion_is_a_line_of_the_file(data: bytes, wanted: bytes) -> None:
    found = suggest(data, wanted)
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    assert len(found) <= 3
    for one in found:
        assert one.text.split("\n")[0].removesuffix("\r") in lines[one.line - 1]


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"a" * 5_000_000, b"a" * 1_000 + b"b"),
        (b"word " * 1_000_000, b"word " * 5_000 + b"end"),
        (b"same line here\n" * 50_000, b"same line hera\n" * 5_000),
        (b"\n" * 5_000_000, b"x\n\n\n\ny"),
        (CODE * 20, CODE[:200_000].replace(b"load", b"lead")),
        (b"\n" * 9_500_000 + b"a b c\n" * 64, b"abc\n"),
        (b"a b c\n" * 1_600_000, b"abc\n" * 1_590_000),
        (b"abc def\n" * 1_200_000, b"abc dex\n" * 1_200_000),
    ],
    ids=["one letter", "one line", "equal lines", "empty lines", "much wanted", "late", "as long", "as long, other"],
)
def test_the_time_it_takes_is_bounded(data: bytes, wanted: bytes) -> None:
    before = time.process_time()
    suggest(data, wanted)
    # A tenth of a second is the aim, measured in bench; this is the difference between that and forever.
    assert time.process_time() - before < 3
