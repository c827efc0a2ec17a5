"""Answers that cover more than one operation, denials with a code, and tools that cannot work."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import ApprovalRequest, Approve, Permit, Reject, Scope, Session, ToolCall, execute
from assent.errors import DeniedByPolicy, EditNotFoundError, GateFailed, PathNotInSandboxError, Rejected
from assent.model import ApprovalDecision, Pending, Preview, Wider, operation, wider_operation
from assent.testing import Answers, memory_store
from tests.gate.kit import Recorder, call, gate, kinds

FOLDER = Wider(name="folder", description="all writes in a", fingerprint={"folder": "a"})
ALL = Wider(name="all", description="all writes", fingerprint={})


def in_folder(call: ToolCall, /) -> ApprovalRequest:
    path = str(call.args["path"])
    wider = (FOLDER, ALL) if path.startswith("a/") else (ALL,)
    return ApprovalRequest(description=f"write {path}", fingerprint={"path": path}, wider=wider)


async def test_an_answer_for_something_wider_covers_every_call_that_belongs_to_it() -> None:
    tool = Recorder(in_folder)
    here = gate(Answers(Approve(scope=Scope.SESSION, covers="folder"), Reject()))
    await execute(call(id="1", path="a/x"), tool, here)
    await execute(call(id="2", path="a/y"), tool, here)
    with pytest.raises(PermissionError):
        await execute(call(id="3", path="b/z"), tool, here)
    assert [ran["path"] for ran in tool.ran] == ["a/x", "a/y"]
    assert [grant.description for grant in here.store.grants()] == ["all writes in a"]


async def test_a_refusal_for_something_wider_beats_a_grant_for_the_operation() -> None:
    tool = Recorder(in_folder)
    here = gate(Answers(Approve(scope=Scope.ALWAYS), Reject(scope=Scope.ALWAYS, covers="all", note="enough")))
    await execute(call(id="1", path="a/x"), tool, here)
    with pytest.raises(PermissionError):
        await execute(call(id="2", path="b/y"), tool, here)
    with pytest.raises(DeniedByPolicy, match="enough"):
        await execute(call(id="3", path="a/x"), tool, here)


async def test_a_wider_answer_answers_what_waits_and_belongs_to_it() -> None:
    tool = Recorder(in_folder)
    here = gate(Answers(Approve(scope=Scope.SESSION, covers="folder")))
    first = await here.judge(call(id="1", path="a/x"), tool)
    second = await here.judge(call(id="2", path="a/y"), tool)
    assert not isinstance(first, Permit)
    assert not isinstance(second, Permit)
    here.answer(first.id, Approve(scope=Scope.SESSION, covers="folder"))
    assert isinstance(await here.judge(call(id="2", path="a/y"), tool), Permit)


async def test_covering_what_was_not_offered_is_no_answer() -> None:
    here = gate()
    pending = await here.judge(call(path="b/x"), Recorder(in_folder))
    assert not isinstance(pending, Permit)
    with pytest.raises(GateFailed, match="offered: 'all'"):
        here.answer(pending.id, Approve(scope=Scope.SESSION, covers="folder"))
    assert [waiting.id for waiting in here.store.desk()] == [pending.id]


async def test_edited_arguments_are_remembered_for_what_they_belong_to() -> None:
    tool = Recorder(in_folder)
    outside = Approve(scope=Scope.SESSION, covers="folder", override_args={"path": "b/x"})
    with pytest.raises(GateFailed, match="offered: 'all'"):
        await execute(call(path="a/x"), tool, gate(Answers(outside)))
    assert tool.ran == []


@given(st.dictionaries(st.text(), st.text()), st.text(), st.text())
def test_no_single_operation_is_ever_taken_for_a_wider_one(
    fingerprint: dict[str, str], tool_name: str, name: str
) -> None:
    one = operation(
        ToolCall(run="r", id="1", tool_name=tool_name, args={}),
        ApprovalRequest(description="", fingerprint=fingerprint),
    )
    assert one != wider_operation(Wider(name=name, description="", fingerprint=fingerprint))


async def test_a_permit_names_the_operation_that_was_agreed_to() -> None:
    tool = Recorder(in_folder)
    asked = await gate(Answers(Approve())).admit(call(path="a/x"), tool)
    by_mode = await gate(mode="approve_all").admit(call(path="a/x"), tool)
    assert asked.request == by_mode.request == in_folder(call(path="a/x"))
    assert (await gate().admit(call(path="a/x"), Recorder())).request is None


class Fails:
    """A tool that cannot do what it is asked, and finds out at some point."""

    name = "edit"

    def __init__(self, error: Exception, *, at: str) -> None:
        self.error, self.at = error, at

    def check_approval(self, _call: ToolCall, /) -> ApprovalRequest:
        if self.at == "check":
            raise self.error
        return ApprovalRequest(description="edit")

    async def preview(self, _call: ToolCall, /) -> Preview:
        raise self.error

    async def run(self, _permit: Permit, /) -> object:
        raise AssertionError


@pytest.mark.parametrize("at", ["check", "preview"])
async def test_what_cannot_work_is_told_to_the_model_and_asked_of_nobody(at: str) -> None:
    answers = Answers()
    here = gate(answers)
    result = await Session(here, [Fails(EditNotFoundError("not there"), at=at)]).call("edit", {})
    assert result == {"error": "find_not_found", "message": "not there"}
    assert kinds(here) == ["refused"]


async def test_a_denial_keeps_the_code_of_the_tool() -> None:
    here = gate(mode="approve_all", store=memory_store())
    tool = Fails(PathNotInSandboxError("outside; allowed: notes"), at="check")
    with pytest.raises(DeniedByPolicy) as caught:
        await execute(call("edit"), tool, here)
    assert caught.value.code == "path_outside_workspace"
    assert "allowed: notes" in str(caught.value)
    assert kinds(here) == ["denied"]


@pytest.mark.parametrize(
    "first", [Approve(scope=Scope.SESSION, covers="folder"), Approve(scope=Scope.SESSION, covers="folder", calls=3)]
)
async def test_what_is_remembered_of_one_answer_does_not_answer_others_of_its_batch(first: Approve) -> None:
    tool = Recorder(in_folder)
    answers: dict[str, ApprovalDecision] = {
        "1": first,
        "2": Reject(note="not this one"),
        "3": Approve(override_args={"path": "a/harmless"}),
    }
    here = gate(Answers(lambda pending: answers[pending.call.id]))
    calls = [ToolCall(run="run", id=id_, tool_name="write", args={"path": f"a/{id_}"}, group_id="g") for id_ in "123"]
    done = await asyncio.gather(*(execute(each, tool, here) for each in calls), return_exceptions=True)
    assert isinstance(done[1], Rejected)
    assert sorted(str(ran["path"]) for ran in tool.ran) == ["a/1", "a/harmless"]
    assert [grant.calls for grant in here.store.grants()] == [first.calls]


async def test_an_approval_and_a_refusal_that_are_both_remembered_stand_for_their_own_questions() -> None:
    tool = Recorder(in_folder)
    answers: dict[str, ApprovalDecision] = {
        "1": Approve(scope=Scope.SESSION),
        "2": Reject(scope=Scope.ALWAYS, covers="folder"),
    }
    here = gate(Answers(lambda pending: answers[pending.call.id]))
    calls = [ToolCall(run="run", id=id_, tool_name="write", args={"path": f"a/{id_}"}, group_id="g") for id_ in "12"]
    decided = [await here.judge(each, tool) for each in calls]
    done = await here.ask_all([each for each in decided if isinstance(each, Pending)])
    assert done == [Approve(scope=Scope.SESSION), Reject(scope=Scope.ALWAYS, covers="folder")]


@pytest.mark.parametrize("edit", [None, {}])
async def test_no_arguments_at_all_are_an_edit_and_no_edit_is_none(edit: dict[str, object] | None) -> None:
    def offers(call: ToolCall, /) -> ApprovalRequest:
        return ApprovalRequest(description="x", wider=(ALL,) if call.args else ())

    behind, tool = gate(Answers(Approve(override_args=edit))), Recorder(offers)
    pending = await behind.judge(call(path="a"), tool)
    assert isinstance(pending, Pending)
    assert await behind.clerk.offered(pending, Approve(override_args=edit)) == ((ALL,) if edit is None else ())
    await execute(call(id="2", path="a"), tool, behind)
    assert tool.ran == [{"path": "a"} if edit is None else {}]
