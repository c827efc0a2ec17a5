"""One connection: messages it takes at once, and a task for it only while it does not."""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any, Final

from assent.server._limits import Bucket

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

SLOW_SECONDS: Final = 20.0
"""How long one message may take to be taken before a client is let go."""
Begun = tuple[Coroutine[Any, Any, None], object]
"""A message that was not taken at once: what sends it, and what it waits for."""


class Client:
    """Who is at the other end, and how far it has read."""

    def __init__(self, socket: WebSocket, who: str, *, session: str | None, counts: bool) -> None:
        self.socket = socket
        self.who = who
        self.session = session
        """Without it, whoever it is may do nothing more; None where there is nothing that ends."""
        self.counts = counts
        """Whether it knows more than the plain messages."""
        self.cursor = 0
        self.asked = ""
        """What a plain client is asked now: it shows one question at a time."""
        self.limit = Bucket(most=100, rate=50)
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.pump: asyncio.Task[None] | None = None
        self._sending_since: float | None = None

    @property
    def is_pumped(self) -> bool:
        """Whether a task brings it what is said."""
        return self.pump is not None and not self.pump.done()

    def offer(self, text: str) -> Begun | None:
        """Send it if that needs no waiting, as mostly; otherwise what is left to do.

        A task for each message and client would take longer than the sending itself.
        """
        sending = self.socket.send({"type": "websocket.send", "text": text})
        try:
            waits_for: object = sending.send(None)
        except StopIteration:
            return None
        except Exception as error:
            if not is_gone(error):
                raise
            self.leave()
            return None
        return sending, waits_for

    async def finish(self, begun: Begun) -> None:
        """Wait for a message that was not taken at once."""
        self._sending_since = time.monotonic()
        await _resumed(*begun)
        self._sending_since = None

    async def send(self, text: str) -> None:
        """One message, whole."""
        self._sending_since = time.monotonic()
        await self.socket.send({"type": "websocket.send", "text": text})
        self._sending_since = None

    def pump_with(self, work: Coroutine[Any, Any, None]) -> None:
        """Let a task bring it up to date; if that fails, it is gone."""
        self.pump = asyncio.create_task(work, name="assent-client")
        self.pump.add_done_callback(self._pumped)

    def leave(self) -> None:
        """It takes nothing more."""
        if not self.gone.done():
            self.gone.set_result(None)

    def is_slow(self, now: float) -> bool:
        """Whether it has not taken a message for too long."""
        return self._sending_since is not None and now - self._sending_since > SLOW_SECONDS

    def _pumped(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or task.exception() is not None:
            self.leave()


@types.coroutine
def _resumed(work: Coroutine[Any, Any, None], waits_for: object) -> Generator[Any, Any, None]:
    """Go on, in a task, with what was begun outside of one."""
    while True:
        try:
            try:
                sent = yield waits_for
            except BaseException as error:  # noqa: BLE001 — whatever it is, it is for the work
                waits_for = work.throw(error)
            else:
                waits_for = work.send(sent)
        except StopIteration:
            return


def is_gone(error: BaseException) -> bool:
    """Whether it says no more than that the other end went away."""
    # uvicorn says so with an OSError of its own, Starlette with a RuntimeError or its disconnect.
    from starlette.websockets import WebSocketDisconnect

    return isinstance(error, (OSError, RuntimeError, WebSocketDisconnect))
