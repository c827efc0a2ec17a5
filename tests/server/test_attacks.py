"""What nobody but the operator may do: each attempt is refused, and the server goes on serving."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from assent.model import Pending, ToolCall
from assent.runtime import Session
from assent.server._access import LINK_SECONDS, SESSION_SECONDS, Access, hashed
from assent.server._guard import MOST_BODY
from assent.testing import VirtualClock
from assent.tools.files import FileSandbox, file_tools
from tests.server.served import NO_TLS, TOKENS, Server

if TYPE_CHECKING:
    from websockets.sync.connection import Connection

SOCKET = "/api/terminal/ws/agent"
ANA = {"Authorization": f"Bearer {TOKENS['ana']}"}


@pytest.fixture
def web(shared: Server) -> Generator[httpx.Client]:
    """A client without any token; at the end the server must still serve."""
    with httpx.Client(base_url=shared.address, timeout=30, verify=NO_TLS) as client:
        yield client
        assert client.get("/api/session", headers=ANA | {"Cookie": ""}).json()["name"] == "ana"


@contextmanager
def signed_in(server: Server) -> Generator[httpx.Client]:
    """A browser that followed the operator's link."""
    with httpx.Client(
        base_url=server.address, headers={"Origin": server.address}, timeout=30, verify=NO_TLS
    ) as browser:
        code = server.access.new_link("operator")
        assert browser.post("/api/session", json={"code": code}).status_code == 200
        yield browser


def talk(server: Server, headers: dict[str, str] | None = None, *, query: str = "") -> ClientConnection:
    url = f"ws://127.0.0.1:{server.port}{SOCKET}{query}"
    return connect(url, additional_headers=ANA if headers is None else headers, max_size=None, open_timeout=None)


def refused(server: Server, headers: dict[str, str]) -> int:
    """The status with which a WebSocket is turned away."""
    with pytest.raises(InvalidStatus) as turned:
        talk(server, headers)
    return turned.value.response.status_code


def ending(connection: Connection, *frames: str | bytes, text: bool | None = None) -> int | None:
    """With which code the server ends it after these frames; None if it hung up at once."""
    try:
        for frame in frames:
            connection.send(frame, text=text)
        while True:
            connection.recv(30)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else None


