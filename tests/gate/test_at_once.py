"""An approver that need not be waited for: its approval is one step on the record, with the start of the call."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from assent import (
    Allow,
    ApprovalDecision,
    Approve,
    Deny,
    Gate,
    Pending,
    Permit,
    Reject,
    Respond,
    Scope,
    Session,
    SQLiteStore,
    ToolCall,
    Verdict,
    execute,
)
from assent.errors import (
    AlreadyDecided,
    AlreadySpent,
    Cancelled,
    ConflictingCall,
    DeniedByPolicy,
    Expired,
    GateFailed,
    Rejected,
    Stopped,
    StoreFailed,
)
from assent.gate import Inherited, inherit, inherited
from assent.model import EffectState, Grant, GrantId, PendingId, Preview, Ruling, operation
from assent.testing import Answers, VirtualClock
from tests.gate.kit import Recorder, asking, call, gate, kinds
from tests.store.kit import heard

AT_ONCE = ["asked", "approved", "started", "done"]


class Program(Answers):
    """Says at once what a function makes of the question, or nothing; then it is asked as anybody is."""

    def __init__(self, say: Callable[[Pending], object], *later: ApprovalDecision) -> None:
        super().__init__(*later)
        self._say = say
        self.said: list[Pending] = []

    def at_once(self, pending: Pending, /) -> object:
        self.said.append(pending)
        return self._say(pending)


def says(answer: object, *later: ApprovalDecision) -> Program:
    return Program(lambda _: answer, *later)


class Steps(SQLiteStore):
    """Counts what is written, and how."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.parked = self.started = 0

    def park(self, pendings: Sequence[Pending], /) -> Sequence[Pending]:
        self.parked += len(pendings)
        return super().park(pendings)

    def start_at_once(self, pending: Pending, ruling: Ruling, /, *, permit: Permit) -> bool:
        self.started += 1
        return super().start_at_once(pending, ruling, permit=permit)


async def test_an_approval_is_one_step_on_the_record_with_the_start_of_the_call(tmp_path: Path) -> None:
    store, tool = Steps(tmp_path / "store.db"), Recorder(asking())
    behind = gate(says(Approve(by="a rule")), store=store)
    assert await execute(call(path="a"), tool, behind) == "ran write"
    assert tool.ran == [{"path": "a"}]
    assert (store.parked, store.started) == (0, 1)
    assert kinds(behind) == AT_ONCE
    (asked,) = store.recent(1)
    assert asked.ruling is not None
    assert asked.ruling.by == "a rule"
    assert asked.effect is not None
    assert asked.effect.state is EffectState.DONE
    assert store.verify() is None
    store.close()


async def test_all_of_it_is_durable_and_seen_by_others_before_the_tool_runs(tmp_path: Path) -> None:
    class Looks(Recorder):
        async def run(self, permit: Permit, /) -> object:
            (asked,) = elsewhere.recent(1)
            assert asked.effect is not None
            assert asked.effect.state is EffectState.STARTED
            assert done == ["commit", "sync"]
            return await super().run(permit)

    here, elsewhere = SQLiteStore(tmp_path / "store.db"), SQLiteStore(tmp_path / "store.db")
    tool = Looks(asking())
    with heard(here) as done:
        await execute(call(), tool, gate(says(Approve()), store=here))
    assert len(tool.ran) == 1
    here.close()
    elsewhere.close()


def test_synchronous_code_has_it_too() -> None:
    ran: list[str] = []
    behind = gate(says(Approve()))
    behind.wrap(ran.append)("a")
    assert ran == ["a"]
    assert kinds(behind) == AT_ONCE


async def test_a_session_has_it_too() -> None:
    behind = gate(says(Approve()))
    assert await Session(gate=behind, tools=[Recorder(asking())]).call("write", {}) == "ran write"
    assert kinds(behind)[:4] == AT_ONCE


async def test_a_permit_that_may_be_spent_later_is_not_started_before_it_is() -> None:
    behind = gate(says(Approve(), Approve(by="asked as anybody is")))
    permit = await behind.admit(call(), Recorder(asking()))
    assert kinds(behind) == ["asked", "approved"]
    with behind.spend(permit):
        assert kinds(behind) == ["asked", "approved", "started"]


async def test_a_call_that_started_at_once_does_not_start_again() -> None:
    tool = Recorder(asking())
    behind = gate(says(Approve()))
    permit = await behind.admit(call(), tool, starts=True)
    with behind.spend(permit):
        pass
    with pytest.raises(AlreadySpent):
        behind.spend(permit).__enter__()
    with pytest.raises(AlreadySpent):
        await execute(call(), tool, behind)
    assert tool.ran == []


