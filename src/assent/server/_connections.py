"""One connection, as uvicorn has it, and what it lacks: an end to waiting, and to being refused."""

from __future__ import annotations

import asyncio
import fcntl
import math
import socket
import sys
import termios
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

REQUEST_SECONDS: Final = 10.0
"""How long a connection may take to say what it wants."""
TAKE_SECONDS: Final = 30.0
"""How long a connection may take nothing of what is sent to it."""


class HTTPConnection(H11Protocol):
    """Closed when no request comes in time, or nobody takes the answer.

    Silent strangers would use up all the connections there are.
    """

    _waiting: asyncio.TimerHandle | None = None
    _looking: asyncio.TimerHandle | None = None
    _left: float = math.inf
    """How much nobody had taken yet at the last look."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """From now on it has to say what it wants."""
        super().connection_made(transport)
        if transport.get_extra_info("socket").family == socket.AF_UNIX:
            # However many come to the other door, the operator's own programs are let in.
            self.limit_concurrency = None
        self._mind_the_time()
        self._look()

    def data_received(self, data: bytes) -> None:
        """A piece of a request; that it is not silent gives it no more time."""
        super().data_received(data)
        self._mind_the_time()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        super().connection_lost(exc)
        self._stop_waiting()
        if self._looking is not None:
            self._looking.cancel()

    def pause_writing(self) -> None:
        """More is to be sent than a moment ago."""
        super().pause_writing()
        self._left = math.inf

    def resume_writing(self) -> None:
        """Most of it was taken."""
        super().resume_writing()
        self._left = math.inf

    def _look(self) -> None:
        """Let go of whoever has taken nothing since the last look; closing would wait for them to take the rest."""
        if self.transport.get_protocol() is not self:
            return
        left = self._untaken()
        if left and left >= self._left:
            self.transport.abort()
            return
        self._left = left or math.inf
        self._looking = self.loop.call_later(TAKE_SECONDS, self._look)

    def _untaken(self) -> int:
        """How much is to be sent; what the system has taken over goes out in small pieces, where somebody is slow."""
        left = self.transport.get_write_buffer_size()
        with suppress(OSError):  # not every system tells
            if left:
                told = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
                left += int.from_bytes(told, sys.byteorder)
        return left

    def _mind_the_time(self) -> None:
        if self._is_busy():
            self._stop_waiting()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _is_busy(self) -> bool:
        """Whether a request is being answered, or it has become a WebSocket."""
        if self.transport.get_protocol() is not self:
            return True
        return bool(self.cycle) and not self.cycle.response_complete

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class WSConnection(WebSocketsSansIOProtocol):
    """Knows that a refusal ends a handshake, too, and answers pings only as fast as the answers are taken."""

    _pong = b""
    """The answer that is due once something can be sent again."""

    def handle_ping(self) -> None:
        """Answer it, now or later: unread answers would pile up without end."""
        if self.writable.is_set():
            super().handle_ping()
        elif answers := self.conn.data_to_send():
            # By the protocol, the answer to the last of them is enough.
            self._pong = answers[-1]

    def resume_writing(self) -> None:
        """What was sent was taken."""
        super().resume_writing()
        pong, self._pong = self._pong, b""
        if pong:
            self.transport.write(pong)

    async def send(self, message: ASGISendEvent) -> None:
        """Send it; after a refusal, nothing more is due."""
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            # Otherwise each refusal is logged as the error of an app that did not answer.
            self.handshake_complete = True
