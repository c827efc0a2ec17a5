"""From synchronous code into the gate's asynchronous steps, also inside a running loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Generic, TypeVar, cast

from assent.errors import GateFailed

T = TypeVar("T")


def run_sync(steps: Coroutine[object, object, T], *, abandon: Callable[[T], None] | None = None) -> T:
    """Run the steps to their end, in a thread with a loop of its own, and return what they return.

    A loop that runs in the caller's thread stands still meanwhile, as it must for synchronous code;
    nothing of the gate needs it, and nobody else's loop is touched.
    """
    elsewhere = _Elsewhere(steps, abandon)
    try:
        start(threading.Thread(target=elsewhere.work, name="assent-sync", daemon=True))
        return elsewhere.wait()
    except BaseException:
        # Interrupted from outside, be it while the thread starts: whoever leaves takes the question back.
        elsewhere.leave()
        raise


def start(thread: threading.Thread) -> None:
    """Start a thread that somebody needs.

    Raises:
        GateFailed: the system has none left.
    """
    try:
        thread.start()
    except RuntimeError as error:
        # What Python's own locks make of an interrupt that comes as they are taken.
        interrupt = error.__context__
        if interrupt is None or isinstance(interrupt, Exception):
            raise GateFailed("gate", f"nobody can wait for an answer: {error}") from error
        raise interrupt from None


class _Elsewhere(Generic[T]):
    """Steps that are run by another thread than the one that waits for them.

    The two share plain values and a lock. A future or an event has a lock that is taken in Python:
    whoever is interrupted just then leaves it locked, and both would wait for ever.
    """

    def __init__(self, steps: Coroutine[object, object, T], abandon: Callable[[T], None] | None) -> None:
        self._steps = steps
        self._abandon = abandon
        self._context = contextvars.copy_context()
        self._cancel: Callable[[], object] | None = None
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._begun = self._left = False
        self._running = threading.Lock()
        self._running.acquire()

    def work(self) -> None:
        """Run the steps; in the other thread."""
        self._begun = True
        try:
            with asyncio.Runner() as runner:
                runner.run(self._tracked(), context=self._context)
        except BaseException as error:  # noqa: BLE001 — handed to the caller, whatever it is
            self._error = self._error or error
        finally:
            try:
                self._steps.close()
                if self._left:
                    self._give_up()
            finally:
                self._running.release()

    async def _tracked(self) -> None:
        loop, task = asyncio.get_running_loop(), cast("asyncio.Task[None]", asyncio.current_task())
        self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        if self._left:
            return
        try:
            self._results.append(await self._steps)
        except BaseException as error:  # noqa: BLE001 — as above; the loop's own frames would keep it
            self._error = error

    def wait(self) -> T:
        """What the steps return, or raise."""
        with self._running:
            pass
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # it knows this frame
        return self._results[0]

    def leave(self) -> None:
        """Cancel the steps, and wait until they have ended."""
        # Each thread says something first and asks then: one of the two notices.
        self._left = True
        if self._cancel is not None:
            with suppress(RuntimeError):  # the loop has ended by itself meanwhile
                self._cancel()
        if self._begun:
            with self._running:
                pass
        else:
            self._steps.close()
        self._give_up()

    def _give_up(self) -> None:
        """Nobody takes the result."""
        if self._abandon is not None and self._results:
            self._abandon(self._results[0])
