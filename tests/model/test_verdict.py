from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.model import Deny, Verdict, strictest, strictness
from tests.strategies import verdicts


@given(verdicts, verdicts, verdicts)
def test_the_strictest_verdict_does_not_depend_on_how_they_are_grouped(a: Verdict, b: Verdict, c: Verdict) -> None:
    assert strictest([strictest([a, b]), c]) == strictest([a, strictest([b, c])]) == strictest([a, b, c])


@given(st.lists(verdicts, min_size=1))
def test_the_strictest_verdict_is_never_more_lenient_than_any_of_them(many: list[Verdict]) -> None:
    winner = strictest(many)
    assert winner in many
    assert all(strictness(winner) >= strictness(verdict) for verdict in many)


@pytest.mark.parametrize("said", [{"reason": None}, {"reason": 5}, {"reason": "no", "code": None}])
def test_the_words_of_a_denial_are_text(said: Any) -> None:  # noqa: ANN401 — none of them is right
    with pytest.raises(TypeError, match="are text"):
        Deny(**said)


def test_no_verdict_at_all_denies() -> None:
    assert strictest([]) == Deny(reason="no rule covers this call")
