"""A whole agent turn per framework, gated against ungated: one tool call, then text; the model is scripted.

A real model takes seconds, so this is the hardest case for a gate: all that is left is the
framework's own work. The gate keeps its durable record in a file, and the writing is part of the turn.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from assent.gate import Gate
from assent.model import Allow, Approve, Fixed, Policy, Scope
from assent.store import SQLiteStore
from assent.testing import Answers
from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 15
_TURNS = 20
_UNGATED = "ungated"
_NOTHING = "a middleware that does nothing"
_LIMITS = {"allowed": 1.1, "remembered": 1.1, "approved at once": 1.3}

Turn = Callable[[], Awaitable[str]]
Make = Callable[[Gate | None, Mapping[str, Policy], str], Turn]


async def edit(path: str, line: int, keep: bool) -> str:  # noqa: FBT001 — a small argument like any other
    """Edit a line."""
    return f"{path}:{line}:{keep}"


_ARGS: dict[str, Any] = {"path": "src/a.py", "line": 7, "keep": True}


def measure() -> Table:
    rows: list[tuple[str, ...]] = []
    with TemporaryDirectory() as folder, asyncio.Runner() as runner:
        for framework, make in _FRAMEWORKS.items():
            with closing(SQLiteStore(Path(folder, f"{framework}.sqlite3"))) as store:
                turns = _turns(make, store)
                if make is _langchain:
                    # What LangChain itself takes for any middleware around its tools.
                    turns[_NOTHING] = make(None, {}, _NOTHING)
                rounds = interleave({name: _burst(runner, turn) for name, turn in turns.items()}, rounds=_ROUNDS)
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
        "approved at once": make(Gate(store=store, approver=Answers(Approve())), {}, "asking"),
    }


def _pydantic_ai(gate: Gate | None, policies: Mapping[str, Policy], name: str) -> Turn:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from assent.adapters.pydantic_ai import Gated

    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        first = len(messages) == 1
        return ModelResponse(parts=[ToolCallPart("edit", _ARGS) if first else TextPart("done")])

    behind = [] if gate is None else [Gated(gate, policies=policies)]
    agent = Agent(FunctionModel(answer), tools=[edit], name=name, capabilities=behind)

    async def turn() -> str:
        return (await agent.run("edit the notes")).output

    return turn


def _langchain(gate: Gate | None, policies: Mapping[str, Policy], name: str) -> Turn:
    from langchain.agents import create_agent
    from langchain.agents.middleware import AgentMiddleware, wrap_tool_call
    from langchain_core.tools import tool

    from assent.adapters.langchain import Gated
    from tests.adapters.langchain_kit import Script

    behind: list[AgentMiddleware[Any, Any, Any]] = [] if gate is None else [Gated(gate, policies=policies)]
    if name == _NOTHING:
        behind = [wrap_tool_call(_hand_on)]
    script = Script(turns=[[("edit", _ARGS, "1")], "done"])
    agent: Any = create_agent(script, [tool(edit)], middleware=behind, name=name)

    async def turn() -> str:
        state = await agent.ainvoke({"messages": [("user", "edit the notes")]})
        return str(state["messages"][-1].text)

    return turn


async def _hand_on(request: Any, handler: Any) -> Any:  # noqa: ANN401 — as LangChain has it
    return await handler(request)


_FRAMEWORKS: Mapping[str, Make] = {"PydanticAI": _pydantic_ai, "LangChain": _langchain}


def _burst(runner: asyncio.Runner, turn: Turn) -> Measure:
    async def burst() -> float:
        before = time.perf_counter()
        for _ in range(_TURNS):
            assert await turn() == "done"
        return (time.perf_counter() - before) / _TURNS

    return lambda: runner.run(burst())
