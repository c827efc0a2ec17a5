"""Answers are what they say they are: one that could not be read again is no answer."""

from typing import Any

import pytest

from assent.model import Approve, Reject, Respond, Scope


@pytest.mark.parametrize("odd", [None, 5, b"yes", ["a"], True])
@pytest.mark.parametrize(("kind", "more"), [(Approve, {}), (Reject, {}), (Respond, {"result": 1})])
@pytest.mark.parametrize("field", ["note", "by"])
def test_words_are_text(kind: Any, more: dict[str, object], field: str, odd: object) -> None:  # noqa: ANN401 — any of three
    with pytest.raises(TypeError, match="are texts"):
        kind(**more, **{field: odd})


@pytest.mark.parametrize("answer", [Approve(note="\udcff", by="é"), Reject(stop=True, note="\udcff", by="é")])
def test_broken_characters_do_not_cost_the_answer(answer: Approve | Reject) -> None:
    assert (answer.note, answer.by) == (r"\udcff", "é")


@pytest.mark.parametrize("odd", [None, 1, "no", []])
@pytest.mark.parametrize(("kind", "field"), [(Approve, "every_agent"), (Reject, "every_agent"), (Reject, "stop")])
def test_a_choice_is_true_or_false(kind: Any, field: str, odd: object) -> None:  # noqa: ANN401 — either of two
    with pytest.raises(TypeError, match="True or False"):
        kind(**{field: odd})


@pytest.mark.parametrize("bounds", [{"seconds": True}, {"calls": True}, {"calls": 1.0}, {"calls": "1"}])
def test_bounds_are_numbers(bounds: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="numbers"):
        Approve(scope=Scope.ALWAYS, **bounds)


@pytest.mark.parametrize("hunks", [(), (-1,), (True,), ("0",), (0.0,)])
def test_hunks_are_counted(hunks: Any) -> None:  # noqa: ANN401 — none of them is right
    with pytest.raises(ValueError, match="no choice"):
        Approve(hunks=hunks)
