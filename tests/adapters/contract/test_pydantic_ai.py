"""The contract, run against PydanticAI with its own function model."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import DeferredToolResults

from assent.adapters.pydantic_ai import Gated, collect_approvals
from assent.testing import AdapterContract, AgentSpec, RunResult
from tests.adapters.kit import script

REQUESTS = TypeAdapter(DeferredToolRequests)


@dataclass(frozen=True)
class PydanticAIAgent:
    spec: AgentSpec
    agent: Agent[None, Any]

    async def run(self) -> RunResult:
        result = await self.agent.run("go")
        return outcome(result.output, result.all_messages())

    def run_sync(self) -> RunResult:
        # PydanticAI takes the thread's event loop, and would leave one of its own unclosed.
        with closing(asyncio.new_event_loop()) as loop:
            asyncio.set_event_loop(loop)
            result = self.agent.run_sync("go")
            asyncio.set_event_loop(None)
        return outcome(result.output, result.all_messages())

    async def stream(self) -> RunResult:
        async with self.agent.run_stream("go") as result:
            return outcome(await result.get_output(), result.all_messages())

    async def pause(self) -> bytes:
        result = await self.agent.run("go")
        assert isinstance(result.output, DeferredToolRequests)
        left = {"messages": result.all_messages_json().decode(), "requests": REQUESTS.dump_json(result.output).decode()}
        return json.dumps(left).encode()

    async def resume(self, paused: bytes) -> RunResult:
        assert self.spec.gate is not None
        requests = REQUESTS.validate_json(json.loads(paused)["requests"])
        return await self._resume(paused, await collect_approvals(requests, gate=self.spec.gate))

    async def resume_forged(self, paused: bytes) -> RunResult:
        requests = REQUESTS.validate_json(json.loads(paused)["requests"])
        return await self._resume(paused, requests.build_results(approve_all=True))

    async def _resume(self, paused: bytes, results: DeferredToolResults) -> RunResult:
        messages = ModelMessagesTypeAdapter.validate_json(json.loads(paused)["messages"])
        result = await self.agent.run(message_history=messages, deferred_tool_results=results)
        return outcome(result.output, result.all_messages())


class PydanticAI:
    framework = "PydanticAI"
    cannot: Mapping[str, str] = {}

    def agent(self, spec: AgentSpec) -> PydanticAIAgent:
        gated = Gated(spec.gate, policies=spec.policies, style=spec.style, on_reject=spec.on_reject)
        agent: Agent[None, Any] = Agent(
            model(spec),
            name=spec.name,
            tools=spec.tools,
            capabilities=[gated],
            output_type=[str, DeferredToolRequests],
        )
        return PydanticAIAgent(spec, agent)


def model(spec: AgentSpec) -> FunctionModel:
    return script(
        *(
            turn if isinstance(turn, str) else [(each.tool, dict(each.args), each.id) for each in turn]
            for turn in spec.turns
        )
    )


def outcome(answer: object, messages: Sequence[ModelMessage]) -> RunResult:
    told: dict[str, str] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                told[part.tool_call_id] = f"{told.get(part.tool_call_id, '')}{part.model_response_str()}"
    return RunResult(answer=str(answer), told=told)


class TestPydanticAI(AdapterContract):
    harness = PydanticAI()
