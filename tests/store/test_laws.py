"""A law: the store, on disk and reopened at any moment, is what a few dictionaries would be."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from assent.errors import AlreadyDecided, AlreadySpent, Stopped, StoreFailed, UnknownPending
from assent.model import (
    ApprovalDecision,
    Approve,
    Asked,
    Effect,
    EffectState,
    Grant,
    GrantId,
    Outcome,
    Pending,
    PendingId,
    Reject,
    Respond,
    Ruling,
    RunHistory,
    Scope,
    Stop,
    outcome_of,
)
from assent.store import SQLiteStore
from assent.testing import memory_store
from tests.store.kit import NOW, OPERATION, REQUEST, approved, call, expired, permit_for, question
from tests.strategies import decisions, grants, pendings

RUNS = ("a", "b")
CALLS = ("1", "2", "3")
CHAINS = ((), ("main",), ("main", "helper"))
QUESTIONS = [question(call_id, run=run) for run in RUNS for call_id in CALLS]
IDS = [pending.id for pending in QUESTIONS]
ENDS = [EffectState.DONE, EffectState.FAILED, EffectState.UNKNOWN]

answers: st.SearchStrategy[ApprovalDecision | Outcome] = st.sampled_from(
    [
        Approve(by="ana", override_args={"path": "b"}),
        Approve(by="ana", scope=Scope.ALWAYS),
        Reject(by="ben", note="no"),
        Reject(by="ben", stop=True),
        Respond(by="ana", result=[1, {"two": None}]),
        Outcome.CANCELLED,
        Outcome.FAILED,
    ]
)
new_grants = st.builds(
    Grant,
    id=st.sampled_from([GrantId(name) for name in "wxyz"]),
    operation=st.sampled_from([OPERATION, "[]"]),
    tool_name=st.just("write"),
    description=st.just("write"),
    allow=st.booleans(),
    scope=st.just(Scope.ALWAYS),
    run=st.none() | st.sampled_from(RUNS),
    agents=st.none() | st.sampled_from(CHAINS),
    by=st.just("ana"),
    at=st.just(1.0),
    calls=st.none() | st.integers(1, 2),
)


class StoreAndDictionaries(RuleBasedStateMachine):
    """Everything is done twice: to a store, and to dictionaries that say what must come of it."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.store = SQLiteStore(self.folder / "store.db")
        self.now = 0.0
        self.asked: dict[PendingId, Pending] = {}
        self.rulings: dict[PendingId, Ruling] = {}
        self.grants: dict[GrantId, Grant] = {}
        self.effects: dict[PendingId, Effect] = {}
        self.stops: dict[str, Stop] = {}
        self.ended: dict[str, float] = {}
        self.told: list[str] = []

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)

    # What the dictionaries know

    def waiting(self) -> list[Pending]:
        return [pending for pending in self.asked.values() if pending.id not in self.rulings]

    def stop_of(self, run: str) -> Stop | None:
        return self.stops.get(run)

    def end_question(self, ruling: Ruling) -> None:
        self.rulings[ruling.pending] = ruling
        self.told.append(ruling.outcome.value)

    def stop(self, run: str, stop: Stop) -> None:
        self.stops[run] = stop
        for other in self.waiting():
            if other.call.run == run:
                self.cancel(other, stop)

    def cancel(self, pending: Pending, stop: Stop) -> None:
        self.end_question(
            Ruling(pending=pending.id, outcome=Outcome.CANCELLED, by=stop.by, at=stop.at, detail="the run was stopped")
        )

    # What is done to both

    @rule(pending=st.sampled_from(QUESTIONS), seconds=st.none() | st.integers(1, 4))
    def park(self, pending: Pending, seconds: int | None) -> None:
        new = replace(pending, created=self.now, expires=None if seconds is None else self.now + seconds)
        if new.id not in self.asked:
            self.asked[new.id] = new
            self.told.append("asked")
            stop = self.stop_of(new.call.run)
            if stop is not None:
                self.cancel(new, stop)
        assert self.store.park([new]) == [self.asked[new.id]]

    @rule(pending=st.sampled_from(IDS), answer=answers, grant=st.none() | new_grants)
    def decide(self, pending: PendingId, answer: ApprovalDecision | Outcome, grant: Grant | None) -> None:
        if grant is not None and (grant.id in self.grants or isinstance(answer, Outcome)):
            grant = None
        if isinstance(answer, Outcome):
            ruling = Ruling(pending=pending, outcome=answer, by="gate", at=self.now, detail="so it is")
        else:
            ruling = Ruling(pending=pending, outcome=outcome_of(answer), by=answer.by, at=self.now, decision=answer)
        expected = self.rule_on(pending, ruling, grant)
        try:
            self.store.decide(ruling, grant=grant)
        except (AlreadyDecided, UnknownPending) as error:
            seen = (error.outcome, error.by, error.at) if isinstance(error, AlreadyDecided) else "unknown"
            assert seen == expected
        else:
            assert expected == "written"

    def rule_on(self, pending: PendingId, ruling: Ruling, grant: Grant | None) -> object:
        if pending not in self.asked:
            return "unknown"
        question = self.asked[pending]
        if pending not in self.rulings and question.expires is not None and question.expires <= self.now:
            self.end_question(expired(question, at=self.now))
        if pending in self.rulings:
            first = self.rulings[pending]
            return first.outcome, first.by, first.at
        self.end_question(ruling)
        over = self.ended.get(question.call.run, -1.0) >= question.created
        if grant is not None and not (over and grant.run is not None):
            self.grants[grant.id] = grant
        if ruling.outcome is Outcome.STOPPED:
            self.stop(question.call.run, Stop(by=ruling.by, at=ruling.at))
        return "written"

    @rule(seconds=st.floats(0, 3))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def expire(self) -> None:
        over = [each for each in self.waiting() if each.expires is not None and each.expires <= self.now]
        for pending in over:
            self.end_question(expired(pending, at=self.now))
        assert self.store.expire(self.now) is bool(over)

    @rule(grant=new_grants)
    def remember(self, grant: Grant) -> None:
        if grant.id not in self.grants:
            self.grants[grant.id] = grant
            self.told.append("remembered")
            self.store.remember(grant)

    @rule(grant=st.sampled_from([GrantId(name) for name in "wxyz"]))
    def revoke(self, grant: GrantId) -> None:
        stood = self.grants.pop(grant, None) is not None
        if stood:
            self.told.append("revoked")
        assert self.store.revoke(grant, by="ben", at=self.now) is stood

    @rule(grant=st.sampled_from([GrantId(name) for name in "wxyz"]))
    def use(self, grant: GrantId) -> None:
        found = self.grants.get(grant)
        if found is not None and found.calls == 1:
            del self.grants[grant]
            self.told.append("used_up")
        elif found is not None and found.calls is not None:
            self.grants[grant] = replace(found, calls=found.calls - 1)
        assert self.store.use(grant, self.now) is (found is not None)

    @rule(run=st.sampled_from(RUNS))
    def stop_run(self, run: str) -> None:
        known = any(each.call.run == run for each in self.asked.values())
        if known:
            self.stop(run, Stop(by="eva", at=self.now))
            self.told.append("run_stopped")
        assert self.store.stop_run(run, by="eva", at=self.now) is known

    @rule(run=st.sampled_from(RUNS))
    def resume_run(self, run: str) -> None:
        stopped = self.stops.pop(run, None) is not None
        if stopped:
            self.told.append("run_resumed")
        assert self.store.resume_run(run, by="eva", at=self.now) is stopped

    @rule(run=st.sampled_from(RUNS), goes_on=st.booleans())
    def end_run(self, run: str, *, goes_on: bool) -> None:
        asked = any(each.call.run == run for each in self.asked.values())
        if asked or any(each.run == run for each in self.grants.values()):
            self.told.append("ended")
        if asked:
            self.ended[run] = self.now
        if goes_on:
            self.stops.pop(run, None)
        self.grants = {name: each for name, each in self.grants.items() if each.run != run}
        self.store.end_run(run, self.now, goes_on=goes_on)

    def is_approved(self, pending: PendingId) -> bool:
        return pending in self.rulings and self.rulings[pending].outcome is Outcome.APPROVED

    @rule(pending=st.sampled_from(IDS), again=st.booleans())
    def start(self, pending: PendingId, *, again: bool) -> None:
        effect = self.effects.get(pending)
        if pending not in self.asked:
            expected: type[Exception] | None = UnknownPending
        elif self.asked[pending].call.run in self.stops:
            expected = Stopped
        elif effect is None and not self.is_approved(pending):
            expected = StoreFailed
        elif effect is None or (again and effect.state is EffectState.UNKNOWN):
            expected = None
            self.effects[pending] = Effect(pending=pending, state=EffectState.STARTED, started=self.now)
            self.told.append("started")
        else:
            expected = AlreadySpent
        with nullcontext() if expected is None else pytest.raises(expected):
            self.store.start(pending, self.now, again=again)

    @rule(pending=st.sampled_from(QUESTIONS), late=st.booleans())
    def start_at_once(self, pending: Pending, *, late: bool) -> None:
        new = replace(pending, created=self.now, expires=self.now if late else None)
        ruling = approved(new, at=self.now)
        writes = not late and new.id not in self.asked and self.stop_of(new.call.run) is None
        if writes:
            self.asked[new.id] = new
            self.told.append("asked")
            self.end_question(ruling)
            self.effects[new.id] = Effect(pending=new.id, state=EffectState.STARTED, started=self.now)
            self.told.append("started")
        assert self.store.start_at_once(new, ruling, permit=permit_for(new)) is writes

    @rule(pending=st.sampled_from(IDS), state=st.sampled_from(ENDS))
    def finish(self, pending: PendingId, state: EffectState) -> None:
        effect = self.effects.get(pending)
        if effect is not None and effect.state is EffectState.STARTED:
            self.effects[pending] = replace(effect, state=state, ended=self.now, detail="so it went")
            self.told.append(state.value)
        try:
            self.store.finish(pending, state, self.now, detail="so it went")
        except UnknownPending:
            assert pending not in self.asked

    @rule(run=st.sampled_from(RUNS))
    def note(self, run: str) -> None:
        self.told.append("allowed")
        self.store.note("allowed", self.now, call(run=run), "rule")

    @precondition(lambda self: self.told)
    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = SQLiteStore(self.folder / "store.db")

    # What both must say

    @invariant()
    def the_desk_holds_what_waits(self) -> None:
        assert self.store.desk() == self.waiting()

    @invariant()
    def every_question_is_known_with_its_end_and_its_effect(self) -> None:
        for pending in IDS:
            asked = self.store.asked(pending)
            if pending in self.asked:
                expected = Asked(
                    pending=self.asked[pending], ruling=self.rulings.get(pending), effect=self.effects.get(pending)
                )
                assert asked == expected
            else:
                assert asked is None
            assert self.store.ruling(pending) == self.rulings.get(pending)

    @invariant()
    def what_is_remembered_stands(self) -> None:
        assert self.store.grants() == [self.grants[name] for name in sorted(self.grants)]
        for run in RUNS:
            for chain in CHAINS:
                self.check_memory(run, chain)

    def check_memory(self, run: str, chain: tuple[str, ...]) -> None:
        covering = [
            each
            for each in self.grants.values()
            if each.operation == OPERATION and each.run in (None, run) and each.agents in (None, chain)
        ]
        found = self.store.remembered(call(run=run, agents=chain), REQUEST, NOW)
        assert (found is None) == (covering == [])
        if found is not None:
            assert found in covering
            assert found.allow == all(each.allow for each in covering)

    @invariant()
    def every_run_has_its_history(self) -> None:
        for run in RUNS:
            calls = {each.call.id: each.id for each in self.asked.values() if each.call.run == run}
            assert self.store.history(run) == RunHistory(calls=calls, stopped=self.stop_of(run))

    @invariant()
    def every_run_is_listed_with_what_it_asked(self) -> None:
        effects = {name: effect.state for name, effect in self.effects.items()}
        for run in self.store.runs():
            mine = [each.id for each in self.asked.values() if each.call.run == run.id]
            assert run.asked == len(mine) > 0
            assert run.waiting == sum(each not in self.rulings for each in mine)
            assert run.running == sum(effects.get(each) is EffectState.STARTED for each in mine)
            assert run.unknown == sum(effects.get(each) is EffectState.UNKNOWN for each in mine)
            assert (run.stopped, run.ended) == (self.stop_of(run.id), self.ended.get(run.id))
        assert len(self.store.runs()) == len({each.call.run for each in self.asked.values()})

    @invariant()
    def the_last_questions_are_what_became_of_them(self) -> None:
        assert [each.pending for each in self.store.recent(3)] == list(self.asked.values())[::-1][:3]
        assert all(each.ruling == self.rulings.get(each.pending.id) for each in self.store.recent(3))

    @invariant()
    def the_journal_is_whole_and_in_order(self) -> None:
        assert self.store.verify() is None
        assert [entry.kind for entry in self.store.journal()] == self.told


TestTheStoreIsWhatDictionariesWouldBe = StoreAndDictionaries.TestCase
TestTheStoreIsWhatDictionariesWouldBe.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)


@given(pending=pendings, decision=decisions)
def test_what_is_read_is_what_was_written(pending: Pending, decision: ApprovalDecision) -> None:
    store = memory_store()
    pending = replace(pending, expires=None)
    ruling = Ruling(pending=pending.id, outcome=outcome_of(decision), by="ana", at=1.0, decision=decision)
    store.park([pending])
    store.decide(ruling)
    assert store.asked(pending.id) == Asked(pending=pending, ruling=ruling)
    assert store.verify() is None
    store.close()


@given(grant=grants)
def test_a_grant_is_read_as_it_was_written(grant: Grant) -> None:
    store = memory_store()
    store.remember(grant)
    assert store.grants() == [grant]
    store.close()
