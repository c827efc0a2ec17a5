"""What a person approves of an Anthropic tool's arguments is what its function gets."""

from typing import Annotated, Any
from urllib.parse import unquote

import pytest
from anthropic.lib.tools import ToolError, beta_tool
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, BeforeValidator, Json

from assent import Approve, Gate
from assent.adapters.anthropic import Gated, gated
from assent.adapters.anthropic._arguments import Shape
from assent.model import Allow, Fixed
from assent.testing import Answers, memory_store

LEVELS = {"low": 1, "high": 2}


def asking() -> tuple[Gate, Answers]:
    person = Answers(Approve())
    return Gate(approver=person, store=memory_store()), person


def decoded(path: Annotated[str, BeforeValidator(unquote)]) -> str:
    """Delete a file."""
    return path


def converted(cents: Annotated[int, AfterValidator(lambda euros: euros * 100)]) -> str:
    """Pay."""
    return str(cents)


def parsed(value: Json[Any]) -> str:
    """Keep a value."""
    return str(value)


class Payment(BaseModel):
    cents: Annotated[int, AfterValidator(lambda euros: euros * 100)]


def nested(payment: Payment) -> str:
    """Pay."""
    return str(payment)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (decoded, {"path": "notes/%252e%252e/etc"}),
        (converted, {"cents": 5}),
        (parsed, {"value": '"\\"rm\\""'}),
        (nested, {"payment": {"cents": 5}}),
    ],
)
def test_arguments_that_a_validator_would_change_again_are_refused(function: Any, args: dict[str, Any]) -> None:  # noqa: ANN401
    gate, person = asking()
    with pytest.raises(ToolError, match="a validator changes again"):
        gated(beta_tool(function), gate).call(args)
    assert person.asked == []


def test_a_validator_that_leaves_its_own_result_alone_may_change_the_arguments() -> None:
    @beta_tool
    def note(text: Annotated[str, BeforeValidator(str.strip)], level: Annotated[str, AfterValidator(str.lower)]) -> str:
        """Write a note."""
        return f"{level}: {text}"

    gate, person = asking()
    assert gated(note, gate).call({"text": " milk ", "level": "LOW"}) == "low: milk"
    assert dict(person.asked[0].call.args) == {"text": "milk", "level": "low"}


@given(
    args=st.fixed_dictionaries(
        {
            "text": st.text(),
            "count": st.integers() | st.booleans() | st.sampled_from(["7", "-1", "1_0", " 3 "]),
            "ratio": st.floats(allow_nan=False) | st.integers() | st.sampled_from(["1.5", "1e3", "inf"]),
            "sure": st.booleans() | st.sampled_from(["yes", "off", 1, 0, "true"]),
            "level": st.none() | st.integers() | st.text(),
        }
    )
)
def test_plain_arguments_read_themselves_back(args: dict[str, Any]) -> None:
    seen: list[dict[str, Any]] = []

    @beta_tool
    def plain(text: str, count: int, ratio: float, sure: bool, level: int | str | None = None) -> str:  # noqa: FBT001
        """Take plain values."""
        seen.append({"text": text, "count": count, "ratio": ratio, "sure": sure, "level": level})
        return "taken"

    spelled = Shape(plain).spelled(args)
    plain.call(spelled)
    assert repr(sorted(seen[0].items())) == repr(sorted(spelled.items()))  # as text: 1 and True are equal


def level(name: Annotated[str, AfterValidator(lambda name: LEVELS[name] and name)]) -> str:
    """Set a level."""
    return f"set {name}"


async def test_a_validator_that_breaks_spoils_its_own_call_only() -> None:
    @beta_tool
    def note(text: str) -> str:
        """Write a note."""
        return f"wrote {text}"

    gate, person = asking()
    behind = Gated(gate, run="42")
    behind.tools(note, beta_tool(level))
    answers = await behind.results(
        [
            {"type": "tool_use", "id": "1", "name": "note", "input": {"text": "a"}},
            {"type": "tool_use", "id": "2", "name": "level", "input": {"name": "none such"}},
        ]
    )
    good, bad = answers["content"]
    assert good["content"] == "wrote a"
    assert "invalid_arguments" in bad["content"]
    assert [pending.call.tool_name for pending in person.asked] == ["note"]


def test_two_tools_of_the_same_name_are_refused() -> None:
    def note(text: str) -> str:
        """Write a note."""
        return text

    free, other = beta_tool(note), beta_tool(note)
    behind = Gated(asking()[0], policies={"note": Fixed(Allow(reason="free"))})
    behind.tools(free)
    behind.tools(free)
    with pytest.raises(ValueError, match="two tools are named 'note'"):
        behind.tools(other)
    with pytest.raises(ValueError, match="two tools are named 'note'"):
        Gated().tools(free, other)
