"""Server: the events of a run to 200 WebSocket clients, and how soon the model's words are there.

The events are measured against bare Starlette on the same uvicorn. Each server has a process of its
own and knows nothing of the other; here, one loop reads for all clients and does nothing with what it
reads. A round begins with the message of one client and ends when the last of them has the last event.

The words come from a scripted model server in this process, through the real SDK and agent in the
server's. Time runs from when the model server is let go on, just before it writes, until the client
has read the token.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from assent.testing import FakeAnthropic, Hold, Say, Turn
from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_least, at_most

if TYPE_CHECKING:
    from assent.gate import Gate
    from assent.server import Runner

_ROUNDS = 30
_CLIENTS = 200
_EVENTS = 50
_TEXT = "A few words of an answer, as they come. " * 3
_BARE = "bare Starlette on uvicorn"
_OURS = "assent, clients that count"
_PLAIN = "assent, plain clients"
_LAST = b"Conversation complete"
_TOKEN_ROUNDS = 30
_TOKENS = 5
"""In each round, with a gap before each; one is a few characters, as the scripted model says them."""
_MOST_MS = 20
_DELTA = b'"text_delta"'
_TOKEN = "a token for a benchmark"  # noqa: S105 — it opens nothing
_PING = b"\x89\x04"
_PATH = "/api/terminal/ws/agent"


def measure() -> Table:
    with ExitStack() as opened:
        bare = opened.enter_context(_served("bare"))
        ours = opened.enter_context(_served("ours"))
        plain = opened.enter_context(_served("ours"))
        go = json.dumps({"command": "run", "prompt": "go"})
        rounds = interleave(
            {
                _BARE: opened.enter_context(_clients(bare, _PATH, go)),
                _OURS: opened.enter_context(_clients(ours, f"{_PATH}?since=0", go)),
                _PLAIN: opened.enter_context(_clients(plain, _PATH, go)),
            },
            rounds=_ROUNDS,
        )
    rows: list[tuple[str, ...]] = []
    for name, seconds in rounds.items():
        # How much gets through in the same time, so the other way round than the time it takes.
        ratios = [1 / each for each in times(rounds, name, _BARE)]
        rate = f"{_CLIENTS * _EVENTS / median(seconds):,.0f} messages/s"
        if name == _BARE:
            rows.append((name, rate, "1", "", *NO_TARGET))
        else:
            best = 1 / quietest([1 / each for each in ratios])
            rows.append((name, rate, f"{median(ratios):.2f}×", f"{best:.2f}×", *at_least(0.8, median(ratios), "×")))
    return Table(
        title="Server",
        about=f"{_EVENTS} events to {_CLIENTS} WebSocket clients, median of {_ROUNDS} interleaved rounds; "
        f"ratios within each round. Tokens of a streaming model: {_TOKEN_ROUNDS} runs of {_TOKENS}.",
        columns=("what", "measured", "of bare", "quietest", "target", "met"),
        rows=[*rows, *_token_rows()],
    )


def _token_rows() -> list[tuple[str, ...]]:
    """How long after the model's server sent it the client has a token, in milliseconds."""
    with FakeAnthropic() as model, _served("agent", model.url) as port:
        connection = _connected(port, f"{_PATH}?since=0")
        _token_round(model, connection)  # the first run loads the SDK
        taken = [_token_round(model, connection) for _ in range(_TOKEN_ROUNDS)]
        connection.close()
    first = [each[0] * 1000 for each in taken]
    later = [each * 1000 for every in taken for each in every[1:]]
    return [
        ("the first token, median", f"{median(first):.1f} ms", "", "", *at_most(_MOST_MS, median(first), " ms")),
        ("the first token, slowest", f"{max(first):.1f} ms", "", "", *NO_TARGET),
        ("a later token, median", f"{median(later):.1f} ms", "", "", *NO_TARGET),
        ("a later token, slowest", f"{max(later):.1f} ms", "", "", *NO_TARGET),
    ]


def _token_round(model: FakeAnthropic, connection: socket.socket) -> list[float]:
    """One run: how long each token took; each is sent once the one before was read."""
    holds = [Hold() for _ in range(_TOKENS)]
    steps: list[Hold | Say] = []
    for each in holds:
        steps += each, Say("word")
    model.add(Turn(*steps))
    connection.sendall(_frame(json.dumps({"command": "run", "prompt": "go"}).encode()))
    taken: list[float] = []
    for each in holds:
        each.reached.wait(60)
        # The loop of the server rests by then, as it does between two tokens.
        time.sleep(0.01)
        before = time.perf_counter()
        each.event.set()
        _read_until(connection, _DELTA)
        taken.append(time.perf_counter() - before)
    _read_until(connection, _LAST)
    return taken


def _read_until(connection: socket.socket, mark: bytes) -> None:
    tail = b""
    while mark not in tail:
        data = connection.recv(262_144)
        assert data, "the server has hung up"
        _pong(connection, data)
        tail = tail[-len(mark) :] + data


