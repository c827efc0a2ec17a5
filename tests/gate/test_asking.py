import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from assent import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Gate,
    Pending,
    Reject,
    Respond,
    Scope,
    SQLiteStore,
    execute,
)
from assent.config import read_settings
from assent.errors import (
    AlreadyDecided,
    AlreadySpent,
    Cancelled,
    ConflictingCall,
    Expired,
    GateFailed,
    Rejected,
    Stopped,
    UnknownPending,
)
from assent.model import Outcome, PendingId
from assent.testing import Answers, VirtualClock, memory_store
from tests.gate.kit import ASK, Recorder, asking, call, gate, kinds


class Slow:
    """Somebody who looks at the question and does not answer until told."""

    def __init__(self) -> None:
        self.shown = threading.Event()
        self.taken_back = threading.Event()
        self.go = threading.Event()
        self.late: list[AlreadyDecided] = []
        self.answer: ApprovalDecision = Approve(by="slow")

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        self.shown.set()
        try:
            while not self.go.is_set():  # an event of another thread  # noqa: ASYNC110
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.taken_back.set()
            raise
        return {pending.id: self.answer for pending in batch}

    def lost(self, _pending: Pending, first: AlreadyDecided) -> None:
        self.late.append(first)


async def shown(person: Slow) -> None:
    await asyncio.to_thread(person.shown.wait)


async def test_a_rejection_carries_the_persons_words() -> None:
    with pytest.raises(Rejected) as refusal:
        await execute(call(), Recorder(asking()), gate(Answers(Reject(note="use b.txt", by="ana"))))
    assert (refusal.value.note, refusal.value.by, refusal.value.code) == ("use b.txt", "ana", "rejected")
    assert str(refusal.value) == "User rejected: use b.txt. It was not executed; do not retry it unchanged."


async def test_stopping_ends_the_run_and_every_later_call_of_it() -> None:
    behind = gate(Answers(Reject(stop=True, by="ana")))
    with pytest.raises(Stopped):
        await execute(call(id="1"), Recorder(asking()), behind)
    with pytest.raises(Stopped):
        await execute(call(id="2"), Recorder(), behind)
    assert await execute(call(id="2", run="another"), Recorder(), behind) == "ran write"


async def test_stopping_ends_what_else_waits_in_the_run() -> None:
    person = Answers(Reject(stop=True))
    behind, tool = gate(person), Recorder(asking())
    pendings = [await behind.judge(call(id=str(number)), tool) for number in range(3)]
    results = await asyncio.gather(
        *(behind.ask(pending) for pending in pendings if isinstance(pending, Pending)), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in results) == ["Cancelled", "Cancelled", "Reject"]
    assert len(person.asked) == 1


async def test_a_person_may_answer_in_the_tools_place() -> None:
    tool = Recorder(asking())
    assert await execute(call(), tool, gate(Answers(Respond(result={"temp": [20, 21]})))) == {"temp": [20, 21]}
    assert tool.ran == []


async def test_a_question_nobody_answers_expires() -> None:
    clock, person, tool = VirtualClock(), Slow(), Recorder(asking())
    behind = gate(person, clock=clock)
    waiting = asyncio.ensure_future(execute(call(), tool, behind))
    await shown(person)
    clock.advance(299)
    assert behind.store.desk()
    clock.advance(2)
    with pytest.raises(Expired):
        await waiting
    await asyncio.to_thread(person.taken_back.wait)
    assert tool.ran == []


async def test_an_answer_after_the_time_is_too_late_even_before_anybody_noticed() -> None:
    clock = VirtualClock()
    behind = gate(clock=clock)
    pending = await behind.judge(call(), Recorder(asking()), timeout=10)
    assert isinstance(pending, Pending)
    clock.advance(11)
    with pytest.raises(AlreadyDecided, match="expired by time"):
        behind.answer(pending.id, Approve())
    with pytest.raises(Expired):
        await behind.judge(call(), Recorder(asking()))