def raw(server: Server, request: bytes) -> bytes:
    """The beginning of the answer to these bytes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
        return connection.recv(4096)


def asked(server: Server, name: str) -> Pending:
    """A question on the desk about writing this file."""
    return asyncio.run(_asked(server, name))


async def _asked(server: Server, name: str) -> Pending:
    sandbox = FileSandbox.from_settings(server.settings)
    try:
        session = Session(server.gate, file_tools(sandbox, "claude"), run=f"run-{name}")
        args = {"file_path": str(server.work / name), "content": "x"}
        call = ToolCall(run=session.run, id=name, tool_name="Write", args=args)
        found = await server.gate.judge(call, session.tools["Write"])
    finally:
        sandbox.close()
    assert isinstance(found, Pending)
    return found


def detail(web: httpx.Client, pending: Pending) -> dict[str, Any]:
    found: dict[str, Any] = web.get(f"/api/inbox/{pending.id}", headers=ANA).json()["item"]
    return found


# No token, and wrong ones


def test_without_a_token_every_route_is_closed(shared: Server, web: httpx.Client) -> None:
    described = web.get("/api/openapi.json", headers=ANA).json()
    tried = 0
    for path, methods in described["paths"].items():
        for method in methods:
            if (method, path) != ("post", "/api/session"):
                answer = web.request(method, path, json={})
                assert (answer.status_code, answer.json()["error"]) == (401, "not_signed_in"), path
                tried += 1
    assert tried >= 12
    assert web.get("/api/openapi.json").status_code == 401
    assert refused(shared, {}) == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {'x' * 43}"},
        {"Authorization": f"Basic {TOKENS['ana']}"},
        {"Authorization": TOKENS["ana"]},
        {"Authorization": f"Bearer {hashed(TOKENS['ana'])}"},
        {"Cookie": "assent=x"},
        {"Cookie": f"assent={TOKENS['ana']}"},
    ],
)
def test_a_wrong_token_opens_nothing(shared: Server, web: httpx.Client, headers: dict[str, str]) -> None:
    assert web.get("/api/inbox", headers=headers).status_code == 401
    assert refused(shared, headers) == 401


def test_a_token_in_the_address_is_no_token(shared: Server, web: httpx.Client) -> None:
    assert web.get(f"/api/inbox?token={TOKENS['ana']}").status_code in (401, 429)


# Links and sessions


def test_a_link_is_good_once(shared: Server, web: httpx.Client) -> None:
    code = shared.access.new_link("operator")
    assert len(code) * 6 >= 128
    first = web.post("/api/session", json={"code": code}, headers={"Origin": shared.address})
    assert first.status_code == 200
    again = web.post("/api/session", json={"code": code}, headers={"Origin": shared.address})
    assert again.status_code in (401, 429)


def test_a_session_is_a_cookie_that_no_script_reads_and_no_other_site_sends(shared: Server, web: httpx.Client) -> None:
    code = shared.access.new_link("operator")
    answer = web.post("/api/session", json={"code": code}, headers={"Origin": shared.address})
    name, _, attributes = answer.headers["set-cookie"].partition("=")
    assert name == f"assent-{shared.port}"
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(attributes.split("; "))
    assert code not in answer.headers["set-cookie"]


def test_who_signs_out_is_out(shared: Server) -> None:
    with signed_in(shared) as browser:
        cookie = {"Cookie": f"assent-{shared.port}={browser.cookies[f'assent-{shared.port}']}"}
        assert browser.get("/api/inbox").status_code == 200
        assert browser.delete("/api/session").status_code == 200
        assert browser.get("/api/inbox", headers=cookie).status_code == 401


def test_links_and_sessions_end() -> None:
    clock = VirtualClock()
    access = Access(clock=clock)
    old = access.new_link("ana")
    clock.advance(LINK_SECONDS)
    assert access.new_session(old) is None
    made = access.new_session(access.new_link("ana"))
    assert made is not None
    cookies = f"assent={made[0]}"
    assert access.of_cookie(cookies) == "ana"
    clock.advance(SESSION_SECONDS)
    assert access.of_cookie(cookies) is None


# Other sites


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1.:{port}",
        "localhost.evil.example:{port}",
        "x@127.0.0.1:{port}",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_dns_rebinding_finds_no_one_at_home(shared: Server, web: httpx.Client, host: str) -> None:
    headers = ANA | {"Host": host.format(port=shared.port)}
    answer = web.get("/api/inbox", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (403, "wrong_host")
    page = web.get("/agent", headers={"Host": host.format(port=shared.port)})
    assert page.status_code == 403


def test_a_websocket_for_another_host_is_turned_away(shared: Server) -> None:
    head = f"GET {SOCKET} HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer {TOKENS['ana']}\r\n"
    head += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    assert raw(shared, head.encode()).startswith(b"HTTP/1.1 403")
    assert raw(shared, head.replace("evil.example", f"127.0.0.1:{shared.port}").encode()).startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1:{port}.evil.example",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "",
    ],
)
def test_a_page_of_another_origin_gets_nothing_with_anybodys_cookie(shared: Server, origin: str) -> None:
    foreign = {"Origin": origin.format(port=shared.port)}
    with signed_in(shared) as browser:
        for answer in (
            browser.get("/api/inbox", headers=foreign),
            browser.post("/api/session/link", json={}, headers=foreign),
        ):
            assert (answer.status_code, answer.json()["error"]) == (403, "foreign_origin")
        cookie = f"assent-{shared.port}={browser.cookies[f'assent-{shared.port}']}"
        assert refused(shared, {"Cookie": cookie} | foreign) == 403
        with talk(shared, {"Cookie": cookie, "Origin": shared.address}, query="?since=0") as connection:
            assert json.loads(connection.recv(30))["content"]["you"] == "operator"


def test_whoever_clicks_on_a_link_in_another_sites_page_is_told_in_words_and_not_let_in(
    shared: Server, web: httpx.Client
) -> None:
    clicked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Accept": "text/html,*/*"}
    with signed_in(shared) as browser:
        told = [each.get(path, headers=clicked) for each in (browser, web) for path in ("/agent", "/api/inbox")]
    for answer in told:
        assert (answer.status_code, answer.headers["content-type"]) == (403, "text/html")
        assert "open a new tab, and paste it there" in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "<script" not in answer.text
    # What is no click on a link is for programs.
    for headers in (clicked | {"Sec-Fetch-Mode": "cors"}, {"Sec-Fetch-Site": "cross-site"}):
        assert web.get("/agent", headers=headers).json()["error"] == "foreign_origin"
    assert web.post("/api/session", json={"code": "x"}, headers=clicked).json()["error"] == "foreign_origin"


def test_a_cookie_without_an_origin_changes_nothing(shared: Server, web: httpx.Client) -> None:
    with signed_in(shared) as browser:
        cookie = {"Cookie": f"assent-{shared.port}={browser.cookies[f'assent-{shared.port}']}"}
        assert web.post("/api/session/link", json={}, headers=cookie).status_code == 403
        assert refused(shared, cookie) == 403
        assert web.get("/api/inbox", headers=cookie).status_code == 200


def test_a_form_of_another_site_decides_nothing(shared: Server, web: httpx.Client) -> None:
    pending = asked(shared, "form.txt")
    path = f"/api/inbox/{pending.id}/decision"
    body = json.dumps({"digest": detail(web, pending)["digest"], "decision": {"kind": "approve"}})
    with signed_in(shared) as browser:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
            answer = browser.post(path, content=body, headers={"Content-Type": kind})
            assert answer.status_code == 415, kind
        crossed = browser.post(
            path, content=body, headers={"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}
        )
        assert crossed.status_code == 403
    assert shared.gate.store.ruling(pending.id) is None


def test_every_answer_forbids_to_be_framed_sniffed_or_scripted(web: httpx.Client) -> None:
    for answer in (web.get("/agent"), web.get("/api/inbox"), web.get("/nothing", headers=ANA)):
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "path", ["/agent/../_guard.py", "/agent/%2e%2e/_guard.py", "/agent//etc/passwd", "/agent/", "/agent/sources.sha256"]
)
def test_the_page_serves_no_other_file(shared: Server, path: str) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{shared.port}\r\n\r\n"
    assert raw(shared, head.encode()).startswith(b"HTTP/1.1 401")
    signed = head.replace("\r\n\r\n", f"\r\nAuthorization: Bearer {TOKENS['ana']}\r\n\r\n")
    assert raw(shared, signed.encode()).startswith(b"HTTP/1.1 404")


# Decisions


def test_a_replayed_decision_changes_nothing(shared: Server, web: httpx.Client) -> None:
    pending = asked(shared, "replay.txt")
    body = {"digest": detail(web, pending)["digest"], "decision": {"kind": "reject", "note": "no"}}
    path = f"/api/inbox/{pending.id}/decision"
    assert web.post(path, json=body, headers=ANA).status_code == 200
    replayed = web.post(path, json=body, headers=ANA)
    assert (replayed.status_code, replayed.json()["error"]) == (409, "already_decided")
    turned = body | {"decision": {"kind": "approve"}}
    assert web.post(path, json=turned, headers=ANA).status_code == 409
    ruling = shared.gate.store.ruling(pending.id)
    assert ruling is not None
    assert ruling.outcome == "rejected"


def test_an_answer_to_something_else_than_what_was_seen_is_stale(shared: Server, web: httpx.Client) -> None:
    pending, other = asked(shared, "seen.txt"), asked(shared, "other.txt")
    path = f"/api/inbox/{pending.id}/decision"
    for digest in ("", "0" * 64, pending.digest, detail(web, other)["digest"]):
        answer = web.post(path, json={"digest": digest, "decision": {"kind": "approve"}}, headers=ANA)
        assert (answer.status_code, answer.json()["error"]) == (409, "stale")
    assert shared.gate.store.ruling(pending.id) is None


def test_nobody_answers_in_somebody_elses_name(shared: Server, web: httpx.Client) -> None:
    pending = asked(shared, "name.txt")
    body = {"digest": detail(web, pending)["digest"], "decision": {"kind": "approve", "by": "ben"}}
    assert web.post(f"/api/inbox/{pending.id}/decision", json=body, headers=ANA).status_code == 200
    ruling = shared.gate.store.ruling(pending.id)
    assert ruling is not None
    assert ruling.by == "ana"
    assert ruling.decision is not None
    assert ruling.decision.by == "ana"


@pytest.mark.parametrize(
    "decision",
    [
        {},
        {"kind": "yes"},
        {"kind": "approve", "approved": True},
        {"kind": "approve", "scope": "forever"},
        {"kind": "approve", "scope": "once", "seconds": 5},
        {"kind": "approve", "hunks": []},
        {"kind": "approve", "calls": "3"},
        {"kind": "approve", "scope": "always", "covers": "everything"},
        "approve",
        None,
    ],
)
def test_what_is_not_exactly_an_answer_is_no_answer(shared: Server, web: httpx.Client, decision: object) -> None:
    pending = asked(shared, "malformed.txt")
    body = {"digest": detail(web, pending)["digest"], "decision": decision}
    answer = web.post(f"/api/inbox/{pending.id}/decision", json=body, headers=ANA)
    assert answer.status_code == 422
    assert answer.json()["message"]
    assert shared.gate.store.ruling(pending.id) is None


def test_a_forged_request_id_answers_nothing(shared: Server) -> None:
    with talk(shared) as connection:
        for forged in ("0" * 32, "00000000-0000-0000-0000-000000000000", "", "../../x"):
            said = {"command": "tool_approval_response", "request_id": forged, "approved": True}
            connection.send(json.dumps(said))
            while (told := json.loads(connection.recv(30)))["type"] == "tool_approval_request":
                pass
            assert (told["type"], told["subtype"]) == ("error", "unknown_pending")


# Frames and bodies


def test_a_frame_that_is_too_large_ends_only_its_own_connection(shared: Server, web: httpx.Client) -> None:
    with talk(shared, query="?since=0") as other, talk(shared, query="?since=0") as connection:
        assert ending(connection, "x" * 5_000_000) in (1009, None)
        other.send("{}")
        while json.loads(other.recv(30))["type"] != "error":
            pass


def test_malformed_frames_are_told_what_is_allowed(shared: Server) -> None:
    with talk(shared, query="?since=0") as connection:
        for said in ("", "{", "[]", b"\x00\x01", json.dumps({"command": "rm -rf"})):
            connection.send(said)
            while (told := json.loads(connection.recv(30)))["type"] != "error":
                pass
            assert told["subtype"] == "invalid_message"


def test_a_flood_of_messages_is_cut_off(shared: Server, web: httpx.Client) -> None:
    with talk(shared, query="?since=0") as connection:
        assert ending(connection, *["{}"] * 400) in (1008, None)


def test_bytes_that_are_no_text_end_the_connection(shared: Server, web: httpx.Client) -> None:
    with talk(shared, query="?since=0") as connection:
        assert ending(connection, b"\xff\xfe", text=True) in (1007, None)


def test_a_body_that_is_too_large_is_not_read(shared: Server, web: httpx.Client) -> None:
    big = b" " * (MOST_BODY + 1)
    headers = ANA | {"Content-Type": "application/json"}
    assert web.post("/api/session", content=big, headers=headers).status_code == 413
    chunked = web.post("/api/inbox/x/decision", content=iter([big[:1000], big[1000:]]), headers=headers)
    assert chunked.status_code == 413


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_requests_that_are_none_are_turned_away(shared: Server, web: httpx.Client, request_bytes: bytes) -> None:
    assert raw(shared, request_bytes).split(b" ")[1:2] in ([b"400"], [b"403"], [b"415"], [b"431"], [b"505"])


def test_connections_that_never_finish_keep_nobody_else_out(shared: Server, web: httpx.Client) -> None:
    slow = [socket.create_connection(("127.0.0.1", shared.port), timeout=30) for _ in range(100)]
    try:
        for each in slow:
            each.sendall(f"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:{shared.port}\r\nContent-".encode())
        assert web.get("/api/inbox", headers=ANA).status_code == 200
        with talk(shared, query="?since=0") as connection:
            assert json.loads(connection.recv(30))["type"] == "hello"
    finally:
        for each in slow:
            each.close()


# Last, as it uses up what this address may get wrong


def test_whoever_guesses_is_slowed_down_and_the_right_token_still_works(web: httpx.Client) -> None:
    wrong = {"Authorization": "Bearer wrong"}
    codes = [web.get("/api/inbox", headers=wrong).status_code for _ in range(40)]
    assert 429 in codes
    assert web.get("/api/inbox", headers=ANA).status_code == 200
