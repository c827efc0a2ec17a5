"""Serving an app through its doors, until a signal ends it."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import uvicorn

from assent.server._connections import HTTPConnection, WSConnection
from assent.server._doors import BACKLOG
from assent.server._guard import LOCAL, App, Receive, Scope, Send

MOST_FRAME: Final = 1024 * 1024
_MOST_CONNECTIONS: Final = 1000


class ByDoor:
    """Says of each connection whether it came through the local door."""

    def __init__(self, app: App, *, who: str, path: str) -> None:
        self._app = app
        self._who = who
        self._local = path, None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The name of our own end, which no client chooses; one that is not known is not the local door.
        if scope["type"] in {"http", "websocket"} and scope.get("server") == self._local:
            scope[LOCAL] = self._who
        await self._app(scope, receive, send)


async def serve_doors(app: App, doors: list[socket.socket], *, ready: Callable[[], None]) -> None:
    """Serve until a signal ends it; `ready` is called once connections are taken."""
    server = _Server(_config(app), ready)
    # Asked now: a door that was shut has no name any more.
    paths = [Path(door.getsockname()) for door in doors if door.family == socket.AF_UNIX]
    serving = asyncio.ensure_future(server.serve(sockets=doors))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        # Connections are closed and the agent is ended in good order, also where no signal came.
        server.should_exit = True
        await serving
        raise
    finally:
        for door in doors:
            door.close()
        for path in paths:
            _remove(path)


class _Server(uvicorn.Server):
    """Tells when it takes connections, and ends in good order at a signal."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open for everybody, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Both ways to end it from outside."""
        # uvicorn sends itself the signal again at the end, and nobody after it could clean up.
        with _on_signals(self.end):
            yield

    def end(self) -> None:
        """The first time in good order, the second time at once."""
        self.force_exit, self.should_exit = self.should_exit, True


def _config(app: App) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=HTTPConnection,
        ws=WSConnection,
        ws_max_size=MOST_FRAME,
        ws_per_message_deflate=False,
        lifespan="on",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=2,
        backlog=BACKLOG,
    )


@contextmanager
def _on_signals(act: Callable[[], None]) -> Generator[None]:
    """Where signals arrive, which is the main thread, they end the server and nothing else."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, act)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
