from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assent.ui._wrap import cells, wrap

LINES = st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters=" \t漢é\u0301"), max_size=200)


@given(LINES, st.integers(8, 60))
def test_a_wrapped_line_is_the_whole_line(line: str, width: int) -> None:
    assert "".join(wrap(line, width)) == line


@given(LINES, st.integers(8, 60))
def test_no_piece_is_wider_than_the_terminal(line: str, width: int) -> None:
    assert all(cells(piece) <= width for piece in wrap(line, width))


def test_a_line_breaks_between_words_where_it_can() -> None:
    assert wrap("one two three", 8) == ["one two ", "three"]
    assert wrap("漢字漢字 abcdefghij", 8) == ["漢字漢字", " abcdefg", "hij"]
