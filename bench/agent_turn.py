"""A whole agent turn in PydanticAI: one tool call, then text; the model is a function.

A real model takes seconds, so this is the hardest case for a gate: all that is left is the
framework's own work. Allowed and remembered calls, and one that is approved at once while the run
waits, stand beside PydanticAI's own way to ask, which ends the run and starts a second one, and
beside the peer's callback. As that callback, our approver is a program and asked in the place of the
call; one that may block, as a person at a terminal does, is asked in a thread of its own. Only ours
keep a durable record (a file); its writing is part of the turn: what is still queued after a burst is
written in its time, and not in that of the next one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai_blocking_approval import ApprovalDecision, ApprovalToolset

from assent.adapters.pydantic_ai import Gated
from assent.gate import Gate
from assent.model import Allow, Approve, Fixed, Scope
from assent.store import SQLiteStore
from assent.testing import Answers
from bench._program import Program
from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 80
_TURNS = 8
_UNGATED = "ungated"
_LIMITS = {"allowed": 1.1, "remembered": 1.1, "approved at once, inline": 1.3}

Turn = Callable[[], Awaitable[str]]


async def edit(path: str, line: int, keep: bool) -> str:  # noqa: FBT001 — a small argument like any other
    return f"{path}:{line}:{keep}"


def measure() -> Table:
    with (
        TemporaryDirectory() as folder,
        asyncio.Runner() as runner,
        closing(SQLiteStore(Path(folder, "store.sqlite3"))) as store,
    ):
        turns = _turns(store)
        rounds = interleave({name: _burst(runner, turn, store) for name, turn in turns.items()}, rounds=_ROUNDS)
        kinds = {entry.kind for entry in store.journal()}
        assert {"allowed", "granted", "approved", "done"} <= kinds, f"the journal has only {kinds}"
    rows: list[tuple[str, ...]] = []
    for name, seconds in rounds.items():
        ratios = times(rounds, name, _UNGATED)
        target = at_most(_LIMITS[name], median(ratios), "×") if name in _LIMITS else NO_TARGET
        shown = (f"{median(ratios):.2f}×", f"{quietest(ratios):.2f}×") if name != _UNGATED else ("1", "")
        rows.append((name, f"{median(seconds) * 1e3:.2f}", *shown, *target))
    return Table(
        title="A whole PydanticAI turn",
        about=f"Median of {_ROUNDS} interleaved bursts of {_TURNS} turns; ratios within each round.",
        columns=("turn", "ms", "of ungated", "quietest", "target", "met"),
        rows=rows,
    )


def _turns(store: SQLiteStore) -> dict[str, Turn]:
    peer = ApprovalToolset(FunctionToolset[Any]([edit]), lambda _request: ApprovalDecision(approved=True))
    return {
        _UNGATED: _turn(Agent(_model(), tools=[edit])),
        "allowed": _turn(_gated(Gate(store=store), policies={"edit": Fixed(Allow(reason="editing is free"))})),
        # The first question is answered for good; a session's answer would end with its turn.
        "remembered": _turn(_gated(Gate(store=store, approver=Answers(Approve(scope=Scope.ALWAYS))), name="known")),
        "approved at once, inline": _turn(_gated(Gate(store=store, approver=Program()), name="asking")),
        "the same, by an approver that may block": _turn(
            _gated(Gate(store=store, approver=Answers(Approve())), name="asking")
        ),
        "the same, the record in memory": _turn(_gated(Gate(store=SQLiteStore(), approver=Program()), name="asking")),
        "peer: approved at once by callback, no record": _turn(Agent(_model(), toolsets=[peer])),
        "PydanticAI's own: stopped, approved, resumed": _stop_and_resume(),
    }


def _model() -> FunctionModel:
    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart("edit", {"path": "work/notes.txt", "line": 3, "keep": True})])

    return FunctionModel(answer)


def _gated(gate: Gate, *, name: str | None = None, **options: Any) -> Agent[None, str]:  # noqa: ANN401 — as `Gated` has them
    return Agent(_model(), tools=[edit], name=name, capabilities=[Gated(gate, **options)])


def _turn(agent: Agent[None, str]) -> Turn:
    async def turn() -> str:
        return (await agent.run("edit the notes")).output

    return turn


def _stop_and_resume() -> Turn:
    agent = Agent(_model(), tools=[Tool(edit, requires_approval=True)], output_type=[str, DeferredToolRequests])

    async def turn() -> str:
        stopped = await agent.run("edit the notes")
        assert isinstance(stopped.output, DeferredToolRequests)
        answers = stopped.output.build_results(approve_all=True)
        resumed = await agent.run(message_history=stopped.all_messages(), deferred_tool_results=answers)
        assert isinstance(resumed.output, str)
        return resumed.output

    return turn


def _burst(runner: asyncio.Runner, turn: Turn, store: SQLiteStore) -> Measure:
    async def burst() -> float:
        before = time.perf_counter()
        for _ in range(_TURNS):
            assert await turn() == "done"
        store._db.flush()  # noqa: SLF001 — users need no such thing: the store writes by itself
        return (time.perf_counter() - before) / _TURNS

    return lambda: runner.run(burst())
