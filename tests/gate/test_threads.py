import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent import ApprovalDecision, Approve, Pending, Reject, execute
from assent.errors import GateFailed, Refused
from assent.testing import Answers
from tests.gate.kit import Recorder, asking, call, gate, kinds
from tests.store.kit import no_threads


async def test_a_hundred_calls_at_once_each_run_once() -> None:
    ran: list[int] = []

    async def write(number: int) -> None:
        ran.append(number)

    behind = gate(Answers(Approve())).wrap(write)
    await asyncio.gather(*(behind(number) for number in range(100)))
    assert sorted(ran) == list(range(100))


def test_two_threads_with_their_own_loops_share_a_gate() -> None:
    ran: list[str] = []

    async def write(who: str) -> None:
        ran.append(who)

    behind = gate(Answers(Approve())).wrap(write)
    threads = [threading.Thread(target=lambda who=who: asyncio.run(behind(who))) for who in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ran) == ["a", "b"]


async def test_synchronous_code_may_ask_inside_a_running_loop() -> None:
    def write(path: str) -> str:
        return path

    assert gate(Answers(Approve())).wrap(write)("a") == "a"


def test_threads_without_a_loop_may_ask_at_once() -> None:
    ran: list[int] = []
    behind = gate(Answers(Approve())).wrap(ran.append, name="append")
    threads = [threading.Thread(target=behind, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ran) == list(range(10))


async def test_where_no_thread_can_be_started_a_question_ends_and_nobody_answers_it_later() -> None:
    behind, tool = gate(Answers(Approve())), Recorder(asking())
    with no_threads(), pytest.raises(GateFailed, match="nobody can wait for an answer"):
        await execute(call(id="1"), tool, behind)
    assert behind.store.desk() == []
    assert await execute(call(id="2"), tool, behind) == "ran write"
    assert kinds(behind) == ["asked", "failed", "asked", "approved", "started", "done"]


async def test_where_no_thread_can_be_started_synchronous_code_in_a_loop_is_refused() -> None:
    ran: list[str] = []
    behind = gate(Answers(Approve())).wrap(ran.append, name="append")
    with no_threads(), pytest.raises(GateFailed, match="nobody can wait for an answer"):
        behind("a")
    assert ran == []


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 2)), min_size=1, max_size=8))
def test_no_interleaving_of_parallel_calls_runs_one_without_a_decision(calls: list[tuple[bool, bool, int]]) -> None:
    """Calls from loops and threads, in groups and alone, approved and rejected, all at once."""
    decided: dict[int, bool] = {}
    ran: list[int] = []

    def choose(pending: Pending) -> ApprovalDecision:
        number = pending.call.args["number"]
        assert isinstance(number, int)
        decided[number] = calls[number][0]
        return Approve() if calls[number][0] else Reject()

    behind = gate(Answers(choose))

    async def work(number: int) -> None:
        assert decided[number]
        ran.append(number)

    def work_sync(number: int) -> None:
        assert decided[number]
        ran.append(number)

    wrapped, wrapped_sync = behind.wrap(work), behind.wrap(work_sync)

    async def one(number: int) -> None:
        for _ in range(calls[number][2]):
            await asyncio.sleep(0)
        try:
            await (asyncio.to_thread(wrapped_sync, number) if calls[number][1] else wrapped(number))
        except Refused:
            assert not decided[number]

    async def everything() -> None:
        await asyncio.gather(*map(one, range(len(calls))))

    asyncio.run(everything())
    assert sorted(ran) == [number for number, (approved, _, _) in enumerate(calls) if approved]
