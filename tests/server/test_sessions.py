"""A session in a browser's cookie: who it is beside other cookies, and what is left when it ends."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from assent.server import _socket
from assent.server._access import SESSION_SECONDS, Access
from assent.testing import VirtualClock
from tests.server.desk import asking
from tests.server.served import NO_TLS, Server, Talk, serving


def signed_in(access: Access, who: str = "ana") -> str:
    """The cookie of a browser that followed a link."""
    made = access.new_session(access.new_link(who))
    assert made is not None
    return f"{access.cookie}={made[0]}"


def browser(server: Server, cookie: str) -> httpx.AsyncClient:
    headers = {"Cookie": cookie, "Origin": server.address}
    return httpx.AsyncClient(base_url=server.address, headers=headers, timeout=30, verify=NO_TLS)


@asynccontextmanager
async def tab(server: Server, cookie: str, *, since: int = 0) -> AsyncGenerator[Talk]:
    """A page of that browser, which has heard how things stand."""
    url = f"ws://127.0.0.1:{server.port}/api/terminal/ws/agent?since={since}"
    headers = {"Cookie": cookie, "Origin": server.address}
    async with connect(url, additional_headers=headers, open_timeout=None) as connection:
        talk = Talk(connection)
        await talk.until("hello")
        yield talk


@pytest.mark.parametrize(
    "other",
    ["x=1", 'prefs={"a":1}', "a=b c", 'theme="dark', "k\xe9=1", "expires=soon", "path=1", "secure", "=", "", "assent="],
)
def test_no_cookie_of_another_program_locks_anybody_out(other: str) -> None:
    access = Access()
    ours = signed_in(access)
    for cookies in (f"{other}; {ours}", f"{ours}; {other}", f"{ours};{other}", f"{other} ;{ours}"):
        assert access.of_cookie(cookies) == "ana", cookies
    access.end_session(f"{other}; {ours}")
    assert access.of_cookie(ours) is None


@pytest.mark.parametrize("name", ["assent2", "Assent", "assent ", "x assent", "$assent"])
def test_a_cookie_that_is_not_exactly_ours_opens_nothing(name: str) -> None:
    access = Access()
    _, _, secret = signed_in(access).partition("=")
    assert access.of_cookie(f"{name}={secret}") is None
    assert access.of_cookie(f'assent="{secret}"') is None


async def test_who_signs_out_is_out_in_every_tab_and_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody comes round later to look: it is the signing out that ends them.
    monkeypatch.setattr(_socket, "SLOW_SECONDS", 4000.0)
    async with serving(tmp_path) as server, asking(server) as asker:
        cookie, other = signed_in(server.access), signed_in(server.access)
        async with (
            tab(server, cookie) as first,
            tab(server, cookie) as second,
            tab(server, other) as elsewhere,
            server.client("ana", since=0) as program,
            browser(server, cookie) as http,
        ):
            assert (await http.delete("/api/session")).status_code == 200
            assert (await first.closed(), await second.closed()) == (1008, 1008)
            await asker.write("later.txt")
            await elsewhere.until("tool_approval_request")
            await program.until("tool_approval_request")
        assert "tool_approval_request" not in {each["type"] for each in [*first.heard, *second.heard]}


async def test_who_signs_in_where_somebody_else_is_signed_in_takes_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_socket, "SLOW_SECONDS", 4000.0)
    async with serving(tmp_path) as server:
        hers, elsewhere = signed_in(server.access, "ana"), signed_in(server.access, "ana")
        async with tab(server, hers) as page, tab(server, elsewhere) as other, browser(server, hers) as http:
            wrong = await http.post("/api/session", json={"code": "x"})
            assert wrong.status_code == 401
            assert (await http.get("/api/session")).json()["name"] == "ana"
            made = await http.post("/api/session", json={"code": server.access.new_link("ben")})
            assert made.json()["name"] == "ben"
            assert await page.closed() == 1008
            await other.say({})
            await other.until("error")
        assert server.access.of_cookie(hers) is None
        assert server.access.of_cookie(elsewhere) == "ana"


async def test_an_answer_after_the_session_has_ended_counts_for_nothing(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with serving(tmp_path) as server, asking(server) as asker:
        server.access.clock = clock
        pending = await asker.write("late.txt")
        async with tab(server, signed_in(server.access)) as page:
            (question,) = page.heard[0]["content"]["pending"]
            clock.advance(SESSION_SECONDS)
            await page.answer(question, approved=True)
            assert await page.closed() == 1008
            assert "session has ended" in str(page.connection.close_reason)
        assert server.gate.store.ruling(pending.id) is None


async def test_a_connection_does_not_outlive_its_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_socket, "SLOW_SECONDS", 0.04)
    clock = VirtualClock()
    async with serving(tmp_path) as server:
        server.access.clock = clock
        async with tab(server, signed_in(server.access)) as page, server.client("ana", since=0) as program:
            clock.advance(SESSION_SECONDS)
            assert await page.closed() == 1008
            await program.say({})
            assert (await program.until("error"))["subtype"] == "invalid_message"
