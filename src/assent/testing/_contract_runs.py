"""The contract's third part: streamed, synchronous, asynchronous and nested runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from assent.model import Approve, Reject, Scope
from assent.testing._contract_harness import AgentSpec, Turn
from assent.testing._contract_world import ALLOW, Asking, Scenarios, World, call, write


class Running(Scenarios):
    """Whichever way a run is started, its calls pass the same gate."""

    def test_a_streamed_run_asks_too(self) -> None:
        world = World(self.harness, Approve(), Reject(note="not b"))
        outcome = asyncio.run(world.agent((write("a"),), (write("b"),)).stream())
        assert (world.wrote, outcome.answer) == (["a"], "done")
        assert "not b" in outcome.told["b"]

    def test_a_synchronous_run_asks_too(self) -> None:
        world = World(self.harness, Approve(), Reject(note="not b"))
        outcome = world.agent((write("a"),), (write("b"),)).run_sync()
        assert (world.wrote, outcome.answer) == (["a"], "done")
        assert "not b" in outcome.told["b"]

    def test_parallel_calls_of_a_synchronous_run_are_one_batch(self) -> None:
        world = World(self.harness, Approve())
        world.agent((write("a"), write("b"))).run_sync()
        assert sorted(world.wrote) == ["a", "b"]
        assert [len(batch) for batch in world.person.batches] == [2]

    def test_an_asynchronous_tool_runs_behind_the_gate(self) -> None:
        world = World(self.harness, Approve(override_args={"path": "b"}))
        outcome = world.run((call("send", path="a"),))
        assert world.wrote == ["b"]
        assert "sent b" in outcome.told["send"]

    def test_a_nested_agents_question_names_the_chain_and_its_answer_returns(self) -> None:
        world = World(self.harness, Approve(override_args={"path": "b"}))
        outcome = world.run((call("delegate", task="x"),), **_with_an_inner_agent(world, (write("a"),)))
        assert world.wrote == ["b"]
        assert [pending.call.agents for pending in world.asked] == [("outer", "inner")]
        assert "inner said: A person changed this call" in outcome.told["delegate"]

    def test_what_a_person_rejects_inside_a_nested_agent_does_not_run(self) -> None:
        world = World(self.harness, Reject(note="not from there"))
        outcome = world.run((call("delegate", task="x"),), **_with_an_inner_agent(world, (write("a"),)))
        assert (world.wrote, outcome.answer) == ([], "done")
        assert "not from there" in outcome.told["delegate"]

    def test_what_is_granted_to_a_nested_agent_stays_its_own(self) -> None:
        world = World(self.harness, Approve(scope=Scope.SESSION), Reject())
        inside = _with_an_inner_agent(world, (write("a", "1"),), (write("a", "2"),))
        outcome = world.run((call("delegate", task="x"),), (write("a", "3"),), **inside)
        assert [pending.call.agents for pending in world.asked] == [("outer", "inner"), ("outer",)]
        assert world.wrote == ["a", "a"]
        assert "User rejected" in outcome.told["3"]


def _with_an_inner_agent(world: World, *turns: Turn) -> dict[str, object]:
    """What an agent needs that hands work to another one, which has the same tools and no gate of its own."""
    policies = {"write": Asking()}
    inner: AgentSpec = replace(world.spec, gate=None, name="inner", turns=(*turns, "done"), policies=policies)
    return {"tools": (*world.spec.tools, _delegate(world, inner)), "policies": {**policies, "delegate": ALLOW}}


def _delegate(world: World, inner: AgentSpec) -> Callable[..., object]:
    async def delegate(task: str) -> str:
        """Hand a task to another agent."""
        del task
        outcome = await world.harness.agent(inner).run()
        return f"inner said: {' '.join(outcome.told.values())}"

    return delegate