async def test_who_says_nothing_is_asked_as_anybody_is() -> None:
    person, tool = says(None, Approve(by="thought about it")), Recorder(asking())
    behind = gate(person)
    await execute(call(), tool, behind)
    assert len(person.said) == len(person.asked) == 1
    assert kinds(behind) == AT_ONCE


@pytest.mark.parametrize(
    ("answer", "refusal", "end"),
    [
        (Reject(note="use b.txt"), Rejected, "rejected"),
        (Reject(stop=True), Stopped, "stopped"),
        ("yes", GateFailed, "failed"),
        (True, GateFailed, "failed"),
        (Approve(covers="everything"), GateFailed, "failed"),
    ],
)
async def test_whatever_is_no_plain_approval_goes_over_the_desk(
    answer: object, refusal: type[Exception], end: str
) -> None:
    person, tool = says(answer), Recorder(asking())
    behind = gate(person)
    with pytest.raises(refusal):
        await execute(call(), tool, behind)
    assert tool.ran == []
    assert kinds(behind)[:2] == ["asked", end]
    assert len(person.said) == 1
    assert person.asked == []


async def test_an_error_of_it_refuses_the_call() -> None:
    def fails(_: Pending) -> object:
        raise RuntimeError("odd")

    person, tool = Program(fails, Approve()), Recorder(asking())
    behind = gate(person)
    with pytest.raises(GateFailed, match="odd"):
        await execute(call(), tool, behind)
    assert tool.ran == []
    assert person.asked == []
    assert kinds(behind)[:2] == ["asked", "failed"]


async def test_it_may_answer_in_the_tools_place_change_the_call_or_have_it_remembered() -> None:
    tool = Recorder(asking())
    assert await execute(call(), tool, gate(says(Respond(result="done by hand")))) == "done by hand"
    assert tool.ran == []
    await execute(call(path="a"), tool, gate(says(Approve(override_args={"path": "b"}))))
    assert tool.ran == [{"path": "b"}]
    behind = gate(says(Approve(scope=Scope.ALWAYS)))
    await execute(call(id="1"), tool, behind)
    await execute(call(id="2"), tool, behind)
    assert kinds(behind) == [*AT_ONCE, "granted"]


async def test_a_group_is_one_question_that_nobody_answers_in_parts() -> None:
    person, tool = says(Reject(), Approve()), Recorder(asking())
    calls = [ToolCall(run="run", id=each, tool_name="write", args={}, group_id="turn") for each in "12"]
    await asyncio.gather(*(execute(each, tool, behind) for behind in [gate(person)] for each in calls))
    assert person.said == []
    assert len(tool.ran) == 2


async def test_what_it_starts_does_not_inherit_the_gate_it_answers_for() -> None:
    around: list[object] = []

    def looks(_: Pending) -> ApprovalDecision:
        around.append(inherited())
        return Approve()

    behind = gate(Program(looks))
    with inherit(Inherited(gate=behind, run="run")):
        await execute(call(), Recorder(asking()), behind)
    assert around == [None]


async def test_a_policy_that_has_become_stricter_meanwhile_refuses_it() -> None:
    verdicts: list[Verdict] = [asking()]

    def stricter(_: Pending) -> ApprovalDecision:
        verdicts[0] = Deny(reason="not any more")
        return Approve()

    tool = Recorder(lambda _: verdicts[0])
    behind = gate(Program(stricter))
    with pytest.raises(DeniedByPolicy, match="not any more"):
        await execute(call(), tool, behind)
    assert tool.ran == []
    assert "started" not in kinds(behind)
    assert [asked.effect for asked in behind.store.recent(9)] == [None]


async def test_time_that_is_over_is_over_at_once() -> None:
    clock = VirtualClock()

    def slow(_: Pending) -> ApprovalDecision:
        clock.advance(61.0)
        return Approve()

    tool = Recorder(asking())
    behind = gate(Program(slow), clock=clock, timeout=60.0)
    with pytest.raises(Expired):
        await execute(call(), tool, behind)
    assert tool.ran == []
    assert kinds(behind) == ["asked", "expired"]


async def test_a_run_that_was_stopped_meanwhile_starts_nothing(tmp_path: Path) -> None:
    here, elsewhere = SQLiteStore(tmp_path / "store.db"), SQLiteStore(tmp_path / "store.db")
    tool = Recorder(asking())
    await execute(call(id="first"), tool, gate(says(Approve()), store=here))

    def meanwhile(_: Pending) -> ApprovalDecision:
        assert elsewhere.stop_run("run", by="ben", at=1.0)
        return Approve()

    with pytest.raises(Cancelled, match="the run was stopped"):
        await execute(call(id="second"), tool, gate(Program(meanwhile), store=here))
    assert len(tool.ran) == 1
    assert [asked.effect is None for asked in here.recent(9)] == [True, False]
    here.close()
    elsewhere.close()


