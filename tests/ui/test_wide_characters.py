"""Characters that take two columns: a line of them is as long as it looks, not as it counts."""

from __future__ import annotations

from assent.ui._wrap import wrap


def test_wide_characters_wrap_by_the_columns_they_take() -> None:
    assert wrap("漢字漢字漢字", 8) == ["漢字漢字", "漢字"]
    assert wrap("ｆｕｌｌ", 4) == ["ｆｕ", "ｌｌ"]
    assert wrap("🙂🙂🙂", 4) == ["🙂🙂", "🙂"]


def test_a_wide_character_does_not_straddle_the_edge() -> None:
    assert wrap("a漢字", 4) == ["a漢", "字"]
    assert wrap("漢字", 3) == ["漢", "字"]


def test_a_mark_stays_on_the_letter_it_belongs_to_and_takes_no_column() -> None:
    assert wrap("e\u0301" * 8, 4) == ["e\u0301" * 4, "e\u0301" * 4]
