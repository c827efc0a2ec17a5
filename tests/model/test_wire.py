import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import ValidationError

from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Effect,
    Grant,
    JournalEntry,
    Pending,
    Permit,
    Presentation,
    Preview,
    Ruling,
    ToolCall,
    Verdict,
    pending_id,
    wire,
)
from tests.strategies import calls, decisions, effects, grants, pendings, previews, requests, rulings, verdicts


@given(st.one_of(calls, requests, previews, pendings, grants, rulings, effects))
def test_every_value_survives_the_wire(value: object) -> None:
    assert wire.load(type(value), wire.dump(value)) == value


@given(verdicts)
def test_every_verdict_survives_the_wire_as_what_it_was(verdict: Verdict) -> None:
    assert wire.load(Verdict, wire.dump(verdict)) == verdict  # type: ignore[arg-type]


@given(decisions)
def test_every_answer_survives_the_wire_as_what_it_was(decision: ApprovalDecision) -> None:
    assert wire.load_decision(wire.dump(decision)) == decision
    assert wire.load_decision(wire.dump_decision(decision)) == decision
    assert wire.dump(wire.load_decision(wire.dump_decision(decision))) == wire.dump(decision)


@pytest.mark.parametrize(
    "answer",
    [
        "{}",
        '{"note": "no kind"}',
        '{"kind": "approve", "override_arg": {"a": 1}}',
        '{"kind": "approve", "scope": "forever"}',
        '{"kind": "reject", "stop": "yes"}',
        '{"kind": "yes"}',
        '"approve"',
        "true",
        "not json",
    ],
)
def test_an_answer_that_is_not_exactly_one_is_refused(answer: str) -> None:
    with pytest.raises(ValidationError):
        wire.load_decision(answer)


def test_an_answer_inside_a_ruling_says_its_kind_too() -> None:
    text = '{"pending": "p", "outcome": "rejected", "by": "ana", "at": 1.0, "decision": {}}'
    with pytest.raises(ValidationError):
        wire.load(Ruling, text)


def test_a_permit_does_not_travel() -> None:
    permit = Permit(ToolCall(run="r", id="1", tool_name="t", args={}), "x")
    with pytest.raises(TypeError, match="does not travel"):
        wire.dump(permit)
    with pytest.raises(TypeError, match="does not travel"):
        wire.load(Permit, "{}")


def test_what_has_a_default_may_be_left_out() -> None:
    call = wire.load(ToolCall, '{"run": "r", "id": "1", "tool_name": "t", "args": {}}')
    assert call == ToolCall(run="r", id="1", tool_name="t", args={})


@pytest.mark.parametrize(
    "value", [ToolCall, Verdict, Preview, Pending, ApprovalDecision, Ruling, Grant, Effect, JournalEntry]
)
def test_every_value_has_a_schema(value: object) -> None:
    assert wire.schema(value)


def test_the_schema_says_how_an_answer_is_written() -> None:
    schema = wire.schema(ApprovalDecision)
    assert schema["discriminator"] == snapshot(
        {
            "mapping": {"approve": "#/$defs/Approve", "reject": "#/$defs/Reject", "respond": "#/$defs/Respond"},
            "propertyName": "kind",
        }
    )


def test_a_question_on_the_wire() -> None:
    call = ToolCall(run="r", id="1", tool_name="send", args={"to": "bob"}, agents=("main",))
    request = ApprovalRequest(description="Send to bob", fingerprint={"to": "bob"})
    presentation = Presentation(type="text", description="Send to bob", content="hello")
    pending = Pending(
        id=pending_id(call),
        call=call,
        request=request,
        preview=Preview(presentation=presentation),
        digest=call.digest,
        created=1.0,
        expires=301.0,
    )
    assert wire.dump(pending) == snapshot(
        '{"id":"8685a29a30f6f3e2307b2e21d7af1a9e","call":{"run":"r","id":"1","tool_name":"send","args":{"to":"bob"},"agents":["main"],"group_id":null,"metadata":{}},"request":{"description":"Send to bob","fingerprint":{"to":"bob"},"reason":"this tool asks every time","group_id":null,"covers":"","wider":[],"kind":"ask"},"preview":{"presentation":{"type":"text","description":"Send to bob","content":"hello","language":null,"full_content":null,"command":null},"evidence":[]},"digest":"7efd6916885b31d2412d09d6abe9e5caf8db3662d91babb6ef3f4e925500f9aa","created":1.0,"expires":301.0}'
    )
