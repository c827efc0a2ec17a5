from __future__ import annotations

import re
import string
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assent.ui import visible

HIDDEN_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
ANYTHING = st.text(st.characters(codec=None))


def unspelled(text: str) -> str:
    return re.sub("⟨U\\+([0-9A-F]{4,6})⟩", lambda spelled: chr(int(spelled[1], 16)), text)


@given(ANYTHING, st.sampled_from(["", "\n", "\n\t"]))
@example("\x1b[2K\x9b31m", "")
@example("a\u202eb\u2066c\ufeff\U000e0041", "\n\t")
def test_nothing_hidden_is_left_but_what_is_kept(text: str, keep: str) -> None:
    left = {char for char in visible(text, keep=keep) if unicodedata.category(char) in HIDDEN_CATEGORIES}
    assert left <= set(keep)


@given(st.text(string.ascii_letters + string.digits + string.punctuation + " äßéжλ漢字ひらがな한국어→─│"))
def test_plain_printable_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(ANYTHING)
@example("⟨U+202E⟩")
def test_what_was_spelled_out_can_be_told_from_what_was_written(text: str) -> None:
    assert unspelled(visible(text)) == text


@pytest.mark.parametrize(
    "blank",
    "\u00a0\u2003\u3000\u3164\u2800\u115f\u034f\ufe0f\u180b\U000e0100\u2d7f\U00010a3f\U0001107f\U00013441\U00013442",
)
def test_what_looks_like_a_blank_or_like_nothing_is_spelled_out(blank: str) -> None:
    assert visible(f"rm{blank}x") == f"rm⟨U+{ord(blank):04X}⟩x"


def test_what_a_terminal_would_obey_is_spelled_out() -> None:
    assert visible("ok\x1b[1A\rno\x7f\x9b2J") == "ok⟨U+001B⟩[1A⟨U+000D⟩no⟨U+007F⟩⟨U+009B⟩2J"
