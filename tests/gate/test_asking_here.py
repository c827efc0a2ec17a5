"""An approver that never blocks is asked where the call is: no thread, and every rule of the desk all the same."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from assent import ApprovalDecision, Approve, Gate, Pending, Reject, Scope, SQLiteStore, ToolCall, execute
from assent.errors import AlreadyDecided, Cancelled, Expired, GateFailed, Rejected
from assent.gate import Inherited, inherit, inherited
from assent.model import Outcome, PendingId, Ruling
from assent.testing import Answers, VirtualClock
from tests.gate.kit import Recorder, asking, call, gate, kinds


class AtOnce(Answers):
    """Answers from a script, and knows where it was asked."""

    blocks = False

    def __init__(self, *answers: ApprovalDecision | BaseException) -> None:
        super().__init__(*answers)
        self.threads: list[threading.Thread] = []
        self.around: list[Inherited | None] = []

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        self.threads.append(threading.current_thread())
        self.around.append(inherited())
        return await super().decide(batch)


class Thinks:
    """Looks at the question, and answers when told."""

    blocks = False

    def __init__(self) -> None:
        self.shown = asyncio.Event()
        self.go = asyncio.Event()
        self.taken_back: list[str] = []
        self.late: list[AlreadyDecided] = []

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        self.shown.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError as taken_back:
            self.taken_back.append(str(taken_back))
            raise
        return {pending.id: Approve(by="the one who thinks") for pending in batch}

    def lost(self, _pending: Pending, first: AlreadyDecided) -> None:
        self.late.append(first)


def shows() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "assent-show"}


async def test_it_is_asked_in_the_thread_of_the_call() -> None:
    others = shows()
    person, tool = AtOnce(Approve(by="ana")), Recorder(asking())
    behind = gate(person)
    assert await execute(call(), tool, behind) == "ran write"
    assert person.threads == [threading.current_thread()]
    assert shows() <= others
    assert kinds(behind) == ["asked", "approved", "started", "done"]


async def test_an_approver_that_says_nothing_of_it_has_a_thread_of_its_own() -> None:
    class Blocks(AtOnce):
        blocks = True

    person = Blocks(Approve())
    await execute(call(), Recorder(asking()), gate(person))
    assert person.threads != [threading.current_thread()]


def test_synchronous_code_asks_it_too() -> None:
    person = AtOnce(Reject(note="no"))
    with pytest.raises(Rejected, match="no"):
        gate(person).admit_sync(call(), Recorder(asking()))
    assert len(person.asked) == 1


async def test_what_it_starts_does_not_inherit_the_gate_it_answers_for() -> None:
    person = AtOnce(Approve())
    behind = gate(person)
    with inherit(Inherited(gate=behind, run="run")):
        await execute(call(), Recorder(asking()), behind)
    assert person.around == [None]


async def test_several_questions_asked_at_once_are_one_batch() -> None:
    person, tool = AtOnce(Approve()), Recorder(asking())
    behind = gate(person)
    pendings = [await behind.judge(call(id=str(number)), tool) for number in range(3)]
    await behind.ask_all([each for each in pendings if isinstance(each, Pending)])
    assert [len(batch) for batch in person.batches] == [3]


async def test_a_batch_keeps_its_own_answers_while_another_is_answered_elsewhere() -> None:
    """A refusal that is remembered is posted first; it must not answer the next question of its batch."""

    class Meanwhile(SQLiteStore):
        """While the refusal is written, a call in another thread is asked about, answered and run."""

        other: threading.Thread | None = None

        def decide(self, ruling: Ruling, /, **more: Any) -> None:  # noqa: ANN401 — as the store has them
            super().decide(ruling, **more)
            if self.other is None:
                self.other = threading.Thread(target=behind.admit_sync, args=(call(id="other"), tool("else")))
                self.other.start()
                self.other.join(20)

    def tool(name: str) -> Recorder:
        return Recorder(asking(path=name))

    person = AtOnce(Reject(scope=Scope.SESSION), Approve(scope=Scope.SESSION, by="ana"), Approve())
    behind = gate(person, store=Meanwhile())
    pendings = [await behind.judge(call(id=str(number)), tool("same")) for number in range(2)]
    answers = await behind.ask_all([each for each in pendings if isinstance(each, Pending)])
    assert [type(answer) for answer in answers] == [Reject, Approve]
    assert len(person.asked) == 3


async def test_what_was_answered_before_is_not_shown() -> None:
    person, tool = AtOnce(Approve()), Recorder(asking())
    behind = gate(person)
    pendings = [await behind.judge(call(id=str(number)), tool) for number in range(2)]
    first, second = (each for each in pendings if isinstance(each, Pending))
    behind.answer(first.id, Reject(by="ben"))
    answers = await behind.ask_all([first, second])
    assert answers == [Reject(by="ben"), Approve()]
    assert person.asked == [second]
    assert await gate(person, store=behind.store).ask_all([first]) == [Reject(by="ben")]
    assert person.asked == [second]


async def test_a_group_is_gathered_from_several_callers_all_the_same() -> None:
    person, tool = AtOnce(Approve()), Recorder(asking())
    behind = gate(person)
    calls = [ToolCall(run="run", id=str(number), tool_name="write", args={}, group_id="turn") for number in range(3)]
    await asyncio.gather(*(execute(each, tool, behind) for each in calls))
    assert [len(batch) for batch in person.batches] == [3]


async def test_an_answer_given_elsewhere_takes_the_question_back() -> None:
    person, tool = Thinks(), Recorder(asking())
    behind = gate(person)
    running = asyncio.ensure_future(execute(call(), tool, behind))
    await person.shown.wait()
    (pending,) = behind.store.desk()
    behind.answer(pending.id, Reject(note="not now", by="ben"))
    with pytest.raises(Rejected, match="not now"):
        await running
    assert person.taken_back == ["Answered: rejected by ben"]
    assert tool.ran == []


async def test_an_answer_that_comes_too_late_is_told_so() -> None:
    person, tool = Thinks(), Recorder(asking())
    behind = gate(person)
    running = asyncio.ensure_future(execute(call(), tool, behind))
    await person.shown.wait()
    (pending,) = behind.store.desk()
    # Both at once: the one who thinks has answered before anybody could take the question back.
    person.go.set()
    late = Ruling(
        pending=pending.id, outcome=Outcome.REJECTED, by="ben", at=pending.created, decision=Reject(note="not now")
    )
    behind.store.decide(late)
    with pytest.raises(Rejected, match="not now"):
        await running
    assert [late.by for late in person.late] == ["ben"]
    assert tool.ran == []


async def test_whoever_waits_is_woken_by_the_answer_that_was_first(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nobody looks at the desk meanwhile.
    monkeypatch.setattr("assent.gate._desk.POLL_SECONDS", 60.0)
    person = Thinks()
    behind = gate(person)
    running = asyncio.ensure_future(execute(call(), Recorder(asking()), behind))
    await person.shown.wait()
    (pending,) = behind.store.desk()
    person.go.set()
    first = Reject(note="not now", by="ben")
    behind.store.decide(Ruling(pending=pending.id, outcome=Outcome.REJECTED, by="ben", at=pending.created, decision=first))  # fmt: skip
    with pytest.raises(Rejected, match="not now"):
        await asyncio.wait_for(running, 10)


async def test_time_ends_a_question_that_it_thinks_about() -> None:
    clock, person, tool = VirtualClock(), Thinks(), Recorder(asking())
    running = asyncio.ensure_future(execute(call(), tool, gate(person, clock=clock, timeout=60.0)))
    await person.shown.wait()
    clock.advance(61.0)
    with pytest.raises(Expired):
        await running
    assert person.taken_back
    assert tool.ran == []


async def test_a_caller_that_leaves_takes_its_question_along() -> None:
    person = Thinks()
    behind = gate(person)
    running = asyncio.ensure_future(execute(call(), Recorder(asking()), behind))
    await person.shown.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.sleep(0)  # the approver's own task ends in the next round of the loop
    assert person.taken_back == [""]
    assert kinds(behind) == ["asked", "cancelled"]
    with pytest.raises(Cancelled):
        await behind.judge(call(), Recorder(asking()))


@pytest.mark.parametrize("answer", [RuntimeError("odd"), GateFailed("approver", "odd")])
async def test_an_error_of_it_refuses_the_call(answer: Exception) -> None:
    behind, tool = gate(AtOnce(answer)), Recorder(asking())
    with pytest.raises(GateFailed, match="odd"):
        await execute(call(), tool, behind)
    assert tool.ran == []
    assert kinds(behind)[:2] == ["asked", "failed"]


async def test_a_store_that_fails_while_it_is_asked_refuses_the_call(tmp_path: Path) -> None:
    class Broken(SQLiteStore):
        def ruling(self, _pending: PendingId, /) -> None:
            raise GateFailed("store", "the disk is gone")

    person = AtOnce(Approve())
    behind = Gate(approver=person, store=Broken(tmp_path / "store.db"))
    pending = await behind.judge(call(), Recorder(asking()))
    assert isinstance(pending, Pending)
    with pytest.raises(GateFailed, match="the disk is gone"):
        await behind.ask(pending)
    assert person.asked == []
    behind.store.close()
