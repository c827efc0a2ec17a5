"""Edited calls over HTTP: judged and drawn before they are approved, and bound to what was drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assent.errors import ChangedSinceApproval
from assent.model import Allow, ApprovalRequest, Permit, ToolCall, Verdict
from tests.server.desk import asking
from tests.server.served import serving


async def test_an_edit_is_judged_and_drawn_before_anybody_approves_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await asker.write("a.txt", "theirs\n")
        path = str(server.work / "a.txt")
        found = await asker.redraw(pending, file_path=path, content="mine\n")
        assert (found["verdict"], found["problem"]) == ("ask", None)
        assert found["reason"] == "writing in work asks first (write_approval)"
        assert found["message"]["tool_input"] == {"file_path": path, "content": "mine\n"}
        assert found["message"]["new_content"] == "mine\n"
        assert found["message"]["digest"] == found["digest"]
        assert [each["text"] for each in found["rows"]["rows"]][2:] == ["mine"]
        assert sorted(found["schema"]["properties"]) == ["content", "file_path"]
        assert not (server.work / "a.txt").exists()
        # The question itself is what it was.
        assert (await asker.get(f"/api/inbox/{pending.id}"))["message"]["new_content"] == "theirs\n"
        edit = {"file_path": path, "content": "mine\n"}
        await asker.decide(pending, kind="approve", override_args=edit, redrawn=found["digest"])
        await asker.run(pending)
        assert (server.work / "a.txt").read_text() == "mine\n"


async def test_what_is_denied_or_does_not_fit_says_why(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await asker.write("a.txt")
        path = str(server.work / "a.txt")
        outside = await asker.redraw(pending, file_path="/etc/passwd", content="x")
        assert outside["verdict"] == "deny"
        assert "/etc/passwd" in outside["reason"]
        assert [outside[name] for name in ("problem", "digest", "message", "rows")] == [None] * 4
        missing = await asker.redraw(pending, file_path=path)
        assert missing["verdict"] == "deny"
        assert missing["problem"] == "Write: content is missing"
        assert missing["schema"] is not None
        wrong: dict[str, Any] = {"file_path": path, "content": "x", "mode": 7}
        assert (await asker.redraw(pending, **wrong))[
            "problem"
        ] == "Write: mode is not an argument; allowed: file_path, content"


class Knock:
    """A tool that is allowed to be quiet, and asks otherwise."""

    name = "knock"

    def check_approval(self, call: ToolCall, /) -> Verdict:
        if call.args == {"loud": False}:
            return Allow(reason="nobody hears it")
        return ApprovalRequest(description="Knock", fingerprint=call.args)

    async def run(self, permit: Permit, /) -> object:
        return permit.call.args


async def test_what_would_be_allowed_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server, more={"knock": Knock()}) as asker:
        pending = await asker.ask("knock", loud=True)
        found = await asker.redraw(pending, loud=False)
        assert (found["verdict"], found["problem"]) == ("allow", None)
        assert found["reason"] == "you changed it: nobody hears it"
        assert found["message"]["preview_data"]["input"] == {"loud": False}
        assert (found["rows"]["rows"], found["schema"]) == ([], {"type": "object"})
        await asker.decide(pending, kind="approve", override_args={"loud": False}, redrawn=found["digest"])
        assert await asker.run(pending) == {"loud": False}


async def test_a_remembered_refusal_denies_an_edit(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        await asker.decide(await asker.write("no.txt"), kind="reject", scope="always", note="never")
        pending = await asker.write("a.txt")
        found = await asker.redraw(pending, file_path=str(server.work / "no.txt"), content="x")
        assert found["verdict"] == "deny"
        assert found["reason"].startswith("never (remembered answer of ana")


async def test_an_edit_of_another_process_says_that_its_asker_judges_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server, elsewhere=True) as asker:
        pending = await asker.write("a.txt")
        edit: dict[str, Any] = {"file_path": str(server.work / "a.txt"), "content": "mine"}
        found = await asker.redraw(pending, **edit)
        assert found == {
            "verdict": "ask",
            "reason": "writing in work asks first (write_approval)",
            "problem": "the tool is not in this process; the edited call will be judged by the asker before it runs, "
            "and refused if its arguments do not fit",
            "digest": None,
            "message": None,
            "presentation": None,
            "wider": [],
            "rows": None,
            "schema": None,
        }
        await asker.decide(pending, kind="approve", override_args=edit)
        await asker.run(pending)
        assert (server.work / "a.txt").read_text() == "mine"


async def test_an_approval_binds_to_the_drawing_that_was_seen(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        file = server.work / "a.txt"
        file.write_text("one\n")
        pending = await asker.write("a.txt", "theirs\n")
        edit: dict[str, Any] = {"file_path": str(file), "content": "mine\n"}
        first = await asker.redraw(pending, **edit)
        file.write_text("two\n")
        # Somebody else looks at the same edit, and sees another file.
        second = await asker.redraw(pending, **edit)
        assert first["digest"] != second["digest"]
        approval: dict[str, Any] = {"kind": "approve", "override_args": edit}
        stale = await asker.decide(pending, 409, redrawn=first["digest"], **approval)
        assert stale["error"] == "stale"
        await asker.decide(pending, redrawn=second["digest"], **approval)
        file.write_text("three\n")
        with pytest.raises(ChangedSinceApproval):
            await asker.run(pending)
        assert file.read_text() == "three\n"


async def test_two_people_look_at_two_edits_and_each_approves_their_own(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        file = server.work / "a.txt"
        file.write_text("one\n")
        pending = await asker.write("a.txt", "theirs\n")
        mine: dict[str, Any] = {"file_path": str(file), "content": "mine\n"}
        drawn = await asker.redraw(pending, **mine)
        await asker.redraw(pending, file_path=str(file), content="others\n")
        file.write_text("moved\n")
        await asker.decide(pending, kind="approve", override_args=mine, redrawn=drawn["digest"])
        # Bound to what was drawn, not to what the file has become since.
        with pytest.raises(ChangedSinceApproval):
            await asker.run(pending)


async def test_redrawn_without_an_edit_makes_no_sense(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await asker.write("a.txt")
        assert (await asker.decide(pending, 422, redrawn="x", kind="approve"))["error"] == "invalid"
        assert (await asker.decide(pending, 422, redrawn="x", kind="reject"))["error"] == "invalid"


async def test_only_a_question_that_waits_and_was_seen_is_redrawn(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        pending = await asker.write("a.txt")
        path = f"/api/inbox/{pending.id}/redraw"
        forged = await asker.post(path, {"digest": "0" * 64, "args": {}}, 409)
        assert forged["error"] == "stale"
        await asker.post("/api/inbox/nothing/redraw", {"digest": "", "args": {}}, 404)
        digest = await asker.digest(pending)
        await asker.decide(pending, kind="reject")
        ended = await asker.post(path, {"digest": digest, "args": {}}, 409)
        assert ended["error"] == "already_decided"


@pytest.mark.parametrize("mode", ["interactive", "approve_all"])
async def test_the_agents_own_questions_can_be_redrawn_in_every_mode(tmp_path: Path, mode: Any) -> None:  # noqa: ANN401
    from assent.agent import OFFLINE
    from assent.server import ServedAgent

    def agent(settings: Any, gate: Any) -> ServedAgent:  # noqa: ANN401
        return ServedAgent(settings, cwd=tmp_path / "work", gate=gate, model=OFFLINE)

    async with serving(tmp_path, runner=agent, mode=mode) as server, server.client(since=0) as client:
        hello = (await client.until("hello"))["content"]
        assert (hello["cwd"], hello["model"], hello["offline"]) == (str(server.work), "offline", True)
        assert hello["modes"] == (["sdk"] if mode == "interactive" else ["sdk", "bypassPermissions"])
        assert hello["allow_bypass"] is (mode == "approve_all")
        await client.run('Create a file called a.txt with the content "theirs"')
        request = await client.until("tool_approval_request")
        edit = {**request["tool_input"], "content": "mine"}
        async with server.http() as http:
            base = f"/api/inbox/{request['pending']}"
            found = (await http.post(f"{base}/redraw", json={"digest": request["digest"], "args": edit})).json()
            assert (found["verdict"], found["message"]["new_content"]) == ("ask", "mine")
            body = {
                "digest": request["digest"],
                "redrawn": found["digest"],
                "decision": {"kind": "approve", "override_args": edit},
            }
            assert (await http.post(f"{base}/decision", json=body)).status_code == 200
        await client.until("result", "success")
        assert (server.work / "a.txt").read_text() == "mine"
