"""Calls that a person changed before they agreed: shown again, narrowed to some hunks, announced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from assent import Allow, Approve, Gate, Permit, Reject, Scope, Session, ToolCall, execute
from assent.errors import ChangedSinceApproval, DeniedByPolicy, GateFailed
from assent.gate import StoreClerk
from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Clerk,
    Deny,
    Evidence,
    Pending,
    PendingId,
    Presentation,
    Preview,
    Verdict,
)
from assent.testing import Answers, memory_store
from tests.gate.kit import Recorder, call, gate

DIFF = "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-one\n+ONE\n two\n-three\n+THREE\n"


class Parts(Recorder):
    """A tool whose change has two hunks; what it looked at is counted, as a file's versions are."""

    looks = 0
    moved = False

    async def preview(self, call: ToolCall, /) -> Preview:
        self.looks += 1
        shown = Presentation(type="diff", description="change", content=DIFF)
        return Preview(
            presentation=shown,
            evidence=(Evidence(subject="a", facts={"hunks": self.looks}),),
            contents={"x": b"whole"},
        )

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        assert shown.evidence[0].facts["hunks"] == 1
        if self.moved:
            raise ChangedSinceApproval("a is another file by now")
        return {**call.args, "hunks": list(hunks)} if len(hunks) < 2 else call.args


class Reviewer:
    """An approver that looks closer, as it is told to."""

    def __init__(self, *edits: Mapping[str, object]) -> None:
        self.edits = edits
        self.seen: list[object] = []

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        raise AssertionError("with a clerk at hand, it is asked to review")

    async def review(self, batch: Sequence[Pending], clerk: Clerk, /) -> Mapping[PendingId, ApprovalDecision]:
        (pending,) = batch
        self.seen.append(clerk.content(pending, "x"))
        for args in self.edits:
            try:
                again = await clerk.redraw(pending, args)
            except PermissionError as refused:
                self.seen.append(refused)
            else:
                self.seen.append(again)
        return {pending.id: Approve(override_args=self.edits[-1], by="ana")}


def by_path(call: ToolCall, /) -> Verdict:
    if call.args["path"] == "secret":
        return Deny(reason="not that one")
    return ApprovalRequest(description=f"change {call.args['path']}", fingerprint={"path": call.args["path"]})


async def test_an_approval_of_some_hunks_runs_only_these_and_the_model_is_told_what_was_left_out() -> None:
    tool = Parts(by_path)
    with Session(gate(Answers(Approve(hunks=(1,), note="keep the first", by="ana"))), [tool]) as session:
        told = await session.call("write", {"path": "a"})
    assert tool.ran == [{"path": "a", "hunks": [1]}]
    assert isinstance(told, str)
    assert "only a part of this change" in told
    assert "keep the first" in told
    assert "@@ -1,1 +1,1 @@\n+ONE" in told
    assert "-one" not in told
    assert "+THREE" not in told


async def test_all_hunks_are_the_call_as_it_is() -> None:
    tool = Parts(by_path)
    with Session(gate(Answers(Approve(hunks=(0, 1)))), [tool]) as session:
        assert await session.call("write", {"path": "a"}) == "ran write"
    assert tool.ran == [{"path": "a"}]


async def test_the_journal_has_what_was_proposed_and_what_was_executed() -> None:
    tool = Parts(by_path)
    here = gate(Answers(Approve(hunks=(0,))))
    proposed = call(path="a")
    await execute(proposed, tool, here)
    approved, started = (entry.body for entry in here.store.journal() if entry.kind in ("approved", "started"))
    assert (approved["proposed"], approved["hunks"]) == (proposed.digest, (0,))
    assert started["executed"] == call(path="a", hunks=[0]).digest != proposed.digest
    assert started["tool"] == "write"


async def test_hunks_of_what_is_not_there_any_more_change_nothing() -> None:
    tool = Parts(by_path)
    tool.moved = True
    with pytest.raises(ChangedSinceApproval):
        await execute(call(path="a"), tool, gate(Answers(Approve(hunks=(0,)))))
    assert tool.ran == []


