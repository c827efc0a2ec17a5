"""Attacks on what looks into a question and edits it: refused, and the server keeps serving."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from assent.model import Pending
from assent.server._guard import MOST_BODY
from tests.server.desk import Asker, asking
from tests.server.served import NO_TLS, Server

LOOKS = ("blocks", "wider", "schema", f"file/{'0' * 64}")


@pytest_asyncio.fixture
async def asker(shared: Server) -> AsyncGenerator[Asker]:
    async with asking(shared) as found:
        yield found


@pytest_asyncio.fixture
async def pending(asker: Asker, request: pytest.FixtureRequest) -> Pending:
    return await asker.write(f"{request.node.name[:60]}.txt".replace("/", "-"))


def targets(pending: Pending) -> list[tuple[str, str]]:
    base = f"/api/inbox/{pending.id}"
    looks = [("GET", f"{base}/{each}") for each in LOOKS]
    return [*looks, ("GET", "/api/history"), ("POST", f"{base}/redraw"), ("POST", "/api/inbox/decisions")]


async def statuses(server: Server, pending: Pending, headers: dict[str, str]) -> set[int]:
    async with httpx.AsyncClient(base_url=server.address, verify=NO_TLS, timeout=30) as http:
        answers = [
            await http.request(method, path, headers=headers, json={} if method == "POST" else None)
            for method, path in targets(pending)
        ]
    assert all(pending.call.tool_name not in each.text for each in answers)
    return {each.status_code for each in answers}


async def test_nobody_looks_without_being_let_in(shared: Server, asker: Asker, pending: Pending) -> None:
    cookie = f"assent-{shared.port}"
    ana = shared.headers()
    assert await statuses(shared, pending, {}) == {401}
    # Whoever tries too often is told to wait.
    assert await statuses(shared, pending, {"Authorization": "Bearer forged"}) <= {401, 429}
    assert await statuses(shared, pending, {"Cookie": f"{cookie}=forged", "Origin": shared.address}) <= {401, 429}
    assert await statuses(shared, pending, ana | {"Host": "evil.example"}) == {403}
    assert await statuses(shared, pending, ana | {"Origin": "https://evil.example"}) == {403}
    assert await statuses(shared, pending, ana | {"Sec-Fetch-Site": "cross-site"}) == {403}
    # A cookie of a session that was ended, as somebody might have kept it.
    secret, _ = shared.access.new_session(shared.access.new_link("ben")) or ("", "")
    shared.access.end_session(f"{cookie}={secret}")
    assert await statuses(shared, pending, {"Cookie": f"{cookie}={secret}", "Origin": shared.address}) <= {401, 429}


async def test_a_cookie_alone_changes_and_redraws_nothing(shared: Server, asker: Asker, pending: Pending) -> None:
    secret, _ = shared.access.new_session(shared.access.new_link("ben")) or ("", "")
    headers = {"Cookie": f"assent-{shared.port}={secret}"}
    digest = await asker.digest(pending)
    async with httpx.AsyncClient(base_url=shared.address, verify=NO_TLS) as http:
        for path, body in (
            (f"/api/inbox/{pending.id}/redraw", {"digest": digest, "args": {}}),
            ("/api/inbox/decisions", {"answers": [_approval(pending, digest)]}),
        ):
            assert (await http.post(path, json=body, headers=headers)).status_code == 403
            form = {**headers, "Origin": shared.address, "Content-Type": "text/plain"}
            assert (await http.post(path, content=json.dumps(body), headers=form)).status_code == 415
    assert shared.gate.store.ruling(pending.id) is None


def _approval(pending: Pending, digest: str) -> dict[str, Any]:
    return {"id": pending.id, "digest": digest, "decision": {"kind": "approve"}}


async def test_a_list_of_answers_is_forged_and_replayed_in_vain(shared: Server, asker: Asker, pending: Pending) -> None:
    other = await asker.write("forged-other.txt")
    digest = await asker.digest(pending)
    # The digest of one question is none of another, and neither is that of the arguments.
    forged = [_approval(other, digest), _approval(pending, pending.digest)]
    results = (await asker.post("/api/inbox/decisions", {"answers": forged}))["results"]
    assert {each["error"] for each in results} == {"stale"}
    body = {"answers": [{"id": pending.id, "digest": digest, "decision": {"kind": "reject"}}]}
    assert (await asker.post("/api/inbox/decisions", body))["results"][0]["status"] == 200
    replayed = {"answers": [_approval(pending, digest)]}
    assert (await asker.post("/api/inbox/decisions", replayed))["results"][0]["error"] == "already_decided"
    ruling = shared.gate.store.ruling(pending.id)
    assert ruling is not None
    assert ruling.outcome == "rejected"


@pytest.mark.parametrize(
    "args",
    [
        '{"file_path": "/etc/shadow", "content": "x"}',
        '{"file_path": "../../../../etc/passwd", "content": "x"}',
        '{"file_path": "WORK/link", "content": "x"}',
        '{"file_path": "WORK/pipe", "content": "x"}',
        '{"file_path": "WORK/a\\u0000b", "content": "x"}',
        '{"file_path": "", "content": "x"}',
        '{"file_path": "WORK", "content": "x"}',
        '{"file_path": {"$ref": "/"}, "content": ["x"]}',
        '{"file_path": "WORK/a.txt", "content": 1e999}',
        '{"file_path": "WORK/a.txt", "content": NaN}',
        '{"__class__": "x", "file_path": null}',
        "{}",
    ],
)
async def test_hostile_arguments_are_told_what_is_wrong_and_touch_nothing(
    shared: Server, asker: Asker, pending: Pending, args: str
) -> None:
    link, pipe = shared.work / "link", shared.work / "pipe"
    if not link.is_symlink():
        link.symlink_to("/etc/passwd")
        os.mkfifo(pipe)
    before = sorted(shared.work.iterdir())
    body = f'{{"digest": "{await asker.digest(pending)}", "args": {args.replace("WORK", str(shared.work))}}}'
    answer = await asker.http.post(
        f"/api/inbox/{pending.id}/redraw", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in {200, 422}, answer.text
    if answer.status_code == 200:
        found = answer.json()
        assert found["verdict"] == "deny"
        assert found["problem"] or found["reason"]
        assert found["message"] is None
        assert "root:" not in answer.text
    assert sorted(shared.work.iterdir()) == before
    assert shared.gate.store.ruling(pending.id) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'{"digest": "x"}',
        b'{"digest": "x", "args": []}',
        b'{"digest": "x", "args": {}, "by": "king"}',
        b'{"digest": ["x"], "args": {}}',
        b'{"digest": "x", "args": {"a": "\\ud800"}}',
        b'{"digest": "x", "args": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b'{"digest": "x", "args": ' + b'{"a":' * 100 + b"1" + b"}" * 100 + b"}",
        b"\xff\xfe",
    ],
)
async def test_what_is_no_edit_and_no_answer_is_refused(asker: Asker, pending: Pending, body: bytes) -> None:
    for path in (f"/api/inbox/{pending.id}/redraw", "/api/inbox/decisions"):
        answer = await asker.http.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422, answer.text


async def test_a_body_that_is_too_large_is_not_read(asker: Asker, pending: Pending) -> None:
    big = b'{"digest": "' + b"x" * MOST_BODY + b'", "args": {}}'
    for path in (f"/api/inbox/{pending.id}/redraw", "/api/inbox/decisions"):
        answer = await asker.http.post(path, content=big, headers={"Content-Type": "application/json"})
        assert answer.status_code == 413


async def test_others_are_served_while_something_large_is_redrawn(shared: Server, asker: Asker) -> None:
    file = shared.work / "large.txt"
    file.write_text("".join(f"{number} {number * 7919 % 1000}\n" for number in range(150_000)))
    pending = await asker.write("large.txt", "x\n")
    text = "".join(f"{number} {number * 104_729 % 1000}\n" for number in range(150_000))
    drawing = asyncio.create_task(asker.redraw(pending, file_path=str(file), content=text))
    served = 0
    while not drawing.done():
        await asker.http.get("/api/session")
        served += 1
    found = await drawing
    assert found["verdict"] == "ask"
    assert found["message"]["preview_data"]["left_out"]
    # On a loop that stands still, one request waits with it, and the next one comes too late.
    assert served > 3


@pytest.mark.parametrize("command", ["echo " + "$(" * 20_000 + ")" * 20_000, "a;" * 3_000, "'" * 50_001])
async def test_a_monstrous_command_is_redrawn_or_refused_soon(asker: Asker, command: str) -> None:
    pending = await asker.ask("Bash", call=f"bash-{hash(command)}", command="touch a")
    before = time.perf_counter()
    found = await asker.redraw(pending, command=command)
    assert found["verdict"] in {"ask", "deny"}
    assert time.perf_counter() - before < 20


@pytest.mark.parametrize("before", ["' OR 1=1 --", "%", "0", "x" * 64])
async def test_a_forged_cursor_finds_nothing(asker: Asker, pending: Pending, before: str) -> None:
    assert (await asker.get("/api/history", before=before)) == {"items": [], "next": None}
    assert (await asker.http.get("/api/history", params={"before": "x" * 65})).status_code == 422
    assert (await asker.http.get("/api/history", params={"limit": "100000"})).status_code == 422
