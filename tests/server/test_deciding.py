"""Everything an answer over HTTP can say, and several answers at once."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assent.errors import Rejected, Responded, Stopped
from assent.model import Pending, Permit, ToolCall
from tests.server.desk import Asker, asking
from tests.server.served import serving


async def again(asker: Asker, name: str, *, run: str = "run", agents: tuple[str, ...] = ()) -> Permit | Pending:
    """What a later call of the same kind meets."""
    args = {"file_path": str(asker.server.work / name), "content": "x"}
    call = ToolCall(run=run, id=f"again-{name}-{run}", tool_name="Write", args=args, agents=agents)
    return await asker.gate.judge(call, asker.tools["Write"])


def answer(asker: Asker, pending: Pending, digest: str, **decision: object) -> dict[str, object]:
    return {"id": pending.id, "digest": digest, "decision": decision}


async def answers(asker: Asker, given: dict[str, dict[str, object]], pendings: dict[str, Pending]) -> list[Any]:
    body = [answer(asker, pendings[name], await asker.digest(pendings[name]), **each) for name, each in given.items()]
    found: list[Any] = (await asker.post("/api/inbox/decisions", {"answers": body}))["results"]
    return found


async def test_a_session_ends_with_its_run_and_always_does_not(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        await asker.decide(await asker.write("session.txt"), kind="approve", scope="session")
        assert isinstance(await again(asker, "session.txt"), Permit)
        assert isinstance(await again(asker, "session.txt", run="other"), Pending)
        await asker.decide(await asker.write("always.txt"), kind="approve", scope="always")
        assert isinstance(await again(asker, "always.txt", run="other"), Permit)


async def test_what_is_remembered_ends_with_its_calls_and_its_time(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        await asker.decide(await asker.write("a.txt"), kind="approve", scope="session", calls=1, seconds=600)
        (grant,) = (await asker.get("/api/grants"))["grants"]
        assert (grant["calls"], 590 < grant["expires"] - grant["at"] <= 600) == (1, True)
        assert isinstance(await again(asker, "a.txt"), Permit)
        assert (await asker.get("/api/grants"))["grants"] == []


async def test_a_refusal_is_remembered_with_its_words(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        await asker.decide(await asker.write("no.txt"), kind="reject", scope="always", note="not this one")
        with pytest.raises(PermissionError, match="not this one"):
            await again(asker, "no.txt", run="other")
        (grant,) = (await asker.get("/api/grants"))["grants"]
        assert (grant["allow"], grant["by"], grant["note"]) == (False, "ana", "not this one")


async def test_an_answer_is_remembered_for_the_chain_that_asked_or_for_every_agent(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        await asker.decide(await asker.write("one.txt"), kind="approve", scope="session")
        assert isinstance(await again(asker, "one.txt", agents=("Task",)), Pending)
        await asker.decide(await asker.write("all.txt"), kind="approve", scope="session", every_agent=True)
        assert isinstance(await again(asker, "all.txt", agents=("Task",)), Permit)


async def test_a_person_stops_the_run_or_answers_in_the_tools_place(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        given = await asker.write("given.txt")
        await asker.decide(given, kind="respond", result={"written": False}, note="I did it")
        with pytest.raises(Responded) as responded:
            await asker.run(given)
        assert responded.value.result == {"written": False}
        last = await asker.write("last.txt")
        await asker.decide(last, kind="reject", stop=True, note="enough")
        with pytest.raises(Stopped, match="enough"):
            await asker.run(last)
        assert not [*server.work.iterdir()]


@pytest.mark.parametrize(
    "decision",
    [
        {"kind": "approve", "covers": "everything"},
        {"kind": "approve", "scope": "session", "covers": "everything"},
        {"kind": "reject", "scope": "always", "covers": "everything"},
        {"kind": "approve", "seconds": 5},
        {"kind": "approve", "scope": "session", "seconds": -1},
        {"kind": "approve", "scope": "session", "calls": 0},
        {"kind": "approve", "scope": "for ever"},
        {"kind": "approve", "hunks": []},
        {"kind": "approve", "hunks": [0], "override_args": {}},
        {"kind": "approve", "override_args": []},
        {"kind": "approve", "override": {}},
        {"kind": "reject", "override_args": {}},
        {"kind": "respond"},
        {"kind": "maybe"},
        {},
    ],
)
async def test_an_answer_that_makes_no_sense_is_no_answer(shared: Any, decision: dict[str, Any]) -> None:  # noqa: ANN401
    async with asking(shared) as asker:
        pending = await asker.write("nonsense.txt")
        await asker.decide(pending, 422, **decision)
        assert (await asker.get(f"/api/inbox/{pending.id}"))["ruling"] is None


async def test_several_questions_have_their_own_answers_and_nothing_else_is_answered(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        asked = {name: await asker.write(name, group="one") for name in ("a", "b", "c", "d")}
        other = await asker.write("other", group="two")
        digests = {name: await asker.digest(each) for name, each in asked.items()}
        await asker.decide(asked["d"], kind="reject", note="by itself")
        body = [
            answer(asker, asked["a"], digests["a"], kind="approve"),
            answer(asker, asked["b"], digests["b"], kind="reject", note="not b", by="the king"),
            answer(asker, asked["c"], "forged", kind="approve"),
            answer(asker, asked["d"], digests["d"], kind="approve"),
            {"id": "nobody", "digest": "x", "decision": {"kind": "approve"}},
        ]
        results = (await asker.post("/api/inbox/decisions", {"answers": body}))["results"]
        assert [(each["id"], each["status"], each["error"]) for each in results] == [
            (asked["a"].id, 200, None),
            (asked["b"].id, 200, None),
            (asked["c"].id, 409, "stale"),
            (asked["d"].id, 409, "already_decided"),
            ("nobody", 404, "unknown_pending"),
        ]
        assert [each["ruling"] and each["ruling"]["by"] for each in results] == ["ana", "ana", None, None, None]
        assert "rejected" in results[3]["message"]
        waiting = {each["id"] for each in (await asker.get("/api/inbox"))["items"]}
        assert waiting == {asked["c"].id, other.id}
        await asker.run(asked["a"])
        with pytest.raises(Rejected, match="not b"):
            await asker.run(asked["b"])
        assert [each.name for each in server.work.iterdir()] == ["a"]


async def test_what_one_answer_leaves_behind_does_not_answer_another_of_the_same_list(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        asked = {name: await asker.write(name, group="one") for name in ("a.txt", "b.txt", "c.txt", "d.txt")}
        wide = next(each.name for each in asked["a.txt"].request.wider if each.pattern.endswith("*.txt"))
        # Somebody waits for them, and looks at the memory whenever something new is in it.
        waiting = asyncio.create_task(asker.gate.ask_all([*asked.values()]))
        await asyncio.sleep(0)
        results = await answers(
            asker,
            {
                "a.txt": {"kind": "approve", "scope": "session", "covers": wide},
                "b.txt": {"kind": "reject", "note": "not b"},
                "c.txt": {"kind": "reject", "scope": "session", "note": "never c"},
                "d.txt": {"kind": "approve", "scope": "always", "note": "d"},
            },
            asked,
        )
        assert [each["ruling"]["outcome"] for each in results] == ["approved", "rejected", "rejected", "approved"]
        assert results[3]["ruling"]["decision"]["note"] == "d"
        assert [getattr(each, "by", "") for each in await waiting] == ["ana"] * 4
        assert len((await asker.get("/api/grants"))["grants"]) == 3
        # From now on it is remembered, the refusal before the grant.
        assert isinstance(await again(asker, "e.txt"), Permit)
        with pytest.raises(PermissionError, match="never c"):
            await again(asker, "c.txt")


async def test_what_is_remembered_answers_what_waits_elsewhere_as_always(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        first, same = (
            await asker.write("a.txt"),
            await asker.ask("Write", call="same", file_path=str(server.work / "a.txt"), content="x"),
        )
        waiting = asker.gate.ask_all([same])
        await answers(asker, {"a": {"kind": "approve", "scope": "session"}}, {"a": first})
        (answered,) = await waiting
        assert "remembered answer" in getattr(answered, "by", "")


async def test_several_answers_and_what_is_remembered_of_them_are_one_step(tmp_path: Path) -> None:
    never: dict[str, object] = {"kind": "reject", "scope": "always", "note": "never"}
    async with serving(tmp_path) as server, asking(server) as asker:
        asked = {name: await asker.write(name) for name in ("a", "b")}
        path = str(server.settings.store)
        with closing(sqlite3.connect(path)) as other:
            # The disk takes what the first answer leaves behind, and then no more.
            other.execute(
                "CREATE TRIGGER full BEFORE INSERT ON grants WHEN (SELECT count(*) FROM grants) > 0"
                " BEGIN SELECT raise(ABORT, 'the disk is full'); END"
            )
        results = await answers(asker, dict.fromkeys(asked, never), asked)
        assert [(each["status"], each["error"], each["ruling"]) for each in results] == [(503, "failed", None)] * 2
        assert len((await asker.get("/api/inbox"))["items"]) == 2
        assert (await asker.get("/api/grants"))["grants"] == []
        with closing(sqlite3.connect(path)) as other:
            other.execute("DROP TRIGGER full")
        results = await answers(asker, dict.fromkeys(asked, never), asked)
        assert [(each["status"], each["ruling"]["outcome"]) for each in results] == [(200, "rejected")] * 2
        assert [each["note"] for each in (await asker.get("/api/grants"))["grants"]] == ["never"] * 2


async def test_one_wrong_answer_of_several_changes_nothing_of_the_others(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        asked = {name: await asker.write(name) for name in ("a", "b")}
        results = await answers(
            asker,
            {"a": {"kind": "approve", "scope": "session", "covers": "everything"}, "b": {"kind": "approve"}},
            asked,
        )
        assert [(each["status"], each["error"]) for each in results] == [(422, "failed"), (200, None)]
        assert (await asker.get(f"/api/inbox/{asked['a'].id}"))["ruling"] is None
        # One that no one can read refuses all of them: which were meant is not known.
        body = {"answers": [answer(asker, asked["a"], await asker.digest(asked["a"]), kind="yes")]}
        await asker.post("/api/inbox/decisions", body, 422)
        twice = answer(asker, asked["a"], await asker.digest(asked["a"]), kind="approve")
        assert "twice" in (await asker.post("/api/inbox/decisions", {"answers": [twice, twice]}, 422))["message"]
        await asker.post("/api/inbox/decisions", {"answers": []}, 422)
        await asker.post("/api/inbox/decisions", {"answers": [{**twice, "id": str(n)} for n in range(201)]}, 422)
        assert (await asker.get(f"/api/inbox/{asked['a'].id}"))["ruling"] is None


async def test_edits_and_hunks_can_be_among_several_answers(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        asked = {name: await asker.write(name) for name in ("a", "b")}
        edit = {"file_path": str(server.work / "a"), "content": "mine"}
        drawn = await asker.redraw(asked["a"], file_path=edit["file_path"], content="mine")
        body = [
            answer(
                asker, asked["a"], await asker.digest(asked["a"]), kind="approve", override_args=edit, scope="session"
            )
            | {"redrawn": drawn["digest"]},
            answer(asker, asked["b"], await asker.digest(asked["b"]), kind="approve", override_args=edit)
            | {"redrawn": drawn["digest"]},
        ]
        results = (await asker.post("/api/inbox/decisions", {"answers": body}))["results"]
        # The drawing was of another question.
        assert [(each["status"], each["error"]) for each in results] == [(200, None), (409, "stale")]
        await asker.run(asked["a"])
        assert (server.work / "a").read_text() == "mine"
        assert len((await asker.get("/api/grants"))["grants"]) == 1
