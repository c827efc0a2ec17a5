"""Both doors of one server: an address for browsers, a socket for programs of the same user."""

from __future__ import annotations

import asyncio
import socket
import stat
from pathlib import Path

import httpx
import pytest

from assent.config import ServerSettings
from assent.errors import ConfigError
from assent.server import new_link
from assent.server._doors import listen, local_door, origins_of
from tests.server.served import NO_TLS, Play, Server, serving


async def writing(play: Play) -> None:
    await play.call("Write", {"file_path": play.wanted.prompt, "content": "x"}, call_id="call")


def local(server: Server) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(uds=str(server.socket), verify=NO_TLS)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30)


async def test_the_local_door_is_the_users_alone_and_needs_no_token(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        assert stat.S_IMODE(server.socket.stat().st_mode) == 0o600
        assert stat.S_IMODE(server.socket.parent.stat().st_mode) & 0o077 == 0
        async with local(server) as http:
            assert (await http.get("/api/session")).json()["name"] == "operator"
            from_a_page = await http.get("/api/session", headers={"Origin": "http://localhost"})
            assert from_a_page.status_code == 403
    assert not server.socket.exists()


async def test_both_doors_lead_to_the_same_desk(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, writing) as server,
        server.client("ana", since=0) as browser,
        server.local() as program,
    ):
        await browser.run(str(server.work / "a.txt"))
        await program.answer(await program.until("tool_approval_request"), approved=True)
        ended = await browser.until("tool_approval_ended")
        assert ended["content"]["by"] == "operator"
        await browser.until("result", "success")


async def test_a_new_link_is_asked_for_through_the_local_door(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        link = await asyncio.to_thread(new_link, server.settings)
        place, _, code = link.partition("#code=")
        assert place == f"{server.address}/agent"
        async with server.http(None) as http:
            made = await http.post("/api/session", json={"code": code}, headers={"Origin": server.address})
            assert made.json()["name"] == "operator"
    with pytest.raises(ConfigError, match="assent serve"):
        new_link(server.settings)


async def test_a_second_server_on_the_same_record_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        with pytest.raises(ConfigError, match="another server"):
            await asyncio.to_thread(local_door, server.settings.store.parent)


def test_a_socket_that_a_dead_server_left_is_taken_over(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "server.sock"))
    left.close()
    with local_door(tmp_path) as door:
        assert Path(door.getsockname()).exists()


def test_a_path_that_is_too_long_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="too long"):
        local_door(tmp_path / ("x" * 120))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])  # noqa: S104 — what must be refused
def test_an_address_others_can_reach_needs_the_names_people_use(host: str) -> None:
    with pytest.raises(ConfigError, match=r"server\.origins"):
        listen(ServerSettings(host=host, port=0))


def test_a_taken_port_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"{port} is taken"):
            listen(ServerSettings(port=port))


@pytest.mark.parametrize("port", [-1, 65536, 99999])
def test_a_port_that_does_not_exist_says_so(port: int) -> None:
    with pytest.raises(ConfigError, match=f"there is no port {port}"):
        listen(ServerSettings(port=port))


def test_only_the_addresses_of_loopback_and_those_that_are_named_are_ours() -> None:
    with listen(ServerSettings(port=0, origins=("https://assent.example.org",))) as door:
        port = door.getsockname()[1]
        assert origins_of(door, ServerSettings(origins=("https://assent.example.org",))) == [
            "https://assent.example.org",
            f"http://127.0.0.1:{port}",
            f"http://localhost:{port}",
            f"http://[::1]:{port}",
        ]