@pytest.mark.parametrize(("timeout", "expires"), [("default", 1300.0), (5.0, 1005.0), (None, None)])
async def test_how_long_a_question_waits_is_said_per_question(timeout: float | None, expires: float | None) -> None:
    pending = await gate(clock=VirtualClock(1000.0)).judge(call(), Recorder(asking()), timeout=timeout)
    assert isinstance(pending, Pending)
    assert pending.expires == expires


async def test_a_caller_that_stops_waiting_cancels_the_question() -> None:
    person = Slow()
    behind = gate(person)
    waiting = asyncio.ensure_future(execute(call(), Recorder(asking()), behind))
    await shown(person)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert behind.store.desk() == []
    assert kinds(behind) == ["asked", "cancelled"]
    with pytest.raises(Cancelled):
        await behind.judge(call(), Recorder(asking()))


async def test_a_caller_that_stops_waiting_leaves_another_one_waiting() -> None:
    person, tool = Slow(), Recorder(asking())
    behind = gate(person)
    first, second = (asyncio.ensure_future(behind.admit(call(), tool)) for _ in range(2))
    await shown(person)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    assert first.cancelled()
    person.go.set()
    assert (await second).why == "approved by slow"


class Crashing:
    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def decide(self, _batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        raise self._error


@pytest.mark.parametrize(
    "error", [RuntimeError("no screen"), SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError()]
)
async def test_an_approver_that_breaks_refuses_and_says_so(error: BaseException) -> None:
    behind = gate(Crashing(error))
    with pytest.raises(GateFailed) as refusal:
        await execute(call(), Recorder(asking()), behind)
    assert refusal.value.part == "approver"
    with pytest.raises(GateFailed):
        await execute(call(id="2"), Recorder(asking()), behind)


@pytest.mark.parametrize("answers", [{}, {"unknown": Approve()}, {"this": True}, {"this": "yes"}, None])
async def test_an_answer_that_is_none_refuses(answers: Mapping[str, object] | None) -> None:
    class Odd:
        async def decide(self, batch: Sequence[Pending], /) -> object:
            if answers is None:
                return None
            return {batch[0].id if key == "this" else key: value for key, value in answers.items()}

    tool = Recorder(asking())
    with pytest.raises(GateFailed) as refusal:
        await execute(call(), tool, gate(Odd()))
    assert refusal.value.part == "approver"
    assert tool.ran == []


async def test_the_first_answer_wins_and_the_loser_is_told(tmp_path: Path) -> None:
    person, tool = Slow(), Recorder(asking())
    here = gate(person, store=SQLiteStore(tmp_path / "db"))
    elsewhere = gate(store=SQLiteStore(tmp_path / "db"))
    waiting = asyncio.ensure_future(execute(call(), tool, here))
    await shown(person)
    (pending,) = elsewhere.store.desk()
    elsewhere.answer(pending.id, Approve(by="bob"))
    with pytest.raises(AlreadyDecided) as late:
        elsewhere.answer(pending.id, Reject(by="eve"))
    assert (late.value.by, late.value.outcome) == ("bob", "approved")
    person.answer = Reject(by="ana")
    person.go.set()
    assert await waiting == "ran write"


async def test_a_question_answered_elsewhere_is_taken_back(tmp_path: Path) -> None:
    person = Slow()
    here = gate(person, store=SQLiteStore(tmp_path / "db"))
    waiting = asyncio.ensure_future(execute(call(), Recorder(asking()), here))
    await shown(person)
    elsewhere = gate(store=SQLiteStore(tmp_path / "db"))
    elsewhere.answer(elsewhere.store.desk()[0].id, Approve())
    assert await waiting == "ran write"
    await asyncio.to_thread(person.taken_back.wait)


async def test_an_answer_to_a_question_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownPending):
        gate().answer(PendingId("nothing"), Approve())


