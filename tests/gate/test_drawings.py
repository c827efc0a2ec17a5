"""What was shown of edited calls: an answer binds to the drawing it names, or runs nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from assent import Approve, Gate, Reject, Scope, ToolCall
from assent.errors import ChangedSinceApproval
from assent.model import ApprovalRequest, Evidence, Pending, Preview, arguments_preview
from tests.gate.kit import ASK, Recorder, call, gate

EDIT = {"path": "b"}


class Looking(Recorder):
    """A tool whose every look sees something else."""

    looks = 0

    async def preview(self, call: ToolCall, /) -> Preview:
        self.looks += 1
        seen = Evidence(subject="file", facts={"look": self.looks})
        return Preview(presentation=arguments_preview(call).presentation, evidence=(seen,))


def asking_for(call: ToolCall, /) -> ApprovalRequest:
    return ApprovalRequest(description="change", fingerprint=call.args)


async def ask(here: Gate, tool: Recorder) -> Pending:
    pending = await here.judge(call(path="a"), tool)
    assert isinstance(pending, Pending)
    return pending


async def show(here: Gate, pending: Pending, name: str, args: Mapping[str, object] = EDIT) -> None:
    redrawn = await here.clerk.judge_edit(pending, args)
    assert redrawn is not None
    here.clerk.show(redrawn, name)


async def looks_of(here: Gate, pending: Pending, tool: Recorder, decision: Approve) -> object:
    permit = await here.settle(pending, decision, tool)
    return permit.evidence[0].facts["look"]


async def test_a_look_between_the_check_of_an_answer_and_its_record_changes_nothing() -> None:
    here, tool, yes = gate(), Looking(asking_for), Approve(override_args=EDIT)
    pending = await ask(here, tool)
    await show(here, pending, "seen")
    assert here.clerk.pin(pending.id, EDIT, "seen")
    await show(here, pending, "seen by another")
    here.answer(pending.id, yes, drawn="seen")
    assert await looks_of(here, pending, tool, yes) == 2
    # Also when it is settled once more.
    assert await looks_of(here, pending, tool, yes) == 2


async def test_only_the_last_drawing_of_an_edit_can_be_pinned() -> None:
    here, tool = gate(), Looking(asking_for)
    pending = await ask(here, tool)
    assert not here.clerk.pin(pending.id, EDIT, "seen")
    await show(here, pending, "first")
    await show(here, pending, "second")
    assert not here.clerk.pin(pending.id, EDIT, "first")
    assert not here.clerk.pin(pending.id, {"path": "c"}, "second")
    assert here.clerk.pin(pending.id, EDIT, "second")


async def test_of_very_many_edits_the_oldest_drawing_cannot_be_pinned_any_more() -> None:
    here, tool = gate(), Looking(asking_for)
    pending = await ask(here, tool)
    await show(here, pending, "seen")
    for number in range(63):
        await show(here, pending, f"other {number}", {"path": str(number)})
    assert here.clerk.pin(pending.id, EDIT, "seen")
    await show(here, pending, "one more", {"path": "more"})
    assert not here.clerk.pin(pending.id, EDIT, "seen")


async def test_a_named_drawing_that_is_not_at_hand_runs_and_leaves_nothing() -> None:
    here, tool = gate(), Looking(asking_for)
    yes = Approve(override_args=EDIT, scope=Scope.SESSION)
    pending = await ask(here, tool)
    await show(here, pending, "seen")
    assert here.clerk.pin(pending.id, EDIT, "seen")
    here.answer(pending.id, yes, drawn="seen")
    # As after a restart: the record is there, what was drawn is not.
    restarted = Gate(store=here.store)
    with pytest.raises(ChangedSinceApproval):
        await restarted.judge(call(path="a"), tool)
    with pytest.raises(ChangedSinceApproval):
        await restarted.settle(pending, yes, tool)
    assert tool.looks == 2
    assert list(here.store.grants()) == []
    assert await looks_of(here, pending, tool, yes) == 2


async def test_what_others_look_at_does_not_change_what_our_own_approver_saw() -> None:
    here, tool, yes = gate(), Looking(asking_for), Approve(override_args=EDIT)
    pending = await ask(here, tool)
    await here.clerk.redraw(pending, EDIT)
    await show(here, pending, "seen by another")
    here.answer(pending.id, yes)
    assert await looks_of(here, pending, tool, yes) == 2


async def test_a_question_stays_known_while_it_waits_however_many_others_are_asked() -> None:
    here, tool, yes = gate(), Looking(asking_for), Approve(override_args=EDIT)
    pending = await ask(here, tool)
    await show(here, pending, "seen")
    others = [await here.judge(call(id=f"other {number}"), ASK) for number in range(1100)]
    assert here.clerk.pin(pending.id, EDIT, "seen")
    here.answer(pending.id, yes, drawn="seen")
    assert await looks_of(here, pending, tool, yes) == 2
    # What has ended is let go of.
    waiting, *ended = (each.id for each in others if isinstance(each, Pending))
    for each in ended:
        here.answer(each, Reject())
    for number in range(1100):
        await here.judge(call(id=f"later {number}"), ASK)
    assert here.clerk.policy_of(waiting) is ASK
    assert not any(here.clerk.policy_of(each) for each in ended)
