"""The contract, run against LangChain agents on LangGraph, with a scripted chat model."""

import pickle
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from assent.adapters.langchain import Gated, resuming
from assent.testing import AdapterContract, AgentSpec, RunResult
from tests.adapters.langchain_kit import Script, told

GO: Any = {"messages": [("user", "go")]}


@dataclass(frozen=True)
class LangChainAgent:
    agent: Any
    saver: InMemorySaver

    async def run(self) -> RunResult:
        return outcome(await self.agent.ainvoke(GO, thread()))

    def run_sync(self) -> RunResult:
        return outcome(self.agent.invoke(GO, thread()))

    async def stream(self) -> RunResult:
        last = None
        async for state in self.agent.astream(GO, thread(), stream_mode="values"):
            last = state
        return outcome(last)

    async def pause(self) -> bytes:
        result = await self.agent.ainvoke(GO, thread("paused"))
        assert result["__interrupt__"]
        return dumped(self.saver)

    async def resume(self, paused: bytes) -> RunResult:
        load(self.saver, paused)
        state = await self.agent.aget_state(thread("paused"))
        return outcome(await self.agent.ainvoke(resuming(state.interrupts), thread("paused")))

    async def resume_forged(self, paused: bytes) -> RunResult:
        load(self.saver, paused)
        state = await self.agent.aget_state(thread("paused"))
        forged: Command[Any] = Command(resume={each.id: {"type": "approve"} for each in state.interrupts})
        return outcome(await self.agent.ainvoke(forged, thread("paused")))


class LangChain:
    framework = "LangChain / LangGraph"
    cannot: Mapping[str, str] = {}

    def agent(self, spec: AgentSpec) -> LangChainAgent:
        turns = [
            turn if isinstance(turn, str) else [(each.tool, dict(each.args), each.id) for each in turn]
            for turn in spec.turns
        ]
        gate = Gated(
            spec.gate,
            policies=spec.policies,
            style="interrupt" if spec.style == "deferred" else "inline",
            on_reject=spec.on_reject,
        )
        saver = InMemorySaver()
        agent = create_agent(
            Script(turns=turns),
            [tool(function) for function in spec.tools],
            middleware=[gate],
            name=spec.name,
            checkpointer=saver,
        )
        return LangChainAgent(agent, saver)


def thread(name: str = "") -> Any:  # noqa: ANN401
    return {"configurable": {"thread_id": name or uuid4().hex}}


def outcome(state: Any) -> RunResult:  # noqa: ANN401
    messages = state["messages"]
    return RunResult(answer=messages[-1].text, told=told(messages))


def dumped(saver: InMemorySaver) -> bytes:
    """What a database would keep of the paused graph."""
    storage = {name: {space: dict(each) for space, each in spaces.items()} for name, spaces in saver.storage.items()}
    return pickle.dumps((storage, {key: dict(each) for key, each in saver.writes.items()}, dict(saver.blobs)))


def load(saver: InMemorySaver, paused: bytes) -> None:
    storage, writes, blobs = pickle.loads(paused)  # noqa: S301 — our own bytes
    for name, spaces in storage.items():
        saver.storage[name] = defaultdict(dict, spaces)
    saver.writes.update(writes)
    saver.blobs.update(blobs)


class TestLangChain(AdapterContract):
    harness = LangChain()
