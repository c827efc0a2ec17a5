"""What somebody tried, and what did not happen."""

import asyncio
import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assent import ApprovalDecision, ApprovalRequest, Approve, Pending, Reject, Scope, SQLiteStore, ToolCall, execute
from assent.errors import ConflictingCall, DeniedByPolicy, GateFailed, Stopped, UnknownPending, Unspellable
from assent.model import PendingId, Permit
from assent.testing import Answers, memory_store
from tests.gate.kit import ALLOW, Recorder, asking, call, gate


async def parked(behind: object, wanted: ToolCall, tool: Recorder) -> Pending:
    pending = await behind.judge(wanted, tool)  # type: ignore[attr-defined]
    assert isinstance(pending, Pending)
    return pending


async def test_an_approval_cannot_be_carried_over_to_another_call() -> None:
    behind, tool = gate(Answers(Approve(by="ana"))), Recorder(asking())
    pending = await parked(behind, call(path="tmp"), tool)
    behind.answer(pending.id, Approve(by="ana"))
    evil = call(path="/")
    forged = replace(pending, call=evil, digest=evil.digest)
    with pytest.raises(ConflictingCall):
        await behind.settle(forged, Approve(by="ana"), tool)
    with pytest.raises(ConflictingCall):
        await behind.ask(forged)


async def test_a_question_of_another_desk_is_unknown_and_nobody_waits_for_it() -> None:
    elsewhere, tool = gate(), Recorder(asking())
    pending = await parked(elsewhere, call(), tool)
    with pytest.raises(UnknownPending):
        await gate(Answers(Approve())).ask(pending)


async def test_an_answer_given_before_is_seen_while_the_approver_is_busy(tmp_path: Path) -> None:
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Busy:
        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            loop.call_soon_threadsafe(started.set)
            await asyncio.Event().wait()
            raise AssertionError

    tool = Recorder(asking())
    here, elsewhere = gate(Busy(), store=SQLiteStore(tmp_path / "db")), gate(store=SQLiteStore(tmp_path / "db"))
    pending = await parked(elsewhere, call(id="2"), tool)
    waiting = asyncio.ensure_future(here.admit(call(id="1"), tool, timeout=None))
    await started.wait()
    elsewhere.answer(pending.id, Approve(by="ana"))
    assert await here.ask(pending) == Approve(by="ana")
    waiting.cancel()
    await asyncio.wait({waiting})


async def test_whoever_only_asked_and_left_leaves_the_question_on_the_desk() -> None:
    shown = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            loop.call_soon_threadsafe(shown.set)
            await asyncio.Event().wait()
            raise AssertionError

    behind, tool = gate(Slow()), Recorder(asking())
    pending = await parked(behind, call(), tool)
    waiting = asyncio.ensure_future(behind.ask(pending))
    await shown.wait()
    waiting.cancel()
    await asyncio.wait({waiting})
    assert behind.store.desk() == [pending]


async def test_a_question_nobody_could_read_back_never_reaches_the_desk() -> None:
    deep: object = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises(Unspellable, match="nested too deeply"):
        call(x=deep)
    with pytest.raises(GateFailed, match="TypeError"):
        await gate().judge(call(), Recorder(lambda _call: ApprovalRequest(description=123)))  # type: ignore[arg-type]


async def test_a_remembered_refusal_holds_for_what_a_person_edits_a_call_into() -> None:
    person = Answers(Reject(scope=Scope.ALWAYS, note="never /"), Approve(override_args={"path": "/"}))
    behind, tool = gate(person), Recorder(lambda call: asking(path=call.args["path"]))
    await asyncio.gather(execute(call(id="1", path="/"), tool, behind), return_exceptions=True)
    with pytest.raises(DeniedByPolicy, match="never /"):
        await execute(call(id="2", path="tmp"), tool, behind)
    assert tool.ran == []


async def test_what_was_approved_before_the_run_was_stopped_does_not_run_after() -> None:
    behind, tool = gate(), Recorder(asking())
    first, second = [await parked(behind, call(id=number), tool) for number in "12"]
    behind.answer(first.id, Approve(by="ana"))
    permit = await behind.settle(first, Approve(by="ana"), tool)
    behind.answer(second.id, Reject(stop=True))
    with pytest.raises(Stopped), behind.spend(permit):
        pass


async def test_an_answer_after_the_end_of_a_run_is_not_remembered_for_it() -> None:
    behind, tool = gate(), Recorder(asking())
    pending = await parked(behind, call(), tool)
    behind.end("run")
    behind.answer(pending.id, Approve(scope=Scope.SESSION))
    assert behind.store.grants() == []


async def test_a_revoked_grant_does_not_come_back() -> None:
    edit = Approve(override_args={"path": "b"}, scope=Scope.ALWAYS, by="ana")
    behind, tool = gate(Answers(edit)), Recorder(asking())
    await behind.admit(call(path="a"), tool)
    (grant,) = behind.store.grants()
    behind.store.revoke(grant.id, by="ana", at=1.0)
    await behind.judge(call(path="a"), tool)
    assert behind.store.grants() == []


async def test_agents_given_as_a_list_do_not_hide_a_remembered_refusal() -> None:
    behind, tool = gate(Answers(Reject(scope=Scope.ALWAYS))), Recorder(asking())
    wanted = ToolCall(run="run", id="1", tool_name="write", args={}, agents=["w"])  # type: ignore[arg-type]
    await asyncio.gather(execute(wanted, tool, behind), return_exceptions=True)
    for mode in ("interactive", "approve_all"):
        with pytest.raises(DeniedByPolicy):
            await execute(replace(wanted, id=mode), tool, gate(store=behind.store, mode=mode))


async def test_one_odd_answer_ends_only_its_own_question() -> None:
    class Odd:
        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            first, second = batch
            return {first.id: "yes", second.id: Approve(by="ana")}  # type: ignore[dict-item]

    behind, tool = gate(Odd()), Recorder(asking())
    pendings = [await parked(behind, call(id=number), tool) for number in "12"]
    odd, good = await behind.ask_all(pendings)
    assert isinstance(odd, GateFailed)
    assert good == Approve(by="ana")


def test_a_scope_given_as_text_is_a_scope_or_nothing() -> None:
    assert Approve(scope="session").scope is Scope.SESSION  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="forever"):
        Approve(scope="forever")  # type: ignore[arg-type]


async def test_a_permit_cannot_be_copied() -> None:
    permit = await gate(store=memory_store()).judge(call(), ALLOW)
    assert isinstance(permit, Permit)
    for copying in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be copied"):
            copying(permit)
