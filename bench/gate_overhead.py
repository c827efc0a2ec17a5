"""What the gate adds to a call nobody is asked about: allowed by policy, or remembered.

An agent makes hundreds of such calls for each one a person sees, so they must cost nothing that
anybody notices. Each way of calling is compared with the same call ungated in the same round; the
record is a file, as users have it. The journal's entry is queued in the timed part, and written
outside of it: the store's own thread has come and gone before the next burst. The processor works
until then: after a sleep of 60 ms, all calls take half as long again, ungated ones too, and the table
would tell of that.

Beside it: the least a gate can do in plain Python (look the name up, keep the call), and the peer
pydantic-ai-blocking-approval for a pre-approved tool, which keeps no record. The peer wraps a
PydanticAI toolset, so our adapter is measured at that same place too.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset
from pydantic_ai.usage import RunUsage
from pydantic_ai_blocking_approval import ApprovalToolset

from assent.adapters.pydantic_ai import Gated
from assent.functions import FunctionTool, requires_approval
from assent.gate import Gate
from assent.model import Allow, Approve, Fixed, Scope, ToolCall
from assent.runtime import execute
from assent.store import SQLiteStore
from assent.testing import Answers
from bench._rounds import Measure, Rounds, above, interleave, quietest
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 35
_CALLS = 500
_WRITTEN_SECONDS = 0.06
"""Longer than the store's thread waits before it looks at its queue."""
_ALLOWED = Fixed(Allow(reason="reading is free"))
_LIMITS = {"allowed": 5.0, "remembered": 12.0}


def edit(path: str, line: int, keep: bool) -> bool:  # noqa: FBT001 — a small argument like any other
    return keep and line > len(path)


async def edit_async(path: str, line: int, keep: bool) -> bool:  # noqa: FBT001 — a small argument like any other
    return keep and line > len(path)


@requires_approval()
def ask_edit(path: str, line: int, keep: bool) -> bool:  # noqa: FBT001 — a small argument like any other
    return keep and line > len(path)


@requires_approval()
async def ask_edit_async(path: str, line: int, keep: bool) -> bool:  # noqa: FBT001 — a small argument like any other
    return keep and line > len(path)


