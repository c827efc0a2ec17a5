"""The contract's first part: what becomes of each answer, of policies, of the memory and of the modes."""

from __future__ import annotations

import pytest

from assent.errors import Stopped
from assent.gate import Gate
from assent.model import ApprovalDecision, Approve, Reject, Respond, Scope
from assent.testing._answers import Answers
from assent.testing._contract_world import ALLOW, DENY, Asking, AtOnce, Hunks, Scenarios, World, call, write
from assent.testing._store import memory_store


class Answering(Scenarios):
    """Allowed, denied, approved, rejected, edited, narrowed, responded to, remembered."""

    def test_what_policy_allows_runs_and_nobody_is_asked(self) -> None:
        world = World(self.harness)
        outcome = world.run((write("a"),), policies={"write": ALLOW})
        assert (world.wrote, world.asked, outcome.answer) == (["a"], [], "done")
        assert "wrote a" in outcome.told["a"]
        assert "allowed" in world.kinds

    def test_what_policy_denies_does_not_run_and_the_model_is_told_why(self) -> None:
        world = World(self.harness)
        outcome = world.run((write("a"),), policies={"write": DENY})
        assert (world.wrote, world.asked, outcome.answer) == ([], [], "done")
        assert "never on a Friday" in outcome.told["a"]
        assert "denied" in world.kinds

    def test_an_approved_call_runs(self) -> None:
        world = World(self.harness, Approve(by="ana"))
        outcome = world.run((write("a", times=2),), policies={"write": Asking()})
        assert (world.wrote, outcome.answer) == (["a", "a"], "done")
        assert "wrote a" in outcome.told["a"]
        assert [pending.request.description for pending in world.asked] == ["Write a"]
        assert "done" in world.kinds
        assert world.store.verify() is None

    def test_an_approver_that_need_not_be_waited_for_is_on_the_record_all_the_same(self) -> None:
        world = World(self.harness, approver=AtOnce(Approve(by="a rule"), Reject(note="not this one")))
        outcome = world.run((write("a"),), (write("b"),), policies={"write": Asking()})
        assert (world.wrote, outcome.answer) == (["a"], "done")
        assert "not this one" in outcome.told["b"]
        happened = ["asked", "approved", "started", "done", "asked", "rejected"]
        assert [each for each in world.kinds if each != "ended"] == happened
        assert world.store.verify() is None

    def test_a_tool_nobody_speaks_for_asks(self) -> None:
        world = World(self.harness, Approve())
        world.run((write("a"),))
        assert world.wrote == ["a"]
        assert [dict(pending.call.args) for pending in world.asked] == [{"path": "a", "times": 1}]

    def test_a_rejection_is_a_tool_result_with_the_persons_words(self) -> None:
        world = World(self.harness, Reject(note="not today"))
        outcome = world.run((write("a"),))
        assert (world.wrote, outcome.answer) == ([], "done")
        assert "User rejected: not today. It was not executed" in outcome.told["a"]

    def test_a_person_can_stop_the_run(self) -> None:
        world = World(self.harness, Reject(note="enough", stop=True))
        with pytest.raises(Stopped, match="enough"):
            world.run((write("a"),), (write("b"),))
        assert world.wrote == []
        assert len(world.asked) == 1

    def test_a_rejection_stops_the_run_on_request(self) -> None:
        world = World(self.harness, Reject(note="enough"))
        with pytest.raises(Stopped, match="enough"):
            world.run((write("a"),), (write("b"),), on_reject="stop")
        assert world.wrote == []
        assert len(world.asked) == 1

    def test_an_edited_call_runs_as_edited_and_the_model_is_told(self) -> None:
        world = World(self.harness, Approve(override_args={"path": "b", "times": 2}))
        outcome = world.run((write("a"),))
        assert world.wrote == ["b", "b"]
        assert "A person changed this call before it ran" in outcome.told["a"]
        assert "wrote b" in outcome.told["a"]

    def test_an_edit_into_a_denied_call_is_denied(self) -> None:
        world = World(self.harness, Approve(override_args={"path": "secret"}))
        outcome = world.run((write("a"),), policies={"write": Asking("secret")})
        assert world.wrote == []
        assert "secret is off limits" in outcome.told["a"]

    def test_edited_arguments_are_validated(self) -> None:
        world = World(self.harness, Approve(override_args={"path": "b", "times": "many"}))
        outcome = world.run((write("a"),))
        assert (world.wrote, outcome.answer) == ([], "done")
        assert "do not fit" in outcome.told["a"]

    def test_edited_arguments_reach_the_tool_as_it_takes_them(self) -> None:
        world = World(self.harness, Approve(override_args={"path": "b", "times": "2"}))
        world.run((write("a"),))
        assert world.wrote == ["b", "b"]

    def test_a_person_may_answer_in_the_tools_place(self) -> None:
        world = World(self.harness, Respond(result="it is there already"))
        outcome = world.run((write("a"),))
        assert (world.wrote, outcome.answer) == ([], "done")
        assert "it is there already" in outcome.told["a"]

    def test_chosen_hunks_become_other_arguments(self) -> None:
        world = World(self.harness, Approve(hunks=(0, 2)))
        outcome = world.run((write("abc"),), policies={"write": Hunks()})
        assert world.wrote == ["ac"]
        assert "A person approved only a part of this change" in outcome.told["abc"]

    def test_an_answer_is_remembered_for_the_session(self) -> None:
        world = World(self.harness, Approve(scope=Scope.SESSION), Reject())
        world.run((write("a", "1"),), (write("a", "2"),), (write("b", "3"),), policies={"write": Asking()})
        assert world.wrote == ["a", "a"]
        assert [pending.call.args["path"] for pending in world.asked] == ["a", "b"]

    def test_a_refusal_is_remembered_too(self) -> None:
        world = World(self.harness, Reject(note="never that one", scope=Scope.SESSION), Approve())
        outcome = world.run((write("a", "1"),), (write("a", "2"),), policies={"write": Asking()})
        assert (world.wrote, len(world.asked)) == ([], 1)
        assert "never that one" in outcome.told["2"]

    def test_parallel_calls_are_one_batch_with_an_answer_each(self) -> None:
        answers: dict[str, ApprovalDecision] = {
            "a": Approve(),
            "b": Reject(note="not b"),
            "c": Approve(override_args={"path": "d"}),
        }
        world = World(self.harness, lambda pending: answers[str(pending.call.args["path"])])
        outcome = world.run((write("a"), write("b"), write("c")))
        assert [len(batch) for batch in world.person.batches] == [3]
        assert sorted(world.wrote) == ["a", "d"]
        assert "wrote a" in outcome.told["a"]
        assert "not b" in outcome.told["b"]
        assert "wrote d" in outcome.told["c"]

    def test_of_parallel_calls_only_those_that_ask_are_asked_about(self) -> None:
        world = World(self.harness, Approve())
        outcome = world.run((write("a"), call("send", path="b"), write("secret")), policies=_MIXED)
        assert sorted(world.wrote) == ["a", "b"]
        assert [pending.call.args["path"] for pending in world.asked] == ["a"]
        assert "off limits" in outcome.told["secret"]

    def test_strict_mode_asks_nobody_and_denies(self) -> None:
        person = Answers(Approve())
        world = World(self.harness, gate=Gate(approver=person, store=memory_store(), mode="strict"))
        outcome = world.run((write("a"),))
        assert (world.wrote, person.asked) == ([], [])
        assert "approval required" in outcome.told["a"]

    def test_approve_all_approves_what_would_ask_and_nothing_else(self) -> None:
        world = World(self.harness, gate=Gate(store=memory_store(), mode="approve_all"))
        world.run((write("a"), write("secret")), policies={"write": Asking("secret")})
        assert world.wrote == ["a"]
        assert "approved_by_mode" in world.kinds

    def test_a_question_names_the_run_the_agent_and_the_frameworks_call(self) -> None:
        world = World(self.harness, Approve())
        world.run((write("a", "1"),), (write("b", "2"),))
        first, second = (pending.call for pending in world.asked)
        assert first.run
        assert first.run == second.run
        assert first.id != second.id
        assert first.agents == ("outer",)
        assert first.metadata["tool_call_id"] == "1"

    def test_the_same_id_in_another_turn_is_another_question(self) -> None:
        world = World(self.harness, Approve())
        world.run((write("a", "1"),), (write("b", "1"),), (write("b", "1"),))
        assert world.wrote == ["a", "b", "b"]
        assert len(world.asked) == 3

    def test_two_runs_are_two_sessions(self) -> None:
        world = World(self.harness, Approve(scope=Scope.SESSION))
        for _ in range(2):
            world.run((write("a"),), policies={"write": Asking()})
        assert len(world.asked) == 2


_MIXED = {"write": Asking("secret"), "send": ALLOW}
