"""The inbox, grants, journal and runs over HTTP."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import httpx
from inline_snapshot import snapshot
from starlette.applications import Starlette
from starlette.routing import Mount

from assent.gate import Gate
from assent.model import Pending, ToolCall
from assent.server import create_app, hashed
from assent.store import SQLiteStore
from assent.tools.files import FileSandbox, file_tools
from tests.server.served import TOKENS, Server, serving


async def asked(server: Server, tool: str, call: str = "call", run: str = "run", **args: object) -> Pending:
    sandbox = FileSandbox.from_settings(server.settings)
    try:
        policy = next(each for each in file_tools(sandbox, "claude") if each.name == tool)
        found = await server.gate.judge(ToolCall(run=run, id=call, tool_name=tool, args=args), policy)
    finally:
        sandbox.close()
    assert isinstance(found, Pending)
    return found


async def test_the_list_says_what_waits_and_for_how_long(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        assert (await http.get("/api/inbox")).json()["items"] == []
        pending = await asked(server, "Write", file_path=str(server.work / "a.txt"), content="x")
        (item,) = (await http.get("/api/inbox")).json()["items"]
        assert 290 < item["seconds_left"] <= 300
        assert item["digest"] != pending.digest
        for name in ("seconds_left", "created", "expires", "digest", "request_id"):
            del item[name]
        item["description"] = item["description"].replace(str(server.work), "/w")
        assert item == snapshot(
            {
                "id": "3065827195f4fc8ce6726153d80d6e5f",
                "tool_name": "Write",
                "description": "Write 1 line to /w/a.txt",
                "reason": "writing in work asks first (write_approval)",
                "run": "run",
                "agents": [],
                "group_id": None,
                "presentation": "write",
            }
        )


async def test_the_detail_is_all_of_a_question_also_after_its_end(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        pending = await asked(server, "Write", file_path=str(server.work / "a.txt"), content="x")
        found = (await http.get(f"/api/inbox/{pending.id}")).json()
        assert sorted(found) == ["item", "message", "pending", "ruling"]
        assert found["message"]["new_content"] == "x"
        assert found["pending"]["call"]["id"] == "call"
        assert found["ruling"] is None
        body = {"digest": found["item"]["digest"], "decision": {"kind": "reject", "note": "no"}}
        assert (await http.post(f"/api/inbox/{pending.id}/decision", json=body)).status_code == 200
        assert (await http.get("/api/inbox")).json()["items"] == []
        ended = (await http.get(f"/api/inbox/{pending.id}")).json()["ruling"]
        assert (ended["outcome"], ended["by"]) == ("rejected", "ana")
        assert (await http.get("/api/inbox/nothing")).status_code == 404


async def test_the_diff_comes_by_pages_and_the_files_by_chunks(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        file = server.work / "a.txt"
        file.write_text("".join(f"line {number}\n" for number in range(2000)))
        pending = await asked(
            server, "Edit", file_path=str(file), old_string="line", new_string="row", replace_all=True
        )
        base = f"/api/inbox/{pending.id}"
        page = (await http.get(f"{base}/diff", params={"offset": 2, "limit": 3})).json()
        assert (len(page["rows"]), page["offset"], page["total"]) == (3, 2, 4002)
        assert page["rows"][0]["kind"] == "removed"
        beyond = (await http.get(f"{base}/diff", params={"offset": 10**9})).json()
        assert beyond["rows"] == []
        before = (await http.get(base)).json()["pending"]["preview"]["presentation"]["change"]["before"]["sha256"]
        first = await http.get(f"{base}/content/{before}", params={"limit": 10})
        rest = await http.get(f"{base}/content/{before}", params={"offset": 10})
        assert first.content + rest.content == file.read_bytes()
        assert first.headers["content-range"] == f"bytes 0-9/{file.stat().st_size}"
        assert (await http.get(f"{base}/content/{'0' * 64}")).status_code == 404
        assert (await http.get(f"{base}/content/nonsense")).status_code == 422


async def test_a_new_file_has_rows_too(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        pending = await asked(server, "Write", file_path=str(server.work / "a.txt"), content="x\ny\n")
        page = (await http.get(f"/api/inbox/{pending.id}/diff")).json()
        assert [each["kind"] for each in page["rows"]] == ["file", "hunk", "added", "added"]


async def test_an_answer_is_remembered_for_as_long_as_it_says_and_can_be_taken_back(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        args = {"file_path": str(server.work / "a.txt"), "content": "x"}
        pending = await asked(server, "Write", **args)
        digest = (await http.get(f"/api/inbox/{pending.id}")).json()["item"]["digest"]
        decision = {"kind": "approve", "scope": "always", "seconds": 600.0, "note": "fine"}
        answer = await http.post(f"/api/inbox/{pending.id}/decision", json={"digest": digest, "decision": decision})
        assert answer.json()["ruling"]["outcome"] == "approved"
        (grant,) = (await http.get("/api/grants")).json()["grants"]
        assert (grant["by"], grant["scope"], grant["note"]) == ("ana", "always", "fine")
        assert (await http.delete(f"/api/grants/{grant['id']}")).status_code == 200
        assert (await http.get("/api/grants")).json()["grants"] == []
        assert (await http.delete(f"/api/grants/{grant['id']}")).status_code == 404


async def test_the_journal_comes_by_pages_and_is_whole(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        for number in range(3):
            path = str(server.work / f"{number}.txt")
            await asked(server, "Write", call=str(number), file_path=path, content="x")
        first = (await http.get("/api/journal", params={"limit": 2})).json()
        rest = (await http.get("/api/journal", params={"after": first["next"]})).json()
        numbers = [each["seq"] for each in first["entries"] + rest["entries"]]
        assert numbers == [each.seq for each in server.gate.store.journal()]
        assert rest["next"] is None
        assert (await http.get("/api/journal", params={"after": numbers[-1]})).json() == {"entries": [], "next": None}
        assert (await http.get("/api/journal/chain")).json()["whole"]


async def test_a_page_of_the_journal_reads_only_that_page(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        for name in ("one", "two", "three"):
            await asked(server, "Write", call=name, file_path=str(server.work / name), content="x")
        with closing(sqlite3.connect(server.settings.store)) as broken, broken:
            # Whoever reads it notices: it is no JSON.
            broken.execute("UPDATE journal SET body = '{' WHERE seq IN (1, 3)")
        (entry,) = (await http.get("/api/journal", params={"after": 1, "limit": 1})).json()["entries"]
        assert entry["seq"] == 2
        assert (await http.get("/api/journal")).status_code == 503


async def test_a_run_is_stopped_and_goes_on(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http() as http:
        await asked(server, "Write", run="one", file_path=str(server.work / "a.txt"), content="x")
        (run,) = (await http.get("/api/runs")).json()["runs"]
        assert (run["id"], run["waiting"]) == ("one", 1)
        assert (await http.post("/api/runs/one/stop", json={})).status_code == 200
        (run,) = (await http.get("/api/runs")).json()["runs"]
        assert (run["waiting"], run["stopped"]["by"]) == (0, "ana")
        assert (await http.post("/api/runs/one/resume", json={})).status_code == 200
        assert (await http.post("/api/runs/one/resume", json={})).status_code == 404
        assert (await http.post("/api/runs/two/stop", json={})).status_code == 404


async def test_a_question_whose_time_is_over_is_not_listed_and_not_answered(tmp_path: Path) -> None:
    async with serving(tmp_path, timeout=0.05) as server, server.http() as http:
        pending = await asked(server, "Write", file_path=str(server.work / "a.txt"), content="x")
        digest = (await http.get(f"/api/inbox/{pending.id}")).json()["item"]["digest"]
        assert pending.expires is not None
        while time.time() < pending.expires:
            await http.get("/api/inbox")
        assert (await http.get("/api/inbox")).json()["items"] == []
        body = {"digest": digest, "decision": {"kind": "approve"}}
        late = await http.post(f"/api/inbox/{pending.id}/decision", json=body)
        assert (late.status_code, late.json()["error"]) == (409, "already_decided")
        assert "expired" in late.json()["message"]


async def test_who_am_i(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, server.http("ben") as http:
        assert (await http.get("/api/session")).json() == {
            "name": "ben",
            "permission_modes": {
                "bypassPermissions": "Auto Execute",
                "sdk": "Review & Approve (SDK)",
                "toolApproval": "Review & Approve (CLI)",
            },
            "allow_bypass": False,
            "running": False,
        }


async def test_it_can_be_mounted_in_somebody_elses_app(tmp_path: Path) -> None:
    gate = Gate(store=SQLiteStore(tmp_path / "assent.db"))
    ours = create_app(gate, origins=["https://example.org"], approvers={"ana": hashed(TOKENS["ana"])})
    app = Starlette(routes=[Mount("/approvals", ours)])
    headers = {"Authorization": f"Bearer {TOKENS['ana']}"}
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="https://example.org", headers=headers) as http:
        assert (await http.get("/approvals/api/inbox")).json()["items"] == []
        # 503 is the page's own word, where it is not built.
        assert (await http.get("/approvals/agent")).status_code in {200, 503}
        assert (await http.get("/approvals/api/inbox", headers={"Origin": "https://evil.example"})).status_code == 403
        link = (await http.post("/approvals/api/session/link", json={})).json()["url"]
        assert link.startswith("https://example.org/approvals/agent#code=")
        made = await http.post("/approvals/api/session", json={"code": link.partition("=")[2]})
        assert {"Secure", "Path=/approvals"} & set(made.headers["set-cookie"].split("; "))
    async with httpx.AsyncClient(transport=transport, base_url="https://other.example", headers=headers) as http:
        assert (await http.get("/approvals/api/inbox")).status_code == 403
    await ours.state.close()
    gate.close()