async def test_what_changes_while_the_hunks_become_arguments_changes_nothing() -> None:
    class Moving(Parts):
        async def preview(self, call: ToolCall, /) -> Preview:
            seen = Evidence(subject="a", facts={"sha256": "before" if "hunks" not in call.args else "after"})
            return replace(await super().preview(call), evidence=(seen,))

        async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
            return {**call.args, "hunks": list(hunks)}

    tool = Moving(by_path)
    with pytest.raises(ChangedSinceApproval):
        await execute(call(path="a"), tool, gate(Answers(Approve(hunks=(0,)))))
    assert tool.ran == []


async def test_a_tool_without_hunks_refuses_a_choice_among_them() -> None:
    tool = Recorder(by_path)
    with pytest.raises(GateFailed, match="no hunks to choose"):
        await execute(call(path="a"), tool, gate(Answers(Approve(hunks=(0,)))))
    assert tool.ran == []


async def test_what_was_narrowed_is_remembered_as_such() -> None:
    def by_args(call: ToolCall, /) -> ApprovalRequest:
        return ApprovalRequest(description="change", fingerprint=call.args)

    tool = Parts(by_args)
    here = gate(Answers(Approve(hunks=(0,), scope=Scope.SESSION), Reject()))
    await execute(call(id="1", path="a"), tool, here)
    assert isinstance(await here.admit(call(id="2", path="a", hunks=[0]), tool), Permit)
    with pytest.raises(PermissionError):
        await execute(call(id="3", path="a"), tool, here)


async def test_an_edited_call_is_judged_and_shown_before_it_is_approved_and_bound_to_what_was_shown() -> None:
    tool, reviewer = Parts(by_path), Reviewer({"path": "b"})
    here = Gate(approver=reviewer, store=memory_store())
    permit = await here.admit(call(path="a"), tool)
    whole, again = reviewer.seen
    assert whole == b"whole"
    assert isinstance(again, Pending)
    assert (again.call.args, again.request.description) == ({"path": "b"}, "change b")
    assert permit.evidence == again.preview.evidence
    assert tool.looks == 2


async def test_an_edit_that_is_denied_says_so_while_the_person_is_still_there() -> None:
    tool, reviewer = Parts(by_path), Reviewer({"path": "secret"}, {"path": "b"})
    await execute(call(path="a"), tool, Gate(approver=reviewer, store=memory_store()))
    assert isinstance(reviewer.seen[1], DeniedByPolicy)
    assert tool.ran == [{"path": "b"}]


async def test_an_edit_into_a_call_that_is_allowed_says_so_in_words_of_its_own() -> None:
    def by_name(call: ToolCall, /) -> Verdict:
        return Allow(reason="notes are free") if call.args["path"] == "b" else by_path(call)

    tool, reviewer = Parts(by_name), Reviewer({"path": "b"})
    await execute(call(path="a"), tool, Gate(approver=reviewer, store=memory_store()))
    again = reviewer.seen[1]
    assert isinstance(again, Pending)
    assert (again.request.description, again.request.reason) == ("write(path='b')", "you changed it: notes are free")
    assert again.request.wider == ()


async def test_an_edit_that_was_not_shown_is_drawn_when_it_is_settled() -> None:
    tool = Parts(by_path)
    here = gate(Answers(Approve(override_args={"path": "b"})))
    permit = await here.admit(call(path="a"), tool)
    assert permit.evidence[0].facts["hunks"] == 2


async def test_a_clerk_elsewhere_has_the_whole_files_and_leaves_the_judging_to_the_run() -> None:
    here = gate()
    pending = await here.judge(call(path="a"), Parts(by_path))
    assert not isinstance(pending, Permit)
    clerk = StoreClerk(here.store)
    assert clerk.content(pending, "x") == b"whole"
    assert await clerk.redraw(pending, {"path": "b"}) is None
