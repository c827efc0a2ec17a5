"""The contract's second part: whatever breaks refuses, and what was not permitted did not run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from assent.errors import StoreFailed
from assent.gate import Gate
from assent.model import Approve, Outcome, Pending, ToolCall, Verdict
from assent.store import SQLiteStore
from assent.testing._answers import Answers
from assent.testing._clock import VirtualClock
from assent.testing._contract_harness import Harness, ModelCall
from assent.testing._contract_world import ALLOW, Scenarios, Silent, World, call, write
from assent.testing._store import memory_store


class _Crashing:
    def check_approval(self, call: ToolCall, /) -> Verdict:
        raise RuntimeError(f"no rule for {call.tool_name}")


class _FullDisk(SQLiteStore):
    def park(self, _pendings: Sequence[Pending], /) -> Sequence[Pending]:
        raise StoreFailed("the disk is full")


class Failing(Scenarios):
    """Time runs out, parts crash, arguments do not fit, tools raise, runs are cancelled."""

    def test_a_question_nobody_answers_expires_as_a_tool_result(self) -> None:
        clock = VirtualClock()
        person = Silent(lambda: clock.advance(61))
        gate = Gate(approver=person, store=memory_store(), timeout=60, clock=clock)
        world = World(self.harness, gate=gate)
        outcome = world.run((write("a"),))
        assert (world.wrote, outcome.answer) == ([], "done")
        assert "Nobody answered the question about write in time" in outcome.told["a"]

    def test_a_check_that_raises_refuses(self) -> None:
        world = World(self.harness, Approve())
        outcome = world.run((write("a"),), policies={"write": _Crashing()})
        assert (world.wrote, world.asked, outcome.answer) == ([], [], "done")
        assert "no rule for write" in outcome.told["a"]

    def test_an_approver_that_raises_refuses(self) -> None:
        world = World(self.harness, RuntimeError("the terminal is gone"))
        outcome = world.run((write("a"),))
        assert (world.wrote, outcome.answer) == ([], "done")
        assert "the terminal is gone" in outcome.told["a"]

    def test_a_store_that_fails_refuses(self) -> None:
        person = Answers(Approve())
        world = World(self.harness, gate=Gate(approver=person, store=_FullDisk(":memory:")))
        outcome = world.run((write("a"),))
        assert (world.wrote, person.asked, outcome.answer) == ([], [], "done")
        assert "the disk is full" in outcome.told["a"]

    def test_a_gate_that_can_ask_nobody_refuses(self) -> None:
        world = World(self.harness, gate=Gate(store=memory_store()))
        outcome = world.run((write("a"),))
        assert (world.wrote, outcome.answer) == ([], "done")
        assert "nobody can be asked" in outcome.told["a"]

    def test_arguments_that_do_not_fit_bother_nobody(self) -> None:
        world = World(self.harness, Approve())
        outcome = world.run((ModelCall(tool="write", args={"times": "many"}, id="1"),))
        assert (world.wrote, world.asked, outcome.answer) == ([], [], "done")
        assert "path" in outcome.told["1"]

    def test_a_tool_that_raises_has_failed_and_was_not_denied(self) -> None:
        world = World(self.harness, Approve())
        told = ""
        try:
            told = world.run((call("burn", path="a"),)).told["burn"]
        except OSError as raised:  # some frameworks end the run with it, and that is theirs to choose
            told = str(raised)
        assert "the match is wet" in told
        assert "was not executed" not in told
        assert world.wrote == ["a"]
        assert "failed" in world.kinds

    def test_a_tool_error_is_a_result_the_model_can_read(self) -> None:
        world = World(self.harness)
        outcome = world.run((call("lose", path="a"),), policies={"lose": ALLOW})
        assert (world.wrote, outcome.answer) == (["a"], "done")
        assert "it is still there" in outcome.told["lose"]
        assert "failed" in world.kinds

    def test_a_cancelled_run_leaves_nothing_approved(self) -> None:
        world = asyncio.run(_cancelled(self.harness))
        assert world.wrote == []
        assert world.store.desk() == []
        assert [asked.ruling and asked.ruling.outcome for asked in world.store.recent(9)] == [Outcome.CANCELLED]


async def _cancelled(harness: Harness) -> World:
    """A run that is cancelled while a person looks at its question."""
    looking = asyncio.Event()
    person = Silent(partial(asyncio.get_running_loop().call_soon_threadsafe, looking.set))
    world = World(harness, gate=Gate(approver=person, store=memory_store()))
    running = asyncio.ensure_future(world.agent((write("a"),)).run())
    looked = asyncio.ensure_future(looking.wait())
    await asyncio.wait([running, looked], return_when=asyncio.FIRST_COMPLETED)
    running.cancel()
    looked.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    return world
