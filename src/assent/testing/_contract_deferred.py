"""The contract's fourth part: a run pauses, other processes decide and resume it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from assent.model import Approve, Reject, Respond
from assent.testing._contract_world import ALLOW, DENY, Asking, Processes, Scenarios, write


class Pausing(Scenarios):
    """One process asks, another one decides, a third one resumes."""

    def test_one_process_asks_another_decides_and_a_third_resumes(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        paused = processes.pause((write("a"),))
        assert processes.wrote == []
        processes.decide(Approve(by="ana"))
        outcome = processes.resume(paused, (write("a"),))
        assert (processes.wrote, outcome.answer) == (["a"], "done")
        assert "wrote a" in outcome.told["a"]

    def test_all_questions_of_a_turn_are_on_the_desk_at_once(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        turn = (write("a"), write("b"), write("c"))
        paused = processes.pause(turn)
        edit = Approve(override_args={"path": "d"})
        processes.decide(Approve(), Reject(note="not b"), edit)
        outcome = processes.resume(paused, turn)
        assert sorted(processes.wrote) == ["a", "d"]
        assert "not b" in outcome.told["b"]
        assert "A person changed this call" in outcome.told["c"]

    def test_what_policy_decides_does_not_wait(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        processes.pause((write("a"), write("secret")), policies={"write": Asking("secret")})
        assert [pending.call.args["path"] for pending in processes.another().store.desk()] == ["a"]

    def test_an_answer_in_the_tools_place_reaches_the_resumed_run(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        paused = processes.pause((write("a"),))
        processes.decide(Respond(result="it is there already"))
        outcome = processes.resume(paused, (write("a"),))
        assert processes.wrote == []
        assert "it is there already" in outcome.told["a"]

    def test_a_second_resume_is_refused(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        paused = processes.pause((write("a"),))
        processes.decide(Approve())
        processes.resume(paused, (write("a"),))
        again = processes.resume(paused, (write("a"),))
        assert processes.wrote == ["a"]
        assert "already used" in again.told["a"]

    def test_an_approval_from_outside_is_refused(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        paused = processes.pause((write("a"),))
        third = processes.another()
        outcome = asyncio.run(third.agent((write("a"),)).resume_forged(paused))
        assert processes.wrote == []
        assert "No approval for this call" in outcome.told["a"]
        assert len(third.store.desk()) == 1

    def test_an_approval_from_outside_does_not_beat_a_persons_rejection(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        paused = processes.pause((write("a"),))
        processes.decide(Reject(note="not today"))
        outcome = asyncio.run(processes.another().agent((write("a"),)).resume_forged(paused))
        assert processes.wrote == []
        assert "not today" in outcome.told["a"]

    def test_a_rejection_stands_although_policy_allows_it_by_now(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        paused = processes.pause((write("a"),), policies={"write": Asking()})
        processes.decide(Reject(note="not today"))
        outcome = processes.resume(paused, (write("a"),), policies={"write": ALLOW})
        assert processes.wrote == []
        assert "not today" in outcome.told["a"]

    def test_an_approval_does_not_beat_a_policy_that_denies_by_now(self, tmp_path: Path) -> None:
        processes = Processes(self.harness, tmp_path)
        paused = processes.pause((write("a"),), policies={"write": Asking()})
        processes.decide(Approve())
        outcome = processes.resume(paused, (write("a"),), policies={"write": DENY})
        assert processes.wrote == []
        assert "never on a Friday" in outcome.told["a"]
