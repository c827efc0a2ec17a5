"""Connections that only take up room: they end by themselves, and keep out nobody for long."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from assent.server import _connections, _serving
from tests.server.served import NO_TLS, Server, free_connection, serving


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
        await connect(url, additional_headers=headers)
    response = turned.value.response
    return response.status_code, (response.body or b"").decode()
