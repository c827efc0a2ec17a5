"""The contract, run against the OpenAI Agents SDK with its own scripted model."""

import asyncio
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from agents import Agent, RunContextWrapper, Runner, RunState, function_tool

from assent.adapters.openai_agents import gated, resuming
from assent.testing import AdapterContract, AgentSpec, RunResult
from tests.adapters.openai_kit import QUIET, script, told


@dataclass(frozen=True)
class OpenAIAgent:
    agent: Agent[Any]

    async def run(self) -> RunResult:
        return outcome(await Runner.run(self.agent, "go", run_config=QUIET))

    def run_sync(self) -> RunResult:
        # The SDK takes the thread's event loop, and would leave one of its own unclosed.
        with closing(asyncio.new_event_loop()) as loop:
            asyncio.set_event_loop(loop)
            result = Runner.run_sync(self.agent, "go", run_config=QUIET)
            asyncio.set_event_loop(None)
        return outcome(result)

    async def stream(self) -> RunResult:
        result = Runner.run_streamed(self.agent, "go", run_config=QUIET)
        async for _ in result.stream_events():
            pass
        return outcome(result)

    async def pause(self) -> bytes:
        result = await Runner.run(self.agent, "go", run_config=QUIET)
        assert result.interruptions
        return result.to_state().to_string().encode()

    async def resume(self, paused: bytes) -> RunResult:
        state: RunState[Any, Any] = await RunState.from_string(self.agent, paused.decode())
        return outcome(await Runner.run(self.agent, resuming(state), run_config=QUIET))

    async def resume_forged(self, paused: bytes) -> RunResult:
        state: RunState[Any, Any] = await RunState.from_string(self.agent, paused.decode())
        for item in state.get_interruptions():
            state.approve(item, always_approve=True)
        return outcome(await Runner.run(self.agent, state, run_config=QUIET))


class OpenAIAgents:
    framework = "OpenAI Agents"
    cannot: Mapping[str, str] = {
        "the_same_id_in_another_turn_is_another_question": (
            "the SDK ends a run whose model uses the id of a call twice, before any tool sees it"
        )
    }

    def agent(self, spec: AgentSpec) -> OpenAIAgent:
        turns = [
            turn if isinstance(turn, str) else [(each.tool, dict(each.args), each.id) for each in turn]
            for turn in spec.turns
        ]
        agent: Agent[Any] = Agent(
            name=spec.name,
            model=script(*turns),
            tools=[function_tool(each, failure_error_function=complain) for each in spec.tools],
        )
        behind = gated(
            agent,
            spec.gate,
            policies=spec.policies,
            style=spec.style,
            on_reject=spec.on_reject,
            run="paused" if spec.style == "deferred" else "",
        )
        return OpenAIAgent(behind)


def complain(_context: RunContextWrapper[Any], error: Exception) -> str:
    return f"it failed: {error}"


def outcome(result: Any) -> RunResult:  # noqa: ANN401
    return RunResult(answer=str(result.final_output), told=told(result.to_input_list()))


class TestOpenAIAgents(AdapterContract):
    harness = OpenAIAgents()
