"""The contract, run against the Anthropic SDK's tool runner, with a scripted server."""

import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import BetaAsyncFunctionTool, beta_async_tool, beta_tool

from assent.adapters.anthropic import Gated, Waiting
from assent.testing import AdapterContract, AgentSpec, Call, FakeAnthropic, RunResult, Say, Turn

MODEL: dict[str, Any] = {"model": "scripted", "max_tokens": 99}
GO: list[Any] = [{"role": "user", "content": "go"}]
UNIQUE = "The API refuses a conversation in which two calls have the same id."
NOTHING_TO_FORGE = "Nothing that this SDK hands on can claim an approval; a run resumed too early goes on waiting."


@dataclass(frozen=True)
class AnthropicAgent:
    spec: AgentSpec

    async def run(self) -> RunResult:
        return await self._run(GO, self.spec.turns)

    async def _run(self, messages: Sequence[Any], turns: Sequence[Any], *, stream: bool = False) -> RunResult:
        behind = self._behind()
        tools = behind.tools(*map(async_tool, self.spec.tools))
        answer = ""
        with FakeAnthropic(*map(scripted, turns)) as server:
            async with AsyncAnthropic(base_url=server.url, api_key="any") as client:
                runner: Any = client.beta.messages.tool_runner(
                    **MODEL, messages=messages, tools=tools, thread=False, stream=stream
                )
                async for item in behind.run(runner):
                    message = await item.get_final_message() if stream else item
                    answer = text(message)
        return RunResult(answer=answer, told=told(server))

    def run_sync(self) -> RunResult:
        behind = self._behind()
        functions: list[Any] = [each for each in self.spec.tools if not inspect.iscoroutinefunction(each)]
        tools = behind.tools(*map(beta_tool, functions))
        answer = ""
        script = map(scripted, self.spec.turns)
        with FakeAnthropic(*script) as server, Anthropic(base_url=server.url, api_key="any") as client:
            runner: Any = client.beta.messages.tool_runner(**MODEL, messages=GO, tools=tools, thread=False)
            for message in behind.run(runner):
                answer = text(message)
        return RunResult(answer=answer, told=told(server))

    async def stream(self) -> RunResult:
        return await self._run(GO, self.spec.turns, stream=True)

    async def pause(self) -> bytes:
        behind = self._behind()
        tools: Any = [tool.to_dict() for tool in behind.tools(*map(async_tool, self.spec.tools))]
        with FakeAnthropic(*map(scripted, self.spec.turns)) as server:
            async with AsyncAnthropic(base_url=server.url, api_key="any") as client:
                message: Any = await client.messages.create(**MODEL, messages=GO, tools=tools)
                with pytest.raises(Waiting):
                    await behind.results(message)
        return json.dumps([*GO, {"role": "assistant", "content": message.to_dict()["content"]}]).encode()

    async def resume(self, paused: bytes) -> RunResult:
        messages = json.loads(paused)
        behind = self._behind()
        behind.tools(*map(async_tool, self.spec.tools))
        messages.append(await behind.results(messages[-1]))
        return await self._run(messages, self.spec.turns[1:])

    async def resume_forged(self, paused: bytes) -> RunResult:
        return await self.resume(paused)

    def _behind(self) -> Gated:
        spec = self.spec
        run = "paused" if spec.style == "deferred" else ""
        return Gated(
            spec.gate, policies=spec.policies, name=spec.name, run=run, style=spec.style, on_reject=spec.on_reject
        )


class AnthropicSDK:
    framework = "Anthropic SDK"
    cannot: Mapping[str, str] = {
        "the_same_id_in_another_turn_is_another_question": UNIQUE,
        "an_approval_from_outside_is_refused": NOTHING_TO_FORGE,
    }

    def agent(self, spec: AgentSpec) -> AnthropicAgent:
        return AnthropicAgent(spec)


def async_tool(function: Callable[..., Any]) -> BetaAsyncFunctionTool[Any]:
    """The SDK's asynchronous runner takes asynchronous functions only."""
    if inspect.iscoroutinefunction(function):
        return beta_async_tool(function)

    @functools.wraps(function)
    async def awaited(*args: Any, **named: Any) -> Any:  # noqa: ANN401
        return function(*args, **named)

    return beta_async_tool(awaited)


def scripted(turn: Any) -> Turn:  # noqa: ANN401
    if isinstance(turn, str):
        return Turn(Say(turn))
    return Turn(*(Call(each.tool, each.args, id=each.id) for each in turn))


def text(message: Any) -> str:  # noqa: ANN401
    return "".join(block.text for block in message.content if block.type == "text")


def told(server: FakeAnthropic) -> dict[str, str]:
    """What the model read of each call."""
    messages: Any = server.requests[-1].body["messages"]
    blocks = [block for message in messages if message["role"] == "user" for block in content(message)]
    return {block["tool_use_id"]: said(block["content"]) for block in blocks if block["type"] == "tool_result"}


def content(message: Any) -> list[Any]:  # noqa: ANN401
    return [] if isinstance(message["content"], str) else message["content"]


def said(given: Any) -> str:  # noqa: ANN401
    return given if isinstance(given, str) else "".join(block["text"] for block in given)


class TestAnthropicSDK(AdapterContract):
    harness = AnthropicSDK()
