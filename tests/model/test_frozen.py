import copy
import dataclasses
import json
import math
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given

from assent.errors import Unspellable
from assent.model import ApprovalRequest, FrozenDict, ToolCall, canonical, digest, freeze, operation, thaw
from assent.model._frozen import _encoder
from tests.strategies import objects, text


def same(left: object, right: object) -> bool:
    """Equality of JSON data, where 1, 1.0 and True are three values and -0.0 is not 0.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return repr(left) == repr(right)


@given(objects)
def test_thawing_what_was_frozen_gives_it_back(value: dict[str, object]) -> None:
    assert same(thaw(freeze(value)), value)


@given(objects)
def test_json_reads_frozen_data_as_the_data_it_is(value: dict[str, object]) -> None:
    assert same(json.loads(canonical(freeze(value))), value)


@given(objects, objects)
def test_fingerprints_are_equal_exactly_when_their_spelling_is(
    left: dict[str, object], right: dict[str, object]
) -> None:
    assert (canonical(freeze(left)) == canonical(freeze(right))) is same(left, right)
    assert (freeze(left) == freeze(right)) is same(left, right)


@given(objects)
def test_the_spelling_is_that_of_the_json_module(value: dict[str, object]) -> None:
    plain = json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))
    assert canonical(freeze(value)) == _encoder.encode(freeze(value)) == plain


@given(objects)
def test_the_order_of_keys_does_not_matter(value: dict[str, object]) -> None:
    backwards = dict(reversed(value.items()))
    assert digest(freeze(backwards)) == digest(freeze(value))


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"a": object()}, "arguments.a"),
        ({"a": {1: "x"}}, "arguments.a"),
        ({"a": [{"b": math.nan}]}, "arguments.a[0].b"),
        ({"a": math.inf}, "arguments.a"),
        ({"a": b"bytes"}, "arguments.a"),
        ({"a": {"x", "y"}}, "arguments.a"),
        ({"a": "\ud800"}, "arguments.a"),
        ({"\ud800": 1}, "arguments"),
        ({"a": 1 + 2j}, "arguments.a"),
    ],
)
def test_what_json_cannot_spell_is_refused_and_named(value: dict[str, object], where: str) -> None:
    with pytest.raises(Unspellable) as refusal:
        freeze(value)
    assert refusal.value.where == where
    assert refusal.value.code == "unspellable"


def test_data_that_contains_itself_is_refused() -> None:
    value: dict[str, object] = {}
    value["self"] = [value]
    with pytest.raises(Unspellable, match="nested too deeply"):
        freeze(value)


def test_nobody_can_change_frozen_data() -> None:
    frozen = freeze({"a": [1, {"b": 2}]})
    changes: list[Callable[[], object]] = [
        lambda: frozen.update(a=2),
        lambda: frozen.pop("a"),
        lambda: frozen.setdefault("c", 1),
        frozen.clear,
        frozen.popitem,
        lambda: frozen.__setitem__("a", 1),
        lambda: frozen.__delitem__("a"),
        lambda: frozen.__ior__({"a": 1}),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="frozen"):
            change()
    assert thaw(frozen) == {"a": [1, {"b": 2}]}


def test_changing_what_was_passed_does_not_change_the_call() -> None:
    args: dict[str, object] = {"files": ["a"]}
    call = ToolCall(run="r", id="1", tool_name="t", args=args)
    before = call.digest
    args["files"] = ["b"]
    call.arguments()["files"] = ["c"]
    assert call.digest == before
    assert call.arguments() == {"files": ["a"]}


def test_frozen_data_survives_copying_and_pickling() -> None:
    frozen = freeze({"a": [1, {"b": 2}]})
    for copied in (copy.copy(frozen), copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen))):  # noqa: S301
        assert copied == frozen
        assert type(copied) is FrozenDict
        assert hash(copied) == hash(frozen)


def test_equal_frozen_data_has_equal_hashes_and_one_is_not_true() -> None:
    assert freeze({"n": 1}) != freeze({"n": True})
    assert freeze({"n": 1}) != freeze({"n": 1.0})
    assert freeze({"n": [1]}) == freeze({"n": [1]})
    assert len({freeze({"n": 1}), freeze({"n": 1}), freeze({"n": True})}) == 2


def test_the_digest_binds_the_tool_and_every_argument() -> None:
    call = ToolCall(run="r", id="1", tool_name="t", args={"a": 1})
    others = [
        ToolCall(run="r", id="1", tool_name="u", args={"a": 1}),
        ToolCall(run="r", id="1", tool_name="t", args={"a": 2}),
        ToolCall(run="r", id="1", tool_name="t", args={"a": 1, "b": None}),
        ToolCall(run="r", id="1", tool_name="t", args={"a": True}),
    ]
    assert call.digest not in {other.digest for other in others}
    assert call.digest == ToolCall(run="s", id="2", tool_name="t", args={"a": 1}).digest


@given(objects, text)
def test_a_call_is_named_by_the_one_spelling_however_often_it_is_asked_for(args: dict[str, object], name: str) -> None:
    call = ToolCall(run="r", id="1", tool_name=name, args=args)
    request = ApprovalRequest(description="d", fingerprint=call.args)
    for _ in range(2):
        assert call.digest == digest((name, freeze(args)))
        assert operation(call, request) == canonical((name, freeze(args)))


@given(objects)
def test_a_call_made_the_short_way_has_the_same_arguments(args: dict[str, object]) -> None:
    short, long = ToolCall.of("r", "1", "t", args, ()), ToolCall(run="r", id="1", tool_name="t", args=args)
    assert canonical(short.args) == canonical(long.args)
    assert isinstance(short.args, FrozenDict)
    assert isinstance(long.args, FrozenDict)
    assert short.args.flat == long.args.flat
    assert same(short.arguments(), args)


def test_a_call_made_the_short_way_is_the_same_call_and_as_frozen() -> None:
    short = ToolCall.of("r", "1", "t", {"a": [1]}, ("agent",))
    long = ToolCall(run="r", id="1", tool_name="t", args={"a": [1]}, agents=("agent",))
    assert short == long
    assert type(short) is type(long) is ToolCall
    for call in (short, long):
        with pytest.raises(dataclasses.FrozenInstanceError):
            call.run = "another"  # type: ignore[misc]
        assert pickle.loads(pickle.dumps(call)) == call  # noqa: S301
    with pytest.raises(Unspellable):
        ToolCall.of("r", "1", "t", {"a": object()}, ())
