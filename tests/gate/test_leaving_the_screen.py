"""A question that ended elsewhere: whoever waited for it goes on when it is gone from the screen."""

import asyncio
import threading
from collections.abc import Mapping, Sequence

import pytest

from assent import ApprovalDecision, Approve, Gate, Pending
from assent.errors import Expired
from assent.model import PendingId
from assent.runtime import execute
from assent.testing import VirtualClock
from tests.gate.kit import Recorder, asking, call, gate


class Screen:
    """Somebody who never answers, and needs a moment to clear the screen."""

    def __init__(self) -> None:
        self.looked = threading.Event()
        self.may_leave = threading.Event()
        self.may_leave.set()
        self.left = False

    async def decide(self, _batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        self.looked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.may_leave.wait(20)
            self.left = True
        return {}

    async def shows(self) -> None:
        await asyncio.to_thread(self.looked.wait, 20)


def answer_all(behind: Gate) -> None:
    for each in behind.store.desk():
        behind.answer(each.id, Approve(by="lee"))


async def test_a_caller_goes_on_when_the_expired_question_is_gone_from_the_screen() -> None:
    screen, clock, tool = Screen(), VirtualClock(), Recorder(asking())
    waits = asyncio.ensure_future(execute(call(), tool, gate(screen, clock=clock, timeout=60.0)))
    await screen.shows()
    clock.advance(61.0)
    with pytest.raises(Expired):
        await waits
    assert screen.left
    assert tool.ran == []


async def test_a_caller_goes_on_when_the_question_that_was_answered_elsewhere_is_gone_from_the_screen() -> None:
    screen, tool = Screen(), Recorder(asking())
    behind = gate(screen)
    waits = asyncio.ensure_future(execute(call(), tool, behind))
    await screen.shows()
    answer_all(behind)
    await waits
    assert screen.left


async def test_a_screen_that_does_not_clear_keeps_nobody_for_long() -> None:
    screen, tool = Screen(), Recorder(asking())
    behind = gate(screen)
    screen.may_leave.clear()
    waits = asyncio.ensure_future(execute(call(), tool, behind))
    await screen.shows()
    answer_all(behind)
    async with asyncio.timeout(20):
        await waits
    assert not screen.left
    screen.may_leave.set()


async def test_an_answer_from_elsewhere_to_one_of_several_is_not_kept_back_by_the_others() -> None:
    screen, tool = Screen(), Recorder(asking())
    behind = gate(screen)
    one, two = [await behind.judge(call(id=each), tool) for each in ("1", "2")]
    assert isinstance(one, Pending)
    assert isinstance(two, Pending)
    together = asyncio.ensure_future(behind.ask_all([one, two]))
    await screen.shows()
    alone = asyncio.ensure_future(behind.ask(one))
    await asyncio.sleep(0)
    behind.answer(one.id, Approve(by="lee"))
    await alone
    assert not screen.left
    assert not together.done()
    behind.answer(two.id, Approve(by="lee"))
    await together
    assert screen.left


async def test_a_caller_that_leaves_does_not_keep_the_others_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    behind = gate(screen)
    screen.may_leave.clear()
    one = await behind.judge(call(), Recorder(asking()))
    assert isinstance(one, Pending)
    stays, leaves = (asyncio.ensure_future(behind.ask_all([one], cancel=True)) for _ in range(2))
    await screen.shows()
    answer_all(behind)
    held = behind._desk._screen._until
    monkeypatch.setattr("assent.gate._screen.LEAVES_SECONDS", 1000.0)
    await asyncio.sleep(0)
    leaves.cancel()
    await asyncio.wait({leaves})
    assert behind._desk._screen._until == held
    async with asyncio.timeout(20):
        await stays
    screen.may_leave.set()