async def test_settling_with_another_answer_than_the_first_is_refused() -> None:
    behind, tool = gate(), Recorder(asking())
    pending = await behind.judge(call(), tool)
    assert isinstance(pending, Pending)
    behind.answer(pending.id, Reject(by="ana"))
    with pytest.raises(AlreadyDecided):
        await behind.settle(pending, Approve(), tool)


async def test_edited_arguments_run_and_are_announced() -> None:
    tool, behind = Recorder(asking()), gate(Answers(Approve(override_args={"path": "b"})))
    permit = await behind.admit(call(path="a"), tool)
    assert permit.call.args == {"path": "b"}
    assert permit.announcement == 'A person changed this call before it ran. It ran with: {"path":"b"}'
    approved = next(entry for entry in behind.store.journal() if entry.kind == "approved")
    assert approved.body["approved"] != approved.body["proposed"]


async def test_arguments_edited_by_a_person_are_judged_again() -> None:
    def policy(proposed: object) -> ApprovalRequest:
        if proposed.args["path"] == "/etc/passwd":  # type: ignore[attr-defined]
            message = "outside"
            raise PermissionError(message)
        return asking()

    tool = Recorder(policy)
    sneaky = Approve(override_args={"path": "/etc/passwd"})
    with pytest.raises(PermissionError, match="outside"):
        await execute(call(path="a"), tool, gate(Answers(sneaky)))
    assert tool.ran == []


async def test_edited_arguments_that_do_not_fit_are_refused() -> None:
    def send(to: str) -> str:
        return to

    with pytest.raises(GateFailed, match="The edit failed: the arguments do not fit send"):
        gate(Answers(Approve(override_args={"recipient": "bob"}))).wrap(send)("eve")


async def test_prompts_never_interleave() -> None:
    class Busy:
        def __init__(self) -> None:
            self.open = 0

        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            self.open += 1
            for _ in range(3):
                await asyncio.sleep(0)
                assert self.open == 1
            self.open -= 1
            return {pending.id: Approve() for pending in batch}

    behind, tool = gate(Busy()), Recorder(asking())
    await asyncio.gather(*(execute(call(id=str(number)), tool, behind) for number in range(20)))
    assert len(tool.ran) == 20


async def test_a_group_is_one_question_with_an_answer_for_each_item() -> None:
    def choose(pending: Pending) -> ApprovalDecision:
        return Reject(note="not b") if pending.call.args["path"] == "b" else Approve()

    person = Answers(choose)
    behind, tool = gate(person), Recorder(ApprovalRequest(description="save", group_id="save project"))
    results = await asyncio.gather(
        *(execute(call(id=path, path=path), tool, behind) for path in "abc"), return_exceptions=True
    )
    assert [len(batch) for batch in person.batches] == [3]
    assert [type(result).__name__ for result in results] == ["str", "Rejected", "str"]


async def test_approving_all_of_a_batch_never_reaches_another_batch() -> None:
    """Whoever answers the first batch also slips in answers for the second: they are not taken."""
    behind = gate()
    tool = Recorder(asking())
    first = [await behind.judge(call(id=f"a{number}"), tool) for number in range(2)]
    second = await behind.judge(call(id="b"), tool)
    assert isinstance(second, Pending)
    slipped_in = second.id

    class Greedy:
        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            return {pending: Approve(by="greedy") for pending in [*(each.id for each in batch), slipped_in]}

    greedy = gate(Greedy(), store=behind.store)
    answers = await greedy.ask_all([pending for pending in first if isinstance(pending, Pending)])
    assert answers == [Approve(by="greedy")] * 2
    assert behind.store.ruling(second.id) is None


async def test_what_is_asked_together_is_shown_together() -> None:
    person = Answers(Approve())
    behind, tool = gate(person), Recorder(asking())
    pendings = [await behind.judge(call(id=str(number)), tool) for number in range(4)]
    await behind.ask_all([pending for pending in pendings if isinstance(pending, Pending)])
    assert [len(batch) for batch in person.batches] == [4]


