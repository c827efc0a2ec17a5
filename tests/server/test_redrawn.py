"""Approvals of edited calls over HTTP: bound to the one drawing they name, and remembered for what it offers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assent.errors import ChangedSinceApproval
from assent.model import Pending, Permit, ToolCall
from tests.server.desk import Asker, asking
from tests.server.served import serving


async def edited(asker: Asker, name: str = "a.txt") -> tuple[Pending, dict[str, Any], str]:
    """A question about a file, an edit of it, and under which digest that was seen."""
    file = asker.server.work / name
    file.write_text("one\n")
    pending = await asker.write(name, "theirs\n")
    edit: dict[str, Any] = {"file_path": str(file), "content": "mine\n"}
    return pending, edit, (await asker.redraw(pending, **edit))["digest"]


async def test_other_edits_seen_meanwhile_do_not_change_what_an_approval_binds_to(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending, edit, digest = await edited(asker)
        for number in range(5):
            await asker.redraw(pending, file_path=edit["file_path"], content=f"other {number}")
        (server.work / "a.txt").write_text("somebody's new work\n")
        await asker.decide(pending, kind="approve", override_args=edit, redrawn=digest)
        with pytest.raises(ChangedSinceApproval):
            await asker.run(pending)
        assert (server.work / "a.txt").read_text() == "somebody's new work\n"


async def test_the_same_edit_in_other_words_is_the_same_edit(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        file = server.work / "a.txt"
        file.write_text("one\ntwo\n")
        pending = await asker.ask("Edit", file_path=str(file), old_string="one", new_string="1")
        edit: dict[str, Any] = {"file_path": str(file), "old_string": "one", "new_string": "uno"}
        first = await asker.redraw(pending, **edit)
        assert (await asker.redraw(pending, **edit, replace_all=False))["digest"] == first["digest"]
        file.write_text("a new line\none\n")
        second = await asker.redraw(pending, **edit, replace_all=False)
        approval: dict[str, Any] = {"kind": "approve", "override_args": edit}
        assert (await asker.decide(pending, 409, redrawn=first["digest"], **approval))["error"] == "stale"
        await asker.decide(pending, redrawn=second["digest"], **approval)
        await asker.run(pending)
        assert file.read_text() == "a new line\nuno\n"


async def test_of_several_answers_an_edit_names_its_drawing_too(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        seen = {name: await edited(asker, name) for name in ("a.txt", "b.txt")}
        body = [
            {
                "id": pending.id,
                "digest": await asker.digest(pending),
                "redrawn": digest if name != "b.txt" else "0" * 64,
                "decision": {"kind": "approve", "override_args": edit},
            }
            for name, (pending, edit, digest) in seen.items()
        ]
        results = (await asker.post("/api/inbox/decisions", {"answers": body}))["results"]
        assert [(each["status"], each["error"]) for each in results] == [(200, None), (409, "stale")]
        (server.work / "a.txt").write_text("moved\n")
        with pytest.raises(ChangedSinceApproval):
            await asker.run(seen["a.txt"][0])


async def test_an_edit_is_presented_as_a_question_is(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await asker.write("a.txt", "theirs\n")
        found = await asker.redraw(pending, file_path=str(server.work / "b.txt"), content="mine\n")
        asked = await asker.write("b.txt", "mine\n")
        detail = await asker.get(f"/api/inbox/{asked.id}")
        assert found["presentation"] == detail["pending"]["preview"]["presentation"]
        assert found["presentation"]["path"].endswith("b.txt")
        assert found["wider"] == (await asker.get(f"/api/inbox/{asked.id}/wider"))["wider"]
        assert found["wider"][0]["name"] == ""


async def test_all_rows_of_a_long_edit_are_there(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await asker.write("a.txt")
        found = await asker.redraw(pending, file_path=str(server.work / "a.txt"), content="line\n" * 1500)
        assert len(found["rows"]["rows"]) == found["rows"]["total"] == 1502


async def test_an_edit_is_remembered_only_for_what_the_edited_call_offers(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await asker.ask("Bash", command="npm run build")
        edit: dict[str, Any] = {"command": "touch x"}
        found = await asker.redraw(pending, **edit)
        assert [each["name"] for each in found["wider"]] == ["", "words:touch"]
        approval: dict[str, Any] = {"kind": "approve", "override_args": edit, "scope": "session"}
        for redrawn in (found["digest"], None):
            wrong = await asker.decide(pending, 422, redrawn=redrawn, covers="words:npm run build", **approval)
            assert "words:touch" in wrong["message"]
        assert server.gate.store.ruling(pending.id) is None
        await asker.decide(pending, redrawn=found["digest"], covers="words:touch", **approval)
        await asker.run(pending)
        again = ToolCall(run="run", id="again", tool_name="Bash", args={"command": "touch y"})
        assert isinstance(await server.gate.judge(again, asker.tools["Bash"]), Permit)


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_some_hunks_are_remembered_only_for_what_is_offered(tmp_path: Path, elsewhere: bool) -> None:  # noqa: FBT001 — pytest's way
    async with serving(tmp_path) as server, asking(server, elsewhere=elsewhere) as asker:
        (server.work / "a.txt").write_text("one\ntwo\nthree\n")
        pending = await asker.write("a.txt", "ONE\ntwo\nTHREE\n")
        approval: dict[str, Any] = {"kind": "approve", "hunks": [0], "scope": "session"}
        assert (await asker.decide(pending, 422, covers="nonsense", **approval))["error"] == "invalid"
        await asker.decide(pending, covers="path:work", **approval)
        await asker.run(pending)
        assert (server.work / "a.txt").read_text() == "ONE\ntwo\nthree\n"
        assert len((await asker.get("/api/grants"))["grants"]) == 1


async def test_what_an_edit_of_another_process_offers_nobody_here_can_tell(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server, elsewhere=True) as asker:
        pending = await asker.write("a.txt")
        edit = {"file_path": str(server.work / "a.txt"), "content": "mine"}
        approval: dict[str, Any] = {"kind": "approve", "override_args": edit, "scope": "session"}
        wrong = await asker.decide(pending, 422, covers="path:work", **approval)
        assert "nothing wider than the call itself" in wrong["message"]
        await asker.decide(pending, **approval)
        await asker.run(pending)
