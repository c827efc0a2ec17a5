"""All of what a question shows, over HTTP: blocks, whole files, what an answer would cover, the past."""

from __future__ import annotations

import json
from pathlib import Path

from inline_snapshot import snapshot

from assent import requires_approval
from assent.functions import FunctionTool
from assent.model import EditPresentation, Pending
from tests.server.desk import Asker, asking
from tests.server.served import serving

LINES = "".join(f"line {number}\n" for number in range(1, 31))


async def edit(asker: Asker) -> Pending:
    """Two changes with a gap between them."""
    file = asker.server.work / "a.py"
    file.write_text(LINES)
    edits = [{"old_string": f"line {number}\n", "new_string": f"row {number}\n"} for number in (3, 25)]
    return await asker.ask("MultiEdit", file_path=str(file), edits=edits)


async def test_blocks_are_counted_as_the_rows_are_and_some_can_be_approved_alone(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await edit(asker)
        found = await asker.get(f"/api/inbox/{pending.id}/blocks")
        assert found == snapshot(
            {
                "blocks": [
                    {"first": 4, "last": 5, "removed": 1, "added": 1, "old_line": 3, "new_line": 3},
                    {"first": 13, "last": 14, "removed": 1, "added": 1, "old_line": 25, "new_line": 25},
                ],
                "narrows": True,
            }
        )
        rows = (await asker.get(f"/api/inbox/{pending.id}/diff"))["rows"]
        assert [rows[at]["text"] for at in (4, 5, 13, 14)] == ["line 3", "row 3", "line 25", "row 25"]
        wrong = await asker.decide(pending, 422, kind="approve", hunks=[0, 2])
        assert wrong["message"] == "there is no hunk 2; they are counted from 0 to 1"
        await asker.decide(pending, kind="approve", hunks=[1])
        await asker.run(pending)
        assert (server.work / "a.py").read_text() == LINES.replace("line 25", "row 25")


async def test_what_is_all_or_nothing_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        new = await asker.write("new.txt", "x\ny\n")
        command = await asker.ask("Bash", call="bash", command="touch b")
        assert (await asker.get(f"/api/inbox/{new.id}/blocks")) == {
            "blocks": [{"first": 2, "last": 3, "removed": 0, "added": 2, "old_line": 0, "new_line": 1}],
            "narrows": False,
        }
        assert (await asker.get(f"/api/inbox/{command.id}/blocks")) == {"blocks": [], "narrows": False}
        for pending in (new, command):
            wrong = await asker.decide(pending, 422, kind="approve", hunks=[0])
            assert "as a whole or not at all" in wrong["message"]


async def test_a_whole_version_comes_line_by_line(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        file = server.work / "a.py"
        file.write_text('x = """\ny\n"""\nz = 1')
        pending = await asker.ask("Edit", file_path=str(file), old_string="z = 1", new_string="z = 2")
        shown = pending.preview.presentation
        assert isinstance(shown, EditPresentation)
        assert shown.change.before is not None
        assert shown.change.after is not None
        base = f"/api/inbox/{pending.id}/file"
        assert (await asker.get(f"{base}/{shown.change.after.sha256}", offset=1, limit=3)) == snapshot(
            {
                "path": str(file),
                "rows": [
                    {"number": 2, "text": "y", "tokens": [{"start": 0, "end": 1, "kind": "string"}]},
                    {"number": 3, "text": '"""', "tokens": [{"start": 0, "end": 3, "kind": "string"}]},
                    {
                        "number": 4,
                        "text": "z = 2",
                        "tokens": [
                            {"start": 2, "end": 3, "kind": "operator"},
                            {"start": 4, "end": 5, "kind": "number"},
                        ],
                    },
                ],
                "offset": 1,
                "total": 4,
                "ends_with_newline": False,
            }
        )
        before = await asker.get(f"{base}/{shown.change.before.sha256}", offset=3)
        assert [each["text"] for each in before["rows"]] == ["z = 1"]
        assert (await asker.get(f"{base}/{shown.change.before.sha256}", offset=10**9))["rows"] == []
        for wrong in (
            "0" * 64,
            "%2e%2e%2f" * 4,
            "..%2fetc%2fpasswd",
            f"{'0' * 64}%0a",
            shown.change.after.sha256.upper(),
        ):
            assert (await asker.http.get(f"{base}/{wrong}")).status_code in {404, 422}
        await asker.decide(pending, kind="reject")
        # Once it has ended, the next question takes its files from the desk.
        await asker.write("next.txt")
        assert (await asker.http.get(f"{base}/{shown.change.after.sha256}")).status_code == 404


async def test_a_version_that_is_no_text_is_not_drawn_as_one(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        file = server.work / "a.bin"
        file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
        pending = await asker.ask("Write", file_path=str(file), content="now text")
        before = (await asker.get(f"/api/inbox/{pending.id}"))["pending"]["preview"]["presentation"]["change"]["before"]
        answer = await asker.http.get(f"/api/inbox/{pending.id}/file/{before['sha256']}")
        assert answer.status_code == 404
        assert "is no text" in answer.json()["message"]


async def test_what_an_answer_would_have_covered_is_counted(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        for name in ("one.txt", "two.txt", "three.md"):
            await asker.decide(await asker.write(name), kind="reject")
        waiting = await asker.write("four.txt")
        found = (await asker.get(f"/api/inbox/{waiting.id}/wider"))["wider"]
        offered = waiting.request.wider
        assert [(each["index"], each["name"]) for each in found] == [
            (0, ""),
            *((number, each.name) for number, each in enumerate(offered, start=1)),
        ]
        assert found[0]["would_also"] == {"of": 3, "matches": 0, "examples": []}
        by_suffix = next(each for each in found if each["pattern"].endswith("*.txt"))
        assert by_suffix["would_also"]["matches"] == 2
        assert by_suffix["would_also"]["examples"] == [
            f"Write 1 line to {server.work}/two.txt",
            f"Write 1 line to {server.work}/one.txt",
        ]
        await asker.decide(waiting, kind="approve", scope="always", covers=by_suffix["name"])
        (grant,) = (await asker.get("/api/grants"))["grants"]
        assert grant["pattern"] == by_suffix["pattern"]


async def test_the_schema_is_the_tools_own_where_it_is_at_hand(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker, asking(server, elsewhere=True) as other:
        here, there = await asker.write("a.txt"), await other.write("b.txt")
        schema = (await asker.get(f"/api/inbox/{here.id}/schema"))["schema"]
        assert sorted(schema["properties"]) == ["content", "file_path"]
        assert (await asker.get(f"/api/inbox/{there.id}/schema")) == {"schema": None}


async def test_the_past_says_what_was_proposed_approved_decided_and_done(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        done = await asker.write("done.txt")
        path = str(server.work / "done.txt")
        await asker.decide(done, kind="approve", override_args={"file_path": path, "content": "mine"}, note="so")
        await asker.run(done)
        await asker.decide(await asker.write("no.txt"), kind="reject", note="not this", scope="session")
        await asker.write("waits.txt")
        found = (await asker.http.get("/api/history")).text
        items = json.loads(found.replace(str(server.work), "/w"))["items"]
        for each in items:
            assert each.pop("created") > 0
            if each["decision"]:
                assert each["decision"].pop("at") > 0
        assert items[2]["executed"].pop("at") > 0
        assert items == snapshot(
            [
                {
                    "id": "19a778568620606f9b9281f1e7111711",
                    "tool_name": "Write",
                    "description": "Write 1 line to /w/waits.txt",
                    "run": "run",
                    "agents": [],
                    "proposed": {"file_path": "/w/waits.txt", "content": "x"},
                    "approved": None,
                    "decision": None,
                    "executed": None,
                },
                {
                    "id": "9979e75d60cd3b17d90611b285b3534d",
                    "tool_name": "Write",
                    "description": "Write 1 line to /w/no.txt",
                    "run": "run",
                    "agents": [],
                    "proposed": {"file_path": "/w/no.txt", "content": "x"},
                    "approved": None,
                    "decision": {
                        "kind": "reject",
                        "outcome": "rejected",
                        "note": "not this",
                        "by": "ana",
                        "scope": "session",
                        "hunks": None,
                        "of": None,
                    },
                    "executed": None,
                },
                {
                    "id": "d08f52548bc00b451d0307cde36e1d94",
                    "tool_name": "Write",
                    "description": "Write 1 line to /w/done.txt",
                    "run": "run",
                    "agents": [],
                    "proposed": {"file_path": "/w/done.txt", "content": "x"},
                    "approved": {
                        "file_path": "/w/done.txt",
                        "content": "mine",
                    },
                    "decision": {
                        "kind": "approve",
                        "outcome": "approved",
                        "note": "so",
                        "by": "ana",
                        "scope": "once",
                        "hunks": None,
                        "of": None,
                    },
                    "executed": {"state": "done", "detail": ""},
                },
            ]
        )


async def test_the_past_comes_by_pages(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        names = [f"{number}.txt" for number in range(5)]
        for name in names:
            await asker.write(name)
        seen: list[str] = []
        query: dict[str, object] = {"limit": 2}
        while True:
            page = await asker.get("/api/history", **query)
            seen += [each["proposed"]["file_path"].rpartition("/")[2] for each in page["items"]]
            if page["next"] is None:
                break
            query["before"] = page["next"]
        assert seen == names[::-1]
        assert (await asker.get("/api/history", before="nobody"))["items"] == []


async def test_what_a_tool_keeps_out_of_the_journal_is_not_in_the_past_either(tmp_path: Path) -> None:
    @requires_approval(exclude_keys=["token"])
    def log_in(user: str, token: str) -> str:
        return user

    async with serving(tmp_path) as server, asking(server, more={"log_in": FunctionTool(log_in)}) as asker:
        pending = await asker.ask("log_in", user="ana", token="s3cret")  # noqa: S106 — nobody's
        # Who must answer sees all of it.
        assert "s3cret" in (await asker.http.get(f"/api/inbox/{pending.id}")).text
        await asker.decide(pending, kind="approve", override_args={"user": "ana", "token": "s3cret2"})
        await asker.run(pending)
        answer = await asker.http.get("/api/history")
        assert "s3cret" not in answer.text
        assert "s3cret" not in (await asker.http.get(f"/api/inbox/{pending.id}")).text
        assert "s3cret" not in (await asker.http.get("/api/journal")).text
        assert answer.json()["items"][0]["proposed"] == {"user": "ana", "token": "…"}
        assert answer.json()["items"][0]["approved"] == {"user": "ana", "token": "…"}


async def test_what_a_person_adds_to_a_call_is_not_in_the_past_if_the_tool_may_exclude_it(tmp_path: Path) -> None:
    @requires_approval(exclude_keys=["token"])
    def log_in(user: str, token: str = "") -> str:
        return user

    async with serving(tmp_path) as server, asking(server, more={"log_in": FunctionTool(log_in)}) as asker:
        pending = await asker.ask("log_in", user="ana")
        await asker.decide(pending, kind="approve", override_args={"user": "ben", "token": "s3cret"})
        await asker.run(pending)
        answer = await asker.http.get("/api/history")
        assert answer.json()["items"][0]["approved"] == {"user": "ben", "token": "…"}
        for place in ("/api/history", f"/api/inbox/{pending.id}", "/api/journal"):
            assert "s3cret" not in (await asker.http.get(place)).text


async def test_the_past_does_not_say_that_all_was_approved_where_a_part_was(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        before = [f"{number}\n" for number in range(40)]
        (server.work / "a.txt").write_text("".join(before))
        pending = await asker.write("a.txt", "".join(["first\n", *before[1:20], "second\n", *before[21:-1], "third\n"]))
        await asker.decide(pending, kind="approve", hunks=[0, 2])
        await asker.run(pending)
        (past,) = (await asker.get("/api/history"))["items"]
        assert past["approved"] is None
        assert (past["decision"]["hunks"], past["decision"]["of"]) == ([0, 2], 3)
        assert (server.work / "a.txt").read_text() == "".join(["first\n", *before[1:-1], "third\n"])