async def test_the_outcomes_are_told_apart_on_the_record() -> None:
    person = Answers(Approve(), Reject(), Respond(result=1), RuntimeError("x"), Reject(stop=True))
    behind = gate(person)
    for number in range(5):
        await asyncio.gather(execute(call(id=str(number)), Recorder(asking()), behind), return_exceptions=True)
    outcomes = [kind for kind in kinds(behind) if kind in set(Outcome)]
    assert outcomes == ["approved", "rejected", "responded", "failed", "stopped"]


def test_a_store_that_fails_refuses_the_call() -> None:
    store = memory_store()
    behind = gate(Answers(Approve()), store=store)
    store.close()
    with pytest.raises(GateFailed, match="The store failed") as refusal:
        behind.admit_sync(call(), Recorder(asking()))
    assert refusal.value.part == "store"


async def test_a_store_that_fails_while_an_answer_is_written_is_named() -> None:
    store = memory_store()

    class Closes:
        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            store.close()
            return {pending.id: Approve() for pending in batch}

    with pytest.raises(GateFailed) as refusal:
        await execute(call(), Recorder(asking()), gate(Closes(), store=store))
    assert refusal.value.part == "store"
    assert str(refusal.value).count("It was not executed") == 1


async def test_refusals_that_are_failures_are_on_the_record() -> None:
    behind = gate(Answers(Approve()))
    broken = Recorder(lambda _call: 1 / 0)  # type: ignore[arg-type, return-value]
    with pytest.raises(GateFailed):
        await execute(call(id="1"), broken, behind)
    await execute(call(id="2", path="a"), Recorder(asking()), behind)
    with pytest.raises(ConflictingCall):
        await execute(call(id="2", path="b"), Recorder(asking()), behind)
    with pytest.raises(AlreadySpent):
        await execute(call(id="2", path="a"), Recorder(asking()), behind)
    refused = [str(entry.body["why"]) for entry in behind.store.journal() if entry.kind == "refused"]
    assert [why.split(":")[0] for why in refused] == ["failed", "conflicting_call", "already_spent"]


@pytest.mark.parametrize("options", [{"mode": "stict"}, {"timeout": "5"}, {"timeout": 0}, {"park_timeout": -1}])
def test_a_gate_that_makes_no_sense_is_refused_when_it_is_made(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="is no"):
        gate(**options)


def test_a_gate_is_made_as_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text("approvals: {mode: strict, timeout: 5}\nstore: state/record.db\n")
    behind = Gate.from_settings(read_settings(tmp_path / "assent.yaml"))
    assert (behind.mode, behind.timeout, behind.park_timeout) == ("strict", 5.0, None)
    behind.close()
    assert (tmp_path / "state" / "record.db").is_file()


async def test_closing_a_gate_ends_what_was_approved_for_its_session(tmp_path: Path) -> None:
    behind = gate(Answers(Approve(scope=Scope.SESSION)), store=SQLiteStore(tmp_path / "db"))
    behind.wrap(lambda: None, name="tick")()
    assert len(behind.store.grants()) == 1
    behind.close()
    assert SQLiteStore(tmp_path / "db").grants() == []


def test_the_default_record_is_in_the_users_state_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    Gate().store.close()
    assert (tmp_path / "assent" / "assent.db").is_file()


async def test_an_approver_whose_question_is_taken_back_is_told_who_answered() -> None:
    told: list[str] = []
    shown = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            loop.call_soon_threadsafe(shown.set)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError as closed:
                told.extend(map(str, closed.args))
                loop.call_soon_threadsafe(shown.set)
                raise
            raise AssertionError

    here = gate(Slow())
    pending = await here.judge(call(), ASK)
    assert isinstance(pending, Pending)
    asking = asyncio.ensure_future(here.ask(pending))
    await shown.wait()
    shown.clear()
    here.answer(pending.id, Approve(by="eva"))
    assert await asking == Approve(by="eva")
    await shown.wait()
    assert told == ["Answered: approved by eva"]