@contextmanager
def _served(kind: str, *more: str) -> Generator[int]:
    """A server in its own process; its port."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.server", kind, folder, *more]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()


@contextmanager
def _clients(port: int, path: str, go: str) -> Generator[Measure]:
    """All clients of one server, connected; what is measured is one run of it."""
    connections = [_connected(port, path) for _ in range(_CLIENTS)]
    try:
        yield lambda: _round(connections, _frame(go.encode()))
    finally:
        for each in connections:
            each.close()


def _connected(port: int, path: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {_TOKEN}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
    ]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 101"), answer
    return connection


def _frame(text: bytes) -> bytes:
    """A masked text frame, with a mask that changes nothing."""
    assert len(text) < 126
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


def _round(connections: list[socket.socket], go: bytes) -> float:
    with selectors.DefaultSelector() as selector:
        for each in connections:
            selector.register(each, selectors.EVENT_READ, [b""])
        before = time.perf_counter()
        connections[0].sendall(go)
        waiting = len(connections)
        while waiting:
            for key, _ in selector.select(60):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                data = connection.recv(262_144)
                assert data, "the server has hung up"
                _pong(connection, data)
                tail = key.data[0] + data
                if _LAST in tail:
                    selector.unregister(connection)
                    waiting -= 1
                key.data[0] = tail[-len(_LAST) :]
        return time.perf_counter() - before


def _pong(connection: socket.socket, data: bytes) -> None:
    """Answer the pings in it: a server would hang up on who does not."""
    at = data.find(_PING)
    while at >= 0:
        connection.sendall(bytes([0x8A, 0x84, 0, 0, 0, 0]) + data[at + 2 : at + 6])
        at = data.find(_PING, at + 2)


# The servers


def _event(number: int) -> dict[str, object]:
    return {"type": "assistant", "subtype": "text", "content": {"text": f"{number} {_TEXT}"}}


async def _serve_bare() -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect

    clients: set[WebSocket] = set()

    async def tell(event: dict[str, object]) -> None:
        text = json.dumps(event)
        for each in clients:
            await each.send_text(text)

    async def run() -> None:
        for number in range(_EVENTS):
            await tell(_event(number))
            await asyncio.sleep(0)
        await tell({"type": "result", "subtype": "success", "content": {"message": _LAST.decode()}})

    async def agent(socket: WebSocket) -> None:
        await socket.accept()
        clients.add(socket)
        try:
            while True:
                json.loads(await socket.receive_text())
                await run()
        except WebSocketDisconnect:
            clients.discard(socket)

    door = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(door.getsockname()[1], flush=True)
    app = Starlette(routes=[WebSocketRoute(_PATH, agent)])
    config = uvicorn.Config(
        app, http="h11", ws="websockets-sansio", ws_per_message_deflate=False, log_level="warning", access_log=False
    )
    await uvicorn.Server(config).serve(sockets=[door])


async def _serve_ours(folder: Path) -> None:
    from assent.server import Emit, Wanted

    class Script:
        run = ""

        async def work(self, _wanted: Wanted, emit: Emit, /) -> None:
            for number in range(_EVENTS):
                await emit(_event(number))
                await asyncio.sleep(0)

        def close(self) -> None:
            pass

    await _serve(folder, lambda _gate: Script())


async def _serve_agent(folder: Path, url: str) -> None:
    from assent.agent import AnthropicModel
    from assent.config import Settings
    from assent.server import ServedAgent

    work = folder / "work"
    work.mkdir()
    settings = Settings(store=folder / "assent.db")
    model = AnthropicModel("claude-sonnet-5-5", api_key="any", base_url=url)
    await _serve(folder, lambda gate: ServedAgent(settings, cwd=work, gate=gate, model=model))


async def _serve(folder: Path, runner: Callable[[Gate], Runner]) -> None:
    from assent.config import ServerSettings
    from assent.gate import Gate
    from assent.server import create_app, hashed
    from assent.server._doors import listen, local_door, origins_of
    from assent.server._serving import ByDoor, serve_doors
    from assent.store import SQLiteStore

    settings = ServerSettings(port=0)
    tcp, local = listen(settings), local_door(folder)
    gate = Gate(store=SQLiteStore(folder / "assent.db"))
    approvers = {"bench": hashed(_TOKEN)}
    app = create_app(gate, origins=origins_of(tcp, settings), approvers=approvers, runner=runner(gate))
    port = tcp.getsockname()[1]
    await serve_doors(
        ByDoor(app, who="bench", path=local.getsockname()), [tcp, local], ready=lambda: print(port, flush=True)
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bare", _]:
            asyncio.run(_serve_bare())
        case ["agent", where, address]:
            asyncio.run(_serve_agent(Path(where), address))
        case _:
            asyncio.run(_serve_ours(Path(sys.argv[2])))
