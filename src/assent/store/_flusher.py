"""The thread that writes what is queued; whoever wakes it may be interrupted at any moment."""

from __future__ import annotations

import atexit
import threading
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

FLUSH_SECONDS = 0.05
RETRY_SECONDS = 0.5


class Flusher:
    """Flushes a moment after it was woken, and again until that works.

    Queues, and a thread that is started by one call: an event, or a thread of `threading`, takes its
    lock in Python, and an interrupt that comes just then leaves it locked.
    """

    def __init__(self, flush: Callable[[], bool], *, at_exit: Callable[[], None]) -> None:
        self.woken: SimpleQueue[None] = SimpleQueue()
        """Empty if nobody has woken it since it last began to flush."""
        self._flush = flush
        self._at_exit = at_exit
        self._starting = threading.RLock()
        self._is_registered = self._has_started = False
        self._running = threading.Lock()
        self._closed: SimpleQueue[None] = SimpleQueue()
        self._is_closed = False

    def wake(self) -> bool:
        """Flush in a moment; False if the system has no thread for it, so that nobody will."""
        if not self._has_started:
            with self._starting:
                if not self._has_started:
                    # The end of a program is no crash: it loses nothing.
                    if not self._is_registered:
                        atexit.register(self._at_exit)
                        self._is_registered = True
                    # Interrupted here, another one is started later, and waits behind this one.
                    try:
                        start_new_thread(self._run, ())
                    except RuntimeError:
                        return False
                    self._has_started = True
        # Not before there is a thread: nobody would wake it again.
        self.woken.put(None)
        return True

    def wake_again(self) -> None:
        """Flush once more what it was woken for; where there is no thread, whoever comes next does."""
        if self._has_started:
            self.woken.put(None)

    def close(self) -> None:
        """Let the thread flush a last time, and end; whoever it waits for is not waited for long."""
        atexit.unregister(self._at_exit)
        self._is_closed = True
        self._closed.put(None)
        self.woken.put(None)
        if self._running.acquire(timeout=RETRY_SECONDS):
            self._running.release()

    def _run(self) -> None:
        with self._running:
            seconds = FLUSH_SECONDS
            # Asked at the end of a round: a `close` whose wake-up the round has taken is seen there.
            while not self._is_closed:
                self.woken.get()
                with suppress(Empty):
                    self._closed.get(timeout=seconds)
                while not self.woken.empty():
                    self.woken.get()
                if self._flush():
                    seconds = FLUSH_SECONDS
                else:
                    seconds = RETRY_SECONDS
                    self.woken.put(None)