class Elsewhere:
    """Another process that asks about the same call while this one is being answered at once."""

    def __init__(self, path: Path, tool: Recorder, answer: ApprovalDecision | None, wanted: ToolCall) -> None:
        self.store = SQLiteStore(path)
        self.told: list[str] = []
        self._tool = tool
        self._answer = answer
        self._wanted = wanted

    def at_once(self, _pending: Pending, /) -> ApprovalDecision:
        other = threading.Thread(target=lambda: asyncio.run(self._ask()))
        other.start()
        other.join(20)
        return Approve(by="the program")

    async def _ask(self) -> None:
        behind = Gate(store=self.store)
        pending = await behind.judge(self._wanted, self._tool)
        assert isinstance(pending, Pending)
        if self._answer is not None:
            behind.answer(pending.id, self._answer)

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        raise AssertionError(batch)

    def lost(self, _pending: Pending, first: AlreadyDecided) -> None:
        self.told.append(first.by)


async def test_an_answer_that_was_given_elsewhere_first_stands(tmp_path: Path) -> None:
    here, tool = SQLiteStore(tmp_path / "store.db"), Recorder(asking())
    first = Elsewhere(tmp_path / "store.db", tool, Reject(note="not now", by="ben"), call(path="a"))
    with pytest.raises(Rejected, match="not now"):
        await execute(call(path="a"), tool, gate(first, store=here))
    assert tool.ran == []
    assert first.told == ["ben"]
    assert kinds(gate(store=here)) == ["asked", "rejected"]
    here.close()


async def test_a_question_that_was_asked_elsewhere_first_is_answered_once_for_both(tmp_path: Path) -> None:
    here, tool = SQLiteStore(tmp_path / "store.db"), Recorder(asking())
    first = Elsewhere(tmp_path / "store.db", tool, None, call(path="a"))
    await execute(call(path="a"), tool, gate(first, store=here))
    assert tool.ran == [{"path": "a"}]
    assert kinds(gate(store=here)) == AT_ONCE
    with pytest.raises(AlreadySpent):
        await execute(call(path="a"), tool, gate(says(Approve()), store=first.store))
    here.close()
    first.store.close()


@pytest.mark.parametrize("answer", [Approve(by="ben"), None])
async def test_an_approval_never_reaches_other_arguments_of_the_same_id(
    tmp_path: Path, answer: ApprovalDecision | None
) -> None:
    here, tool = SQLiteStore(tmp_path / "store.db"), Recorder(asking())
    other = Elsewhere(tmp_path / "store.db", tool, answer, call(path="b"))
    with pytest.raises(ConflictingCall):
        await execute(call(path="a"), tool, gate(other, store=here))
    assert tool.ran == []
    assert "started" not in kinds(gate(store=here))
    here.close()


async def test_an_edit_given_elsewhere_first_runs_nothing_else(tmp_path: Path) -> None:
    here, tool = SQLiteStore(tmp_path / "store.db"), Recorder(asking())
    edit = Approve(override_args={"path": "b"}, by="ben")
    first = Elsewhere(tmp_path / "store.db", tool, edit, call(path="a"))
    await execute(call(path="a"), tool, gate(first, store=here))
    assert tool.ran == [{"path": "b"}]
    assert [asked.ruling.by for asked in here.recent(9) if asked.ruling] == ["ben"]
    here.close()


async def test_a_policy_that_must_look_around_first_is_asked_about_on_the_desk() -> None:
    class Looks(Recorder):
        async def prepare(self, _call: ToolCall, /) -> None:
            await asyncio.sleep(0)

    person = says(Reject(), Approve())
    await execute(call(), Looks(asking()), gate(person))
    assert person.said == []
    assert len(person.asked) == 1


async def test_what_policy_allows_or_the_mode_denies_is_not_said_anything_of() -> None:
    person = says(Approve())
    await execute(call(id="1"), Recorder(Allow(reason="harmless")), gate(person))
    with pytest.raises(DeniedByPolicy):
        await execute(call(id="2"), Recorder(asking()), gate(person, mode="strict"))
    assert person.said == []


