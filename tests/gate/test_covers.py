"""What a remembered answer covers is what was said of it, in the prompt and in every list."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import ApprovalRequest, Approve, Gate, Pending, Reject, Rejected, Scope, ToolCall, requires_approval
from assent.errors import DeniedByPolicy
from assent.model import EXACTLY, Wider, arguments_preview, canonical, coverage, operation, pending_id, wire
from assent.testing import Answers
from tests.gate.kit import Recorder, call, gate
from tests.strategies import calls, requests

FOR_THE_RUN = Approve(scope=Scope.SESSION, by="ana")


def described(call: ToolCall) -> ApprovalRequest:
    return ApprovalRequest(description=f"Pay {call.args['to']}")


def anything(_call: ToolCall) -> ApprovalRequest:
    return ApprovalRequest(description="Pay somebody", fingerprint={})


async def test_a_request_that_names_no_fingerprint_is_remembered_for_exactly_this_call() -> None:
    behind, tool = gate(Answers(FOR_THE_RUN, Reject())), Recorder(described)
    await behind.admit(call(to="ana", amount=1), tool)
    again = await behind.admit(call(id="2", to="ana", amount=1), tool)
    assert again.why.startswith("remembered answer of ana")
    with pytest.raises(Rejected):
        await behind.admit(call(id="3", to="mallory", amount=1_000_000), tool)


async def test_the_journal_has_the_arguments_of_a_call_whose_request_names_no_fingerprint() -> None:
    behind, tool = gate(Answers(FOR_THE_RUN)), Recorder(described)
    for number in ("1", "2"):
        await behind.admit(call(id=number, to="ana"), tool)
    assert [
        entry.body.get("fingerprint") for entry in behind.store.journal() if entry.kind in ("asked", "granted")
    ] == [
        {"to": "ana"},
        {"to": "ana"},
    ]


async def test_an_empty_fingerprint_still_covers_every_call_and_says_so() -> None:
    behind, tool = gate(Answers(FOR_THE_RUN)), Recorder(anything)
    await behind.admit(call(to="ana"), tool)
    await behind.admit(call(id="2", to="mallory"), tool)
    (grant,) = behind.store.grants()
    assert grant.description == "every write, whatever its arguments"


async def test_an_edited_call_is_remembered_as_it_was_edited() -> None:
    answers = Answers(Approve(override_args={"to": "ben"}, scope=Scope.SESSION), Reject())
    behind, tool = gate(answers), Recorder(described)
    await behind.admit(call(to="ana"), tool)
    await behind.admit(call(id="2", to="ben"), tool)
    with pytest.raises(Rejected):
        await behind.admit(call(id="3", to="ana"), tool)


def test_a_call_that_leaves_out_an_excluded_argument_is_not_said_to_be_exact() -> None:
    sent: list[object] = []

    @requires_approval(exclude_keys={"body"})
    def send(to: str, **more: object) -> None:
        sent.append((to, more))

    person = Answers(FOR_THE_RUN)
    behind = gate(person)
    wrapped = behind.wrap(send)
    wrapped("bob")
    wrapped("bob", body="anything at all")
    assert sent == [("bob", {}), ("bob", {"body": "anything at all"})]
    (asked,) = person.asked
    assert coverage(asked.call, asked.request) == 'every send with to="bob", whatever else it is given'
    assert said(behind) == ['every send with to="bob", whatever else it is given']


def test_all_arguments_are_exactly_this_call() -> None:
    @requires_approval()
    def ping() -> None: ...

    @requires_approval(description="Send it")
    def send(to: str, options: dict[str, int]) -> None: ...

    behind = gate(Answers(FOR_THE_RUN))
    behind.wrap(ping)()
    behind.wrap(send)("bob", {"times": 1})
    assert sorted(said(behind)) == ["exactly this call: Send it", "exactly this call: ping()"]


def test_arguments_that_are_not_the_call_s_own_are_not_said_to_be_exact() -> None:
    asked = call(to="bob")
    request = ApprovalRequest(description="Send", fingerprint={"to": "ben"}, covers=EXACTLY)
    assert coverage(asked, request) == 'every write that amounts to {"to":"ben"}'


def test_long_values_are_named_and_not_spelled() -> None:
    asked = call(to="bob", body="x" * 300, extra=1)
    request = ApprovalRequest(description="Send", fingerprint={"to": "bob", "body": "x" * 300})
    assert coverage(asked, request) == "every write with the same to, body, whatever else it is given"


async def test_a_remembered_refusal_says_what_it_is_for() -> None:
    behind, tool = gate(Answers(Reject(scope=Scope.ALWAYS, by="ana"))), Recorder(described)
    with pytest.raises(Rejected):
        await behind.admit(call(to="ana"), tool)
    with pytest.raises(DeniedByPolicy, match="refused for exactly this call: Pay ana"):
        await behind.admit(call(id="2", to="ana"), tool)


@given(calls, requests, st.sampled_from(["", EXACTLY, "all of them"]))
def test_exactly_this_call_is_said_only_of_what_every_argument_names(
    asked: ToolCall, request: ApprovalRequest, covers: str
) -> None:
    claims = ApprovalRequest(description="x", fingerprint=request.fingerprint, covers=covers)
    if coverage(asked, claims) == EXACTLY:
        assert operation(asked, claims) == canonical((asked.tool_name, asked.args))


@given(calls)
def test_a_request_for_exactly_this_call_is_the_same_after_a_journey(asked: ToolCall) -> None:
    request = ApprovalRequest(description="x")
    unseen = Pending(
        id=pending_id(asked),
        call=asked,
        request=request,
        preview=arguments_preview(asked),
        digest=asked.digest,
        created=1.0,
    )
    for pending in (unseen, replace(unseen, request=request.of(asked))):
        read = wire.load(Pending, wire.dump(pending))
        assert operation(read.call, read.request) == operation(asked, request)
        assert coverage(read.call, read.request) == EXACTLY


def test_what_else_may_be_remembered_can_be_a_list() -> None:
    wider = Wider(name="all", description="everything", fingerprint={})
    assert ApprovalRequest(description="x", wider=[wider]).wider == (wider,)


def said(behind: Gate) -> list[str]:
    return [grant.description for grant in behind.store.grants()]
