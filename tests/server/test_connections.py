"""Connections that only take up room: they end by themselves, and keep out nobody for long."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from assent.server import _connections, _serving
from assent.server._connections import HTTPConnection, WSConnection
from tests.server.served import NO_TLS, TOKENS, Server, free_connection, serving


@contextmanager
def strangers(server: Server, count: int) -> Generator[list[socket.socket]]:
    made = [free_connection(server) for _ in range(count)]
    try:
        yield made
    finally:
        for each in made:
            each.close()


def ends(connection: socket.socket, said: bytes, *, drip: bytes = b"") -> bytes:
    """All that the server answers until it closes, to this and then to a byte now and then."""
    heard = b""
    connection.settimeout(0.02 if drip else 30)
    connection.sendall(said)
    while True:
        try:
            piece = connection.recv(65536)
        except TimeoutError:
            if not drip:
                raise
            connection.sendall(drip)
            continue
        except ConnectionError:
            return heard
        if not piece:
            return heard
        heard += piece


HALF = "GET /agent HTTP/1.1\r\nX: "
POST = "POST /api/session HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: 12\r\n\r\n"


@pytest.mark.parametrize(
    ("said", "drip"),
    [
        ("", b""),
        (HALF, b""),
        (HALF, b"a"),
        (f"GET /agent HTTP/1.1\r\nHost: {{host}}\r\n\r\n{HALF}", b"a"),
        (POST.replace("12", "100000"), b"a"),
    ],
    ids=["nothing", "half a request", "a drip", "a drip after a request", "a drip that nobody reads"],
)
async def test_who_does_not_say_what_they_want_in_time_is_let_go(
    said: str, drip: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_connections, "REQUEST_SECONDS", 0.2)
    async with serving(tmp_path) as server:
        with strangers(server, 1) as (stranger,):
            whole = said.format(host=f"127.0.0.1:{server.port}", kind="text/plain").encode()
            heard = await asyncio.wait_for(asyncio.to_thread(ends, stranger, whole, drip=drip), 30)
        assert heard.count(b"HTTP/1.1") == ("{host}" in said)


async def test_whoever_said_what_they_want_is_not_hurried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connections, "REQUEST_SECONDS", 0.2)
    async with serving(tmp_path) as server, server.client("ana", since=0) as client:
        with strangers(server, 2) as (slow, silent):
            slow.sendall(POST.format(host=f"127.0.0.1:{server.port}", kind="application/json").encode())
            # The last to come is let go: by then the time of the others would be over, too.
            assert await asyncio.to_thread(ends, silent, b"") == b""
            slow.sendall(b'{"code":"x"}')
            assert (await asyncio.to_thread(slow.recv, 4096)).startswith(b"HTTP/1.1 401")
        await client.say({})
        await client.until("error")


ROOM = 65536


class Narrow(asyncio.Protocol):
    """Mixed into a connection: the kernel keeps little for it, and the test sees what is left to send."""

    made: ClassVar[asyncio.Queue[Narrow]]
    room: ClassVar[int]
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.room)
        self.heard = asyncio.Queue[int]()
        self.lost = asyncio.Event()
        self.made.put_nowait(self)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.heard.put_nowait(len(data))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost.set()


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> asyncio.Queue[Narrow]:
    """Every connection from now on; each is narrow."""
    made = asyncio.Queue[Narrow]()
    for kind, room in ((HTTPConnection, 1), (WSConnection, ROOM)):
        narrow = type(kind.__name__, (Narrow, kind), {"made": made, "room": room})
        monkeypatch.setattr(_serving, kind.__name__, narrow)
    return made


@contextmanager
def says(server: Server, text: str, *, room: int = 1) -> Generator[socket.socket]:
    """A connection that has said this, and for which the kernel keeps little, too."""
    with socket.socket() as made:
        made.settimeout(30)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        made.connect(("127.0.0.1", server.port))
        made.sendall(text.format(host=f"127.0.0.1:{server.port}").replace("\n", "\r\n").encode())
        yield made


# So many that the server waits for room before it answers the next; so few that it has answered all.
@pytest.mark.parametrize("count", [200, 20])
async def test_who_takes_none_of_the_answers_is_let_go(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, narrow: asyncio.Queue[Narrow]
) -> None:
    monkeypatch.setattr(_connections, "TAKE_SECONDS", 0.1)
    async with serving(tmp_path) as server:
        with says(server, "GET /nothing HTTP/1.1\nHost: {host}\n\n" * count):
            stranger = await narrow.get()
            await asyncio.wait_for(stranger.lost.wait(), 30)


UPGRADE = """\
GET /api/terminal/ws/agent?since=0 HTTP/1.1
Host: {host}
Authorization: Bearer TOKEN
Connection: Upgrade
Upgrade: websocket
Sec-WebSocket-Version: 13
Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==

"""


def ping(number: int) -> bytes:
    """A ping with a mask that changes nothing."""
    return b"\x89\xfd\0\0\0\0" + str(number).rjust(125).encode()


async def test_pings_are_answered_only_as_fast_as_the_answers_are_taken(
    tmp_path: Path, narrow: asyncio.Queue[Narrow]
) -> None:
    pings = [ping(number) for number in range(20_000)]
    async with serving(tmp_path) as server:
        with says(server, UPGRADE.replace("TOKEN", TOKENS["ana"]), room=ROOM) as client:
            assert (await asyncio.to_thread(client.recv, 12)) == b"HTTP/1.1 101"
            _, talk = await narrow.get(), await narrow.get()
            await talk.heard.get()
            await asyncio.to_thread(client.sendall, b"".join(pings))
            left = sum(map(len, pings))
            while left:
                left -= await talk.heard.get()
            assert talk.transport.get_write_buffer_size() < 1_000_000
            heard = b""
            while b"19999" not in heard:
                heard += await asyncio.to_thread(client.recv, 65536)
            assert len(heard) < sum(map(len, pings)) / 2


async def test_a_crowd_at_the_address_does_not_keep_out_programs_at_the_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_serving, "_MOST_CONNECTIONS", 5)
    async with serving(tmp_path) as server:
        transport = httpx.AsyncHTTPTransport(uds=str(server.socket), verify=NO_TLS)
        with strangers(server, 5):
            async with server.http() as http:
                assert (await http.get("/api/session")).status_code == 503
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as program:
                assert (await program.get("/api/session")).json()["name"] == "operator"
            async with server.local(since=0) as program:
                await program.until("hello")


async def test_a_refused_websocket_is_told_why_and_is_no_error_of_ours(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path) as server:
        # What uvicorn logs stays with it; its loggers are made when the server starts.
        log = logging.getLogger("uvicorn.error")
        log.addHandler(caplog.handler)
        url = f"ws://127.0.0.1:{server.port}/api/terminal/ws/agent"
        told = [
            await refusal(url, {}),
            await refusal(url, server.headers() | {"Origin": "https://evil.example"}),
            await refusal(f"{url}?since=abc", server.headers()),
            await refusal(f"{url}?since=-1", server.headers()),
        ]
        log.removeHandler(caplog.handler)
    assert [status for status, _ in told] == [401, 403, 422, 422]
    assert "since: Input should be a valid integer" in told[2][1]
    assert "since: Input should be greater than or equal to 0" in told[3][1]
    assert caplog.messages == []


async def refusal(url: str, headers: dict[str, str]) -> tuple[int, str]:
    with pytest.raises(InvalidStatus) as turned:
        await connect(url, additional_headers=headers, open_timeout=None)
    response = turned.value.response
    return response.status_code, (response.body or b"").decode()