def test_two_hundred_calls_from_many_threads_run_once_each(tmp_path: Path) -> None:
    store, tool = SQLiteStore(tmp_path / "store.db"), Recorder(asking())
    behind = gate(says(Approve()), store=store)

    def work(number: int) -> None:
        for each in range(25):
            asyncio.run(execute(call(id=f"{number}-{each}", path=f"{number}-{each}"), tool, behind))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(str(each["path"]) for each in tool.ran) == sorted(f"{a}-{b}" for a in range(8) for b in range(25))
    assert kinds(behind).count("started") == kinds(behind).count("done") == 200
    assert store.verify() is None
    store.close()


def test_one_call_from_many_threads_at_once_runs_once(tmp_path: Path) -> None:
    store, tool = SQLiteStore(tmp_path / "store.db"), Recorder(asking())
    behind = gate(says(Approve(), Approve()), store=store)
    together, told = threading.Barrier(8), []

    def work() -> None:
        together.wait()
        try:
            asyncio.run(execute(call(path="a"), tool, behind))
        except AlreadySpent as late:
            told.append(late)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert tool.ran == [{"path": "a"}]
    assert len(told) == 7
    assert [kind for kind in kinds(behind) if kind != "refused"] == AT_ONCE
    store.close()


class RemembersWhile(Recorder):
    """While it draws, or is answered, somebody has a refusal remembered."""

    def __init__(self, when: str) -> None:
        super().__init__(asking(path="a"))
        self.when = when
        self.behind: Gate | None = None

    def refuse(self) -> None:
        assert self.behind is not None
        self.behind.store.remember(
            Grant(
                id=GrantId("never"),
                operation=operation(call(path="a"), asking(path="a")),
                tool_name="write",
                description="write a",
                allow=False,
                scope=Scope.ALWAYS,
                run=None,
                agents=None,
                by="ben",
                at=1.0,
            )
        )

    async def preview(self, call: ToolCall, /) -> Preview:
        if self.when == "drawing":
            self.refuse()
        return await super().preview(call)


@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize("when", ["drawing", "answering"])
async def test_a_refusal_that_is_remembered_meanwhile_comes_first(when: str, *, blocks: bool) -> None:
    tool = RemembersWhile(when)

    def answers(_: Pending) -> ApprovalDecision:
        if when == "answering":
            tool.refuse()
        return Approve()

    program = Program(answers)
    program.blocks = blocks  # type: ignore[attr-defined]
    tool.behind = gate(program)
    with pytest.raises(Rejected):
        await execute(call(path="a"), tool, tool.behind)
    assert tool.ran == []
    assert kinds(tool.behind) == ["remembered", "asked", "rejected"]


@pytest.mark.parametrize(("scope", "starts"), [(Scope.ONCE, True), (Scope.ONCE, False), (Scope.SESSION, True)])
async def test_a_permit_does_not_run_in_a_process_that_was_forked(
    monkeypatch: pytest.MonkeyPatch, scope: Scope, *, starts: bool
) -> None:
    behind, tool = gate(says(Approve(scope=scope), Approve())), Recorder(asking())
    await behind.admit(call(), tool, starts=starts)
    permit = await behind.admit(call(id="2"), tool, starts=starts)
    assert (permit.answered is None) == (scope is Scope.SESSION)
    monkeypatch.setattr("assent.gate._spend._process", object())  # as the child sees it
    with pytest.raises(StoreFailed, match="forked"):
        behind.spend(permit).__enter__()


async def test_a_way_to_answer_that_is_none_is_no_permission() -> None:
    class Async(Answers):
        async def at_once(self, _pending: Pending, /) -> ApprovalDecision:
            return Approve()

    class GivesUp(Answers):
        def at_once(self, _pending: Pending, /) -> ApprovalDecision:
            raise asyncio.CancelledError

    class NotEven(Answers):
        @property
        def at_once(self) -> object:
            raise RuntimeError("odd")

    for approver in (Async(), GivesUp(), NotEven()):
        tool = Recorder(asking())
        behind = gate(approver)
        with pytest.raises(GateFailed, match="approver"):
            await execute(call(), tool, behind)
        assert tool.ran == []
        assert kinds(behind)[:2] == ["asked", "failed"]


async def test_a_record_that_is_locked_refuses_after_its_patience_and_not_after_twice_that(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "store.db")
    store._db._writer.execute("PRAGMA busy_timeout = 50")
    tool = Recorder(asking())
    behind = gate(says(Approve()), store=store)
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFailed, match="locked"):
            await execute(call(), tool, behind)
        other.execute("ROLLBACK")
    assert tool.ran == []
    await execute(call(), tool, behind)
    assert kinds(behind) == AT_ONCE
    store.close()
