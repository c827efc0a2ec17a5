import asyncio
from pathlib import Path

import pytest

from assent import Approve, Pending, Permit, SQLiteStore, execute
from assent.errors import AlreadySpent, OutcomeUnknown, ToolError
from assent.model import EffectState, PendingId
from assent.testing import Answers
from tests.gate.kit import ALLOW, Recorder, asking, call, gate, kinds


async def test_a_permit_is_spent_once() -> None:
    behind = gate()
    permit = await behind.judge(call(), ALLOW)
    assert isinstance(permit, Permit)
    with behind.spend(permit):
        pass
    with pytest.raises(AlreadySpent), behind.spend(permit):
        pass


async def test_an_approval_is_spent_once_however_many_permits_it_gives() -> None:
    behind, tool = gate(Answers(Approve())), Recorder(asking())
    first = await behind.admit(call(), tool)
    second = await behind.admit(call(), tool)
    async with behind.spend(first):
        pass
    with pytest.raises(AlreadySpent):
        async with behind.spend(second):
            pass
    with pytest.raises(AlreadySpent):
        await behind.judge(call(), tool)


async def test_the_start_is_on_the_record_before_the_tool_runs() -> None:
    behind = gate(Answers(Approve()))

    class Looks(Recorder):
        async def run(self, permit: Permit, /) -> object:
            assert permit.answered is not None
            asked = behind.store.asked(permit.answered.pending)
            assert asked is not None
            assert asked.effect is not None
            return asked.effect.state

    assert await execute(call(), Looks(asking()), behind) is EffectState.STARTED
    assert kinds(behind) == ["asked", "approved", "started", "done"]


async def test_a_tool_that_fails_is_recorded_as_failed() -> None:
    class Fails(Recorder):
        async def run(self, permit: Permit, /) -> object:
            message = "disk full"
            raise ToolError(message)

    behind = gate(Answers(Approve()))
    with pytest.raises(ToolError):
        await execute(call(), Fails(asking()), behind)
    entry = list(behind.store.journal())[-1]
    assert (entry.kind, entry.body["detail"]) == ("failed", "ToolError: disk full")


async def test_a_tool_that_is_cancelled_in_the_middle_ends_unknown_and_is_not_run_again() -> None:
    class Hangs(Recorder):
        def __init__(self) -> None:
            super().__init__(asking())
            self.started = asyncio.Event()

        async def run(self, permit: Permit, /) -> object:
            self.started.set()
            await asyncio.Event().wait()
            raise AssertionError

    tool, behind = Hangs(), gate(Answers(Approve()))
    running = asyncio.ensure_future(execute(call(), tool, behind))
    await tool.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert kinds(behind)[-1] == "unknown"
    with pytest.raises(OutcomeUnknown, match="may have taken effect"):
        await execute(call(), tool, behind)


async def test_a_tool_that_declares_itself_idempotent_runs_again_after_an_unknown_end() -> None:
    class Idempotent(Recorder):
        idempotent = True

        async def run(self, permit: Permit, /) -> object:
            if not self.ran:
                await super().run(permit)
                raise KeyboardInterrupt
            return await super().run(permit)

    tool, behind = Idempotent(asking()), gate(Answers(Approve()))
    with pytest.raises(KeyboardInterrupt):
        await execute(call(), tool, behind)
    assert await execute(call(), tool, behind) == "ran write"
    with pytest.raises(AlreadySpent):
        await execute(call(), tool, behind)


async def test_a_call_somebody_else_runs_is_spent_and_its_end_unknown() -> None:
    behind, tool = gate(Answers(Approve())), Recorder(asking())
    behind.hand_over(await behind.admit(call(), tool), to="somebody else")
    with pytest.raises(OutcomeUnknown):
        await behind.admit(call(), tool)
    unasked = await behind.judge(call(id="2"), ALLOW)
    assert isinstance(unasked, Permit)
    behind.hand_over(unasked, to="somebody else")
    with pytest.raises(AlreadySpent), behind.spend(unasked):
        pass


async def test_an_end_that_cannot_be_recorded_is_not_taken_for_a_call_that_did_not_run(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "db")
    behind = gate(Answers(Approve()), store=store)

    class Pulls(Recorder):
        async def run(self, permit: Permit, /) -> object:
            store.close()
            return "done"

    with pytest.raises(OutcomeUnknown):
        await execute(call(), Pulls(asking()), behind)
    asked = SQLiteStore(tmp_path / "db").asked(PendingId(_only(behind, tmp_path)))
    assert asked is not None
    assert asked.effect is not None
    assert asked.effect.state is EffectState.STARTED


def _only(_behind: object, folder: Path) -> str:
    entries = list(SQLiteStore(folder / "db").journal())
    return str(entries[0].body["pending"])


async def test_the_evidence_of_what_was_shown_is_in_the_permit() -> None:
    behind, tool = gate(), Recorder(asking())
    pending = await behind.judge(call(), tool)
    assert isinstance(pending, Pending)
    permit = await behind.settle(pending, Approve(by="ana"), tool)
    assert permit.evidence == pending.preview.evidence
    assert permit.why == "approved by ana"