_ARGS: dict[str, object] = {"path": "work/notes.txt", "line": 3, "keep": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A way to call, the ungated call it is compared with, and which target it has."""

    name: str
    base: str
    kind: str = ""
    measure: Measure


def measure() -> Table:
    with TemporaryDirectory() as folder, asyncio.Runner() as runner:
        approver = Answers(Approve(scope=Scope.SESSION))
        with closing(SQLiteStore(Path(folder, "store.sqlite3"))) as store:
            gate = Gate(approver=approver, store=store)
            cases = [*_plain(gate), *_awaited(gate, runner), *_toolsets(gate, runner)]
            # What a person is asked, they are asked here: once for each operation.
            for case in cases:
                case.measure()
            asked = len(approver.asked)
            rounds = interleave({case.name: _unwritten(case, store) for case in cases}, rounds=_ROUNDS)
            assert len(approver.asked) == asked, "a person was asked in the timed part"
            _check(store, cases)
    return _table(cases, rounds)


# The ways to call


def _plain(gate: Gate) -> Iterator[_Case]:
    yield _Case(name="a function", base="", measure=_burst(edit))
    yield _Case(name="the least in plain Python", base="a function", measure=_burst(_least(edit)))
    for kind, wrapped in {"allowed": gate.wrap(edit, policy=_ALLOWED), "remembered": gate.wrap(ask_edit)}.items():
        yield _Case(name=f"`gate.wrap`, {kind}", base="a function", kind=kind, measure=_burst(wrapped))


def _awaited(gate: Gate, runner: asyncio.Runner) -> Iterator[_Case]:
    base = "an async function"
    yield _Case(name=base, base="", measure=_async_burst(runner, lambda: edit_async("work/notes.txt", 3, keep=True)))
    tools = {
        "allowed": FunctionTool(edit_async, policy=_ALLOWED),
        "remembered": FunctionTool(ask_edit_async),
    }
    numbers = itertools.count()

    def new(tool: FunctionTool) -> ToolCall:
        return ToolCall(run=gate.run, id=f"bench-{next(numbers)}", tool_name=tool.name, args=_ARGS)

    for kind, tool in tools.items():
        ready = itertools.cycle([new(tool) for _ in range(_CALLS)])

        def execute_ready(tool: FunctionTool = tool, ready: Iterator[ToolCall] = ready) -> Awaitable[object]:
            return execute(next(ready), tool, gate)

        def execute_new(tool: FunctionTool = tool) -> Awaitable[object]:
            return execute(new(tool), tool, gate)

        # The new call first: it is the one a person is asked about, and an approved call runs only once.
        for name, call in {
            f"`execute`, {kind}": execute_new,
            f"`execute`, {kind}, call at hand": execute_ready,
        }.items():
            yield _Case(name=name, base=base, kind=kind, measure=_async_burst(runner, call))


def _toolsets(gate: Gate, runner: asyncio.Runner) -> Iterator[_Case]:
    inner = FunctionToolset[Any]([edit_async, ask_edit_async])
    base = "a PydanticAI toolset"
    response = ModelResponse(parts=[ToolCallPart("edit_async", _ARGS, tool_call_id="bench")])
    ctx = RunContext[Any](
        deps=None, model=TestModel(), usage=RunUsage(), messages=[response], tool_call_id="bench", run_id="bench"
    )
    tools = runner.run(inner.get_tools(ctx))

    def calling(toolset: AbstractToolset[Any], name: str = "edit_async") -> Measure:
        return _async_burst(runner, lambda: toolset.call_tool(name, dict(_ARGS), ctx, tools[name]))

    gated = Gated(gate, policies={"edit_async": _ALLOWED}).get_wrapper_toolset(inner)
    peer = ApprovalToolset(inner, _never, {"edit_async": {"pre_approved": True}})
    yield _Case(name=base, base="", measure=calling(inner))
    yield _Case(name="toolset behind the peer, pre-approved", base=base, measure=calling(peer))
    yield _Case(name="toolset behind `Gated`, allowed", base=base, measure=calling(gated))


def _least(function: Callable[..., bool]) -> Callable[..., bool]:
    allowed = {"edit": True}
    kept: deque[tuple[str, tuple[object, ...], dict[str, object]]] = deque(maxlen=_CALLS)

    def gated(*args: Any, **kwargs: Any) -> bool:  # noqa: ANN401 — whatever the function takes
        if not allowed.get("edit"):
            raise PermissionError
        kept.append(("edit", args, kwargs))
        return function(*args, **kwargs)

    return gated


def _never(_request: object) -> object:
    message = "a pre-approved tool must not ask"
    raise AssertionError(message)


# Timing


def _burst(function: Callable[..., bool]) -> Measure:
    def burst() -> float:
        before = time.perf_counter()
        for _ in range(_CALLS):
            function("work/notes.txt", 3, keep=True)
        return (time.perf_counter() - before) / _CALLS

    return burst


def _async_burst(runner: asyncio.Runner, call: Callable[[], Awaitable[object]]) -> Measure:
    async def burst() -> float:
        before = time.perf_counter()
        for _ in range(_CALLS):
            await call()
        return (time.perf_counter() - before) / _CALLS

    def run() -> float:
        steps: Coroutine[Any, Any, float] = burst()
        return runner.run(steps)

    return run


def _unwritten(case: _Case, store: SQLiteStore) -> Measure:
    """The burst without the writing of what it queued."""

    def burst() -> float:
        seconds = case.measure()
        store._db.flush()  # noqa: SLF001 — users need no such thing: the store writes by itself
        until = time.perf_counter() + _WRITTEN_SECONDS
        while case.base and time.perf_counter() < until:
            pass
        return seconds

    return burst


def _check(store: SQLiteStore, cases: list[_Case]) -> None:
    """Every gated call is on the record, as what it was meant to be."""
    kinds = Counter(entry.kind for entry in store.journal())
    bursts = 1 + 2 + _ROUNDS
    allowed, remembered = (
        sum(case.name.endswith(kind) or case.kind == kind for case in cases) for kind in ("allowed", "remembered")
    )
    assert kinds["allowed"] == allowed * bursts * _CALLS
    # The first call of each operation was asked about, not remembered.
    assert kinds["granted"] == remembered * bursts * _CALLS - kinds["asked"]


def _table(cases: list[_Case], rounds: Rounds) -> Table:
    peers = median(above(rounds, "toolset behind the peer, pre-approved", "a PydanticAI toolset"))
    rows: list[tuple[str, ...]] = []
    for case in cases:
        median_us = f"{median(rounds[case.name]) * 1e6:.2f}"
        if not case.base:
            rows.append((case.name, median_us, "", "", "", *NO_TARGET))
            continue
        more = above(rounds, case.name, case.base)
        target = at_most(_LIMITS[case.kind], median(more) * 1e6, " µs") if case.kind else NO_TARGET
        shown = f"+{median(more) * 1e6:.2f}", f"+{quietest(more) * 1e6:.2f}", f"{median(more) / peers:.2f}×"
        rows.append((case.name, median_us, *shown, *target))
    return Table(
        title="The gate's overhead on a call",
        about=(
            f"Median of {_ROUNDS} interleaved bursts of {_CALLS} calls with 3 small arguments; µs per call, by a"
            " processor that is awake: after a sleep of 60 ms, every row takes about half as long again."
        ),
        columns=("call", "µs", "above ungated", "quietest", "of the peer's", "target", "met"),
        rows=rows,
    )
