"""From synchronous code into the gate's asynchronous steps, also inside a running loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")


def run_sync(steps: Coroutine[object, object, T], *, abandon: Callable[[T], None] | None = None) -> T:
    """Run the steps to their end, in a thread with a loop of its own, and return what they return.

    A loop that runs in the caller's thread stands still meanwhile, as it must for synchronous code;
    nothing of the gate needs it, and nobody else's loop is touched.
    """
    elsewhere = _Elsewhere(steps)
    try:
        threading.Thread(target=elsewhere.work, name="assent-sync", daemon=True).start()
        return elsewhere.wait()
    except BaseException:
        # Interrupted from outside, be it while the thread starts: whoever leaves takes the question back.
        elsewhere.leave()
        if abandon is not None and elsewhere.results:
            abandon(elsewhere.results[0])
        raise


class _Elsewhere(Generic[T]):
    """Steps that are run by another thread than the one that waits for them.

    The two share plain values and a lock. A future or an event has a lock that is taken in Python:
    whoever is interrupted just then leaves it locked, and both would wait for ever.
    """

    def __init__(self, steps: Coroutine[object, object, T]) -> None:
        self.results: list[T] = []
        self._steps = steps
        self._context = contextvars.copy_context()
        self._task: tuple[asyncio.AbstractEventLoop, asyncio.Task[T]] | None = None
        self._error: BaseException | None = None
        self._begun = self._left = False
        self._running = threading.Lock()
        self._running.acquire()

    def work(self) -> None:
        """Run the steps; in the other thread."""
        self._begun = True
        try:
            if not self._left:
                self.results.append(self._context.run(asyncio.run, self._tracked()))
        except BaseException as error:  # noqa: BLE001 — handed to the caller, whatever it is
            self._error = error
        finally:
            self._running.release()

    async def _tracked(self) -> T:
        task = asyncio.ensure_future(self._steps)
        self._task = asyncio.get_running_loop(), task
        if self._left:
            task.cancel()
        return await task

    def wait(self) -> T:
        """What the steps return, or raise."""
        with self._running:
            pass
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # it knows this frame
        return self.results[0]

    def leave(self) -> None:
        """Cancel the steps, and wait until they have ended."""
        # Each thread says something first and asks then: one of the two notices.
        self._left = True
        if self._task is not None:
            loop, task = self._task
            with suppress(RuntimeError):  # the loop has ended by itself meanwhile
                loop.call_soon_threadsafe(task.cancel)
        if self._begun:
            with self._running:
                pass
        else:
            self._steps.close()
