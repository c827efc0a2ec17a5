"""From synchronous code into the gate's asynchronous steps, also inside a running loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def run_sync(steps: Coroutine[object, object, T], *, abandon: Callable[[T], None] | None = None) -> T:
    """Run the steps to their end, in a thread with a loop of its own, and return what they return.

    A loop that runs in the caller's thread stands still meanwhile, as it must for synchronous code;
    nothing of the gate needs it, and nobody else's loop is touched.
    """
    result: Future[T] = Future()
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()
    context = contextvars.copy_context()

    async def tracked() -> T:
        task = asyncio.ensure_future(steps)
        started.set_result((asyncio.get_running_loop(), task))
        return await task

    def work() -> None:
        try:
            result.set_result(context.run(asyncio.run, tracked()))
        except BaseException as error:  # noqa: BLE001 — handed to the caller, whatever it is
            result.set_exception(error)

    thread = threading.Thread(target=work, name="assent-sync", daemon=True)
    try:
        thread.start()
        return result.result()
    except BaseException:
        # Interrupted from outside, be it while the thread starts: whoever leaves takes the question back.
        if not result.done():
            started.add_done_callback(_cancel)
            if thread.ident is not None:
                wait([result])
        if abandon is not None and result.done() and result.exception() is None:
            abandon(result.result())
        raise


def _cancel(started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]]) -> None:
    loop, task = started.result()
    with suppress(RuntimeError):  # the loop has ended by itself meanwhile
        loop.call_soon_threadsafe(task.cancel)
