"""The SDK's tool runner, watched: each message says which calls come next, before they come."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from typing import Any

from anthropic.lib.tools import (
    BetaAsyncStreamingToolRunner,
    BetaAsyncToolRunner,
    BetaStreamingToolRunner,
    BetaToolRunner,
)

from assent.adapters.anthropic._blocks import Message
from assent.adapters.anthropic._run import Run
from assent.errors import AssentError
from assent.gate import inherited, run_sync

Runner = BetaToolRunner[Any] | BetaStreamingToolRunner[Any]
AsyncRunner = BetaAsyncToolRunner[Any] | BetaAsyncStreamingToolRunner[Any]


async def loop(run: Run, runner: Any) -> AsyncGenerator[Any]:  # noqa: ANN401 — an `AsyncRunner`, whose items differ
    """What the runner yields: messages, or streams of them."""
    try:
        with run.looping():
            while (item := await anext(runner, None)) is not None:
                yield item
                run.enter()
                message = Message(await item.get_final_message() if hasattr(item, "get_final_message") else item)
                run.turn(message)
                if run.defers and message.wants_tools:
                    await run.admit_all()
            if run.stopped is not None:
                raise run.stopped
    finally:
        await runner.close()
        _end(run)


def loop_sync(run: Run, runner: Any) -> Generator[Any]:  # noqa: ANN401 — a `Runner`
    """The same for synchronous code."""
    try:
        with run.looping():
            while (item := next(runner, None)) is not None:
                yield item
                run.enter()
                message = Message(item.get_final_message() if hasattr(item, "get_final_message") else item)
                run.turn(message)
                if run.defers and message.wants_tools:
                    run_sync(run.admit_all())
            if run.stopped is not None:
                raise run.stopped
    finally:
        runner.close()
        _end(run)


def _end(run: Run) -> None:
    """A run without a name is over with its loop; one with a name goes on, here or elsewhere."""
    if not run.settings.run and inherited() is None:
        with suppress(AssentError):  # the run is over, and its result stands
            run.here.gate.end(run.here.run)
