"""A whole agent turn per framework, gated against ungated: one tool call, then text; the model is scripted.

A real model takes seconds, so this is the hardest case for a gate: all that is left is the
framework's own work. The gate keeps its durable record in a file, and the writing is part of the turn:
what is still queued after a burst is written in its time, and not in that of the next one.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from assent.gate import Gate
from assent.model import Allow, Approve, Fixed, Policy, Scope
from assent.store import SQLiteStore
from assent.testing import Answers
from bench._program import Program
from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 160
_TURNS = 8
_UNGATED = "ungated"
_SYNCED = "ungated, one page written and synced"
_NOTHING = "a middleware that does nothing"
_LIMITS = {"allowed": 1.1, "remembered": 1.1, "approved at once": 1.3}

Turn = Callable[[], Awaitable[str]]
Tool = Callable[[str, int, bool], Coroutine[Any, Any, str]]


class Make(Protocol):
    """An agent of that name with this tool, and a turn of it; behind the gate, if there is one."""

    def __call__(self, gate: Gate | None, policies: Mapping[str, Policy], name: str, tool: Tool = ..., /) -> Turn: ...


async def edit(path: str, line: int, keep: bool) -> str:  # noqa: FBT001 — a small argument like any other
    """Edit a line."""
    return f"{path}:{line}:{keep}"


def _edit_with_sync(log: Path) -> Tool:
    """The same, once the disk has a page: what an approval costs at least that a loss of power does not undo."""
    page = os.urandom(4096)
    log.write_bytes(page)
    file = log.open("r+b", buffering=0)

    @wraps(edit)
    async def synced(path: str, line: int, keep: bool) -> str:  # noqa: FBT001 — as above
        os.pwrite(file.fileno(), page, 0)
        os.fdatasync(file)
        return await edit(path, line, keep)

    return synced


_ARGS: dict[str, Any] = {"path": "src/a.py", "line": 7, "keep": True}


def measure() -> Table:
    rows: list[tuple[str, ...]] = []
    with TemporaryDirectory() as folder, asyncio.Runner() as runner:
        synced = _edit_with_sync(Path(folder, "log"))
        for framework, make in _FRAMEWORKS.items():
            with closing(SQLiteStore(Path(folder, f"{framework}.sqlite3"))) as store:
                turns = _turns(make, store)
                turns[_SYNCED] = make(None, {}, _SYNCED, synced)
                if make is _langchain:
                    # What LangChain itself takes for any middleware around its tools.
                    turns[_NOTHING] = make(None, {}, _NOTHING)
                rounds = interleave({name: _burst(runner, turn, store) for name, turn in turns.items()}, rounds=_ROUNDS)
                kinds = {entry.kind for entry in store.journal()}
                assert {"allowed", "granted", "approved", "done"} <= kinds, f"the journal has only {kinds}"
            for name, seconds in rounds.items():
                ratios = times(rounds, name, _UNGATED)
                target = at_most(_LIMITS[name], median(ratios), "×") if name in _LIMITS else NO_TARGET
                shown = (f"{median(ratios):.2f}×", f"{quietest(ratios):.2f}×") if name != _UNGATED else ("1", "")
                rows.append((framework, name, f"{median(seconds) * 1e3:.2f}", *shown, *target))
    return Table(
        title="A whole turn in each framework",
        about=f"Median of {_ROUNDS} interleaved bursts of {_TURNS} turns; ratios within each round.",
        columns=("framework", "turn", "ms", "of ungated", "quietest", "target", "met"),
        rows=rows,
    )


def _turns(make: Make, store: SQLiteStore) -> dict[str, Turn]:
    free = Fixed(Allow(reason="editing is free"))
    # The first question is answered for good, for the agent of that name only.
    remembering = Gate(store=store, approver=Answers(Approve(scope=Scope.ALWAYS)))
    return {
        _UNGATED: make(None, {}, "ungated"),
        "allowed": make(Gate(store=store), {"edit": free}, "allowed"),
        "remembered": make(remembering, {}, "remembered"),
        "approved at once": make(Gate(store=store, approver=Program()), {}, "asking"),
        "the same, by an approver that may block": make(Gate(store=store, approver=Answers(Approve())), {}, "asking"),
        # What is left without the disk.
        "the same, the record in memory": make(Gate(store=SQLiteStore(), approver=Program()), {}, "asking"),
    }


def _pydantic_ai(gate: Gate | None, policies: Mapping[str, Policy], name: str, tool: Tool = edit, /) -> Turn:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from assent.adapters.pydantic_ai import Gated

    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        first = len(messages) == 1
        return ModelResponse(parts=[ToolCallPart("edit", _ARGS) if first else TextPart("done")])

    behind = [] if gate is None else [Gated(gate, policies=policies)]
    agent = Agent(FunctionModel(answer), tools=[tool], name=name, capabilities=behind)

    async def turn() -> str:
        return (await agent.run("edit the notes")).output

    return turn


def _langchain(gate: Gate | None, policies: Mapping[str, Policy], name: str, tool: Tool = edit, /) -> Turn:
    from langchain.agents import create_agent
    from langchain.agents.middleware import AgentMiddleware, wrap_tool_call
    from langchain_core.tools import StructuredTool

    from assent.adapters.langchain import Gated
    from tests.adapters.langchain_kit import Script

    behind: list[AgentMiddleware[Any, Any, Any]] = [] if gate is None else [Gated(gate, policies=policies)]
    if name == _NOTHING:
        behind = [wrap_tool_call(_hand_on)]
    script = Script(turns=[[("edit", _ARGS, "1")], "done"])
    agent: Any = create_agent(script, [StructuredTool.from_function(coroutine=tool)], middleware=behind, name=name)

    async def turn() -> str:
        state = await agent.ainvoke({"messages": [("user", "edit the notes")]})
        return str(state["messages"][-1].text)

    return turn


async def _hand_on(request: Any, handler: Any) -> Any:  # noqa: ANN401 — as LangChain has it
    return await handler(request)


def _openai_agents(gate: Gate | None, policies: Mapping[str, Policy], name: str, tool: Tool = edit, /) -> Turn:
    from agents import Agent, RunConfig, Runner, function_tool
    from agents.testing import ScriptedModel, assistant_message, function_call

    from assent.adapters.openai_agents import gated

    plain: Agent[Any] = Agent(name=name, tools=[function_tool(tool)])
    agent = plain if gate is None else gated(plain, gate, policies=policies)

    async def turn() -> str:
        # The SDK's own fake model keeps what it was asked: a new one for every turn, as in a test.
        model = ScriptedModel([[function_call("edit", _ARGS, call_id="1")], [assistant_message("done")]])
        quiet = RunConfig(model=model, tracing_disabled=True)
        return str((await Runner.run(agent, "edit the notes", run_config=quiet)).final_output)

    return turn


def _anthropic(gate: Gate | None, policies: Mapping[str, Policy], name: str, tool: Tool = edit, /) -> Turn:
    from anthropic import AsyncAnthropic
    from anthropic.lib.tools import beta_async_tool

    from assent.adapters.anthropic import Gated

    behind = None if gate is None else Gated(gate, policies=policies, name=name)
    plain = beta_async_tool(tool)
    tools: list[Any] = [plain] if behind is None else [*behind.tools(plain)]
    clients: list[AsyncAnthropic] = []

    async def turn() -> str:
        if not clients:
            # Speaking HTTP is this SDK's own work; the model at the other end does next to nothing.
            server = await asyncio.start_server(_scripted_model, "127.0.0.1")
            port = server.sockets[0].getsockname()[1]
            clients.append(AsyncAnthropic(api_key="any", base_url=f"http://127.0.0.1:{port}"))
        runner = clients[0].beta.messages.tool_runner(
            model="scripted",
            max_tokens=99,
            messages=[{"role": "user", "content": "edit the notes"}],
            tools=tools,
            thread=False,
        )
        last: Any = None
        async for message in runner if behind is None else behind.run(runner):
            last = message
        return str(last.content[0].text)

    return turn


async def _scripted_model(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    said: dict[str, Any] = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "stop_sequence": None,
    }
    said["usage"] = {"input_tokens": 1, "output_tokens": 1}
    wants = {"stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "1", "name": "edit", "input": _ARGS}]}
    done = {"stop_reason": "end_turn", "content": [{"type": "text", "text": "done"}]}
    with suppress(asyncio.IncompleteReadError, asyncio.CancelledError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            body = await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
            answer = json.dumps({**said, **(done if b"tool_result" in body else wants)}).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(answer)
            )
            writer.write(answer)


_FRAMEWORKS: Mapping[str, Make] = {
    "PydanticAI": _pydantic_ai,
    "LangChain": _langchain,
    "OpenAI Agents": _openai_agents,
    "Anthropic SDK": _anthropic,
}


def _burst(runner: asyncio.Runner, turn: Turn, store: SQLiteStore) -> Measure:
    async def burst() -> float:
        before = time.perf_counter()
        for _ in range(_TURNS):
            assert await turn() == "done"
        store._db.flush()  # noqa: SLF001 — users need no such thing: the store writes by itself
        return (time.perf_counter() - before) / _TURNS

    return lambda: runner.run(burst())
