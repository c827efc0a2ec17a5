"""The flows over the WebSocket: approve, reject, let pass, expire, come back, two people."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assent.config import Mode
from assent.model import EffectState
from assent.server import Wanted
from tests.server.served import PLAIN, Message, Play, Scripted, serving

SHOWN = {"tool_input", "preview_data", "original_content", "new_content", "diff_lines"}
"""What a question shows; a list of questions is without it."""


def write(path: str, text: str = "hello world") -> dict[str, object]:
    return {"file_path": path, "content": text}


async def writing(play: Play) -> None:
    await play.say("I'll create that file for you.")
    await play.call("Write", write(play.wanted.prompt), call_id=f"toolu_{play.session.run}")


async def writing_two(play: Play) -> None:
    await asyncio.gather(
        play.call("Write", write(f"{play.wanted.prompt}/one.txt"), call_id="one"),
        play.call("Write", write(f"{play.wanted.prompt}/two.txt"), call_id="two"),
    )


async def trying_again(play: Play) -> None:
    """Writes, and if that is rejected, writes what it is told."""
    result = await play.call("Write", write(play.wanted.prompt), call_id="first")
    if isinstance(result, dict):
        await play.say(f"I was told: {result['message']}")
        await play.call("Write", write(play.wanted.prompt, "adapted"), call_id="second")


async def reading(play: Play) -> None:
    await play.call("Read", {"file_path": play.wanted.prompt}, call_id="read")


async def test_a_person_approves_and_the_file_is_written(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server, server.client() as client:
        file = server.work / "test.txt"
        await client.run(str(file))
        request = await client.until("tool_approval_request")
        assert not file.exists()
        await client.answer(request, approved=True)
        assert await client.until("result") == {
            "type": "result",
            "subtype": "success",
            "content": {"message": "Conversation complete"},
        }
        assert file.read_text() == "hello world"
        kinds = [(each["type"], each.get("subtype")) for each in client.heard]
        assert kinds == [
            ("assistant", "text"),
            ("assistant", "tool_use"),
            ("tool_approval_request", None),
            ("user", "tool_result"),
            ("result", "success"),
        ]


async def test_a_rejection_reaches_the_agent_with_the_feedback_and_it_adapts(tmp_path: Path) -> None:
    async with serving(tmp_path, trying_again) as server, server.client() as client:
        file = server.work / "test.txt"
        await client.run(str(file))
        await client.answer(await client.until("tool_approval_request"), approved=False, feedback="Use X")
        told = await client.until("user", "tool_result")
        assert told["content"]["is_error"]
        assert told["content"]["content"].startswith("User rejected: Use X")
        await client.answer(await client.until("tool_approval_request"), approved=True)
        await client.until("result", "success")
        assert file.read_text() == "adapted"


async def test_reading_passes_without_a_question(tmp_path: Path) -> None:
    async with serving(tmp_path, reading) as server, server.client() as client:
        file = server.work / "a.txt"
        file.write_text("what is in it\n")
        await client.run(str(file))
        await client.until("result", "success")
        assert [each["type"] for each in client.heard] == ["assistant", "user", "result"]
        assert "what is in it" in client.heard[1]["content"]["content"]


async def test_a_question_that_nobody_answers_expires_by_the_servers_clock(tmp_path: Path) -> None:
    async with serving(tmp_path, writing, timeout=2.0) as server, server.client(since=0) as client:
        file = server.work / "test.txt"
        await client.run(str(file))
        request = await client.until("tool_approval_request")
        assert request["expires"] == pytest.approx(request["created"] + 2.0)
        ended = await client.until("tool_approval_ended")
        assert ended["request_id"] == request["request_id"]
        assert ended["content"]["outcome"] == "expired"
        await client.until("result")
        await client.answer(request, approved=True)
        assert (await client.until("error"))["subtype"] == "already_decided"
        assert not file.exists()


async def test_whoever_comes_back_in_the_middle_of_a_question_has_lost_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server:
        file = server.work / "test.txt"
        async with server.client(since=0) as before:
            await before.until("hello")
            await before.run(str(file))
            request = await before.until("tool_approval_request")
            last = max(each["seq"] for each in before.heard if "seq" in each)
        async with server.client(since=last) as after:
            hello = await after.until("hello")
            assert hello["content"]["running"]
            assert not hello["content"]["missed"]
            (again,) = hello["content"]["pending"]
            assert again.items() < request.items()
            assert request.keys() - again.keys() == {"type", "seq", *SHOWN}
            await after.answer(again, approved=True)
            await after.until("result", "success")
            numbers = [each["seq"] for each in after.heard if "seq" in each]
            assert numbers == list(range(last + 1, last + 1 + len(numbers)))
        assert file.read_text() == "hello world"


async def test_what_happened_while_nobody_was_connected_is_told_later(tmp_path: Path) -> None:
    async with serving(tmp_path, reading) as server:
        file = server.work / "a.txt"
        file.write_text("text")
        async with server.client(since=0) as before:
            await before.until("hello")
            await before.run(str(file))
            started = await before.until("run", "started")
        async with server.client(since=started["seq"]) as after:
            await after.until("result", "success")
            kinds = [(each["type"], each.get("subtype")) for each in after.heard]
            assert kinds == [
                ("hello", None),
                ("assistant", "tool_use"),
                ("user", "tool_result"),
                ("result", "success"),
            ]


async def test_a_plain_client_that_reconnects_is_asked_the_same_question(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server:
        file = server.work / "test.txt"
        async with server.client() as before:
            await before.run(str(file))
            request = await before.until("tool_approval_request")
        async with server.client() as after:
            assert await after.next() == request
            await after.answer(request, approved=True)
            await after.until("result", "success")
        assert file.read_text() == "hello world"


async def test_a_plain_client_is_asked_one_thing_at_a_time_and_completes_all(tmp_path: Path) -> None:
    async with serving(tmp_path, writing_two) as server, server.client() as client:
        await client.run(str(server.work))
        first = await client.until("tool_approval_request")
        # Both wait by now, as another client sees; this one shows a single dialog.
        async with server.client("ben", since=0) as other:
            waiting = (await other.until("hello"))["content"]["pending"]
            while len(waiting) < 2:
                waiting.append(await other.until("tool_approval_request"))
        await client.answer(first, approved=True)
        second = await client.until("tool_approval_request")
        assert second["request_id"] != first["request_id"]
        await client.answer(second, approved=True)
        await client.until("result", "success")
        assert {each["type"] for each in client.heard} <= PLAIN
        assert sum(each["type"] == "tool_approval_request" for each in client.heard) == 2
        assert sorted(each.name for each in server.work.iterdir()) == ["one.txt", "two.txt"]


async def test_the_first_answer_wins_and_the_other_person_is_told_whose_it_was(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, writing) as server,
        server.client("ana", since=0) as ana,
        server.client("ben") as ben,
    ):
        file = server.work / "test.txt"
        await ana.run(str(file))
        shown, same = await ana.until("tool_approval_request"), await ben.until("tool_approval_request")
        assert shown["request_id"] == same["request_id"]
        await ben.answer(same, approved=False, feedback="not now")
        ended = await ana.until("tool_approval_ended")
        assert ended["content"] | {"at": 0} == {"outcome": "rejected", "by": "ben", "at": 0, "note": "not now"}
        await ana.answer(shown, approved=True)
        late = await ana.until("error", "already_decided")
        assert "rejected by ben" in late["content"]["message"]
        assert not file.exists()


async def test_two_answers_at_once_are_one_answer(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server, server.client("ana") as ana, server.client("ben") as ben:
        await ana.run(str(server.work / "test.txt"))
        shown, same = await ana.until("tool_approval_request"), await ben.until("tool_approval_request")
        await asyncio.gather(ana.answer(shown, approved=True), ben.answer(same, approved=False))
        ends = await asyncio.gather(ana.until("result"), ben.until("result"))
        assert ends[0] == ends[1]
        told = [each for client in (ana, ben) for each in client.heard if each["type"] == "error"]
        assert len(told) <= 1
        (asked,) = server.gate.store.recent(5)
        assert asked.ruling is not None
        assert (server.work / "test.txt").exists() is (asked.ruling.by == "ana")


async def test_a_second_run_is_refused_while_one_is_under_way(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server, server.client() as client:
        await client.run(str(server.work / "test.txt"))
        request = await client.until("tool_approval_request")
        await client.run(str(server.work / "other.txt"))
        refused = await client.until("error", "run_in_progress")
        assert "stop" in refused["content"]["message"]
        await client.answer(request, approved=True)
        await client.until("result", "success")
        await client.run(str(server.work / "other.txt"))
        await client.answer(await client.until("tool_approval_request"), approved=True)
        await client.until("result", "success")
        assert (server.work / "other.txt").exists()


async def test_stop_ends_the_run_and_its_question_and_the_conversation_may_go_on(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server, server.client("ben", since=0) as client:
        file = server.work / "test.txt"
        await client.run(str(file))
        request = await client.until("tool_approval_request")
        await client.say({"command": "stop"})
        ended = await client.until("result")
        assert ended["subtype"] == "stopped"
        assert "ben" in ended["content"]["message"]
        await client.answer(request, approved=True)
        assert (await client.until("error"))["subtype"] == "already_decided"
        assert not file.exists()
        await client.say({"command": "stop"})
        await client.until("error", "not_running")


async def test_a_run_that_was_stopped_goes_on_when_somebody_continues_it(tmp_path: Path) -> None:
    async def again(play: Play) -> None:
        await play.call("Write", write(play.wanted.prompt), call_id=f"call-{play.wanted.prompt}")

    async with serving(tmp_path, again) as server, server.client() as client:
        await client.run(str(server.work / "a.txt"))
        await client.until("tool_approval_request")
        await client.say({"command": "stop"})
        await client.until("result", "stopped")
        await client.run(str(server.work / "b.txt"), **{"continue": True})
        await client.answer(await client.until("tool_approval_request"), approved=True)
        await client.until("result", "success")
        assert [each.name for each in server.work.iterdir()] == ["b.txt"]


async def test_a_failure_of_the_agent_ends_the_run_and_not_the_server(tmp_path: Path) -> None:
    async def failing(play: Play) -> None:
        raise RuntimeError(play.wanted.prompt)

    async with serving(tmp_path, failing) as server, server.client() as client:
        await client.run("boom")
        ended = await client.until("result", "error")
        assert ended["content"]["message"] == "The run failed: boom"
        await client.run("again")
        await client.until("result", "error")


async def nobody(_message: object) -> None:
    pass


async def test_questions_of_other_programs_are_asked_here_too(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server, server.client() as client:
        other = Scripted(server.settings, server.gate, writing)
        wanted = Wanted(prompt=str(server.work / "x.txt"), go_on=False, mode="interactive", auto_approve_safe=True)
        elsewhere = asyncio.create_task(other.work(wanted, nobody))
        await client.answer(await client.until("tool_approval_request"), approved=True)
        await elsewhere
        other.close()
        assert (server.work / "x.txt").exists()


# Permission modes


@pytest.mark.parametrize(
    ("configured", "bypass", "asked_for", "mode"),
    [
        ("interactive", False, "sdk", "interactive"),
        ("approve_all", False, "sdk", "interactive"),
        ("strict", False, "sdk", "strict"),
        ("interactive", True, "bypassPermissions", "approve_all"),
        ("approve_all", False, "bypassPermissions", "approve_all"),
        ("strict", True, "bypassPermissions", "strict"),
    ],
)
async def test_a_client_can_only_make_the_servers_mode_stricter(
    tmp_path: Path,
    configured: Mode,
    bypass: bool,  # noqa: FBT001 (a column)
    asked_for: str,
    mode: Mode,
) -> None:
    seen: list[str] = []

    async def look(play: Play) -> None:
        seen.append(play.session.gate.mode)

    async with serving(tmp_path, look, mode=configured, allow_bypass=bypass) as server, server.client() as client:
        await client.run(permission_mode=asked_for)
        await client.until("result", "success")
    assert seen == [mode]


@pytest.mark.parametrize(
    ("mode", "code", "says"),
    [
        ("bypassPermissions", "bypass_not_allowed", "server.allow_bypass"),
        ("toolApproval", "no_cli", "choose the permission mode sdk"),
    ],
)
async def test_a_mode_this_server_does_not_have_is_an_error_that_says_how(
    tmp_path: Path, mode: str, code: str, says: str
) -> None:
    async with serving(tmp_path, writing) as server, server.client() as client:
        await client.run(str(server.work / "test.txt"), permission_mode=mode)
        told = await client.until("error", code)
        assert says in told["content"]["message"]
        assert not list(server.work.iterdir())


async def test_auto_execute_runs_without_a_question_where_it_is_allowed(tmp_path: Path) -> None:
    async with serving(tmp_path, writing, allow_bypass=True) as server, server.client() as client:
        await client.run(str(server.work / "test.txt"), permission_mode="bypassPermissions")
        await client.until("result", "success")
        assert (server.work / "test.txt").read_text() == "hello world"
        assert not any(each["type"] == "tool_approval_request" for each in client.heard)


async def test_the_agent_hears_that_reads_are_to_ask(tmp_path: Path) -> None:
    async with serving(tmp_path, reading) as server, server.client() as client:
        (server.work / "a").write_text("")
        await client.run(str(server.work / "a"), auto_approve_safe=False)
        await client.until("result")
        assert isinstance(server.runner, Scripted)
        assert [each.auto_approve_safe for each in server.runner.wanted] == [False]


# Beyond the plain messages


async def test_whoever_counts_is_told_of_which_run_a_message_is_and_nobody_else(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server, server.client(since=0) as counting, server.client() as plain:
        await counting.until("hello")
        await plain.run(str(server.work / "test.txt"))
        await plain.answer(await plain.until("tool_approval_request"), approved=True)
        await counting.until("result")
        await plain.until("result")
        told = [each for each in counting.heard if each["type"] not in ("hello", "run")]
        assert {each["type"] for each in told} >= {"assistant", "tool_approval_request", "tool_approval_ended", "user"}
        assert {each["run"] for each in told} == {"run-1"}
        assert not any("run" in each for each in plain.heard)


async def test_deltas_reach_only_who_counts_and_the_whole_text_follows(tmp_path: Path) -> None:
    async def streaming(play: Play) -> None:
        for piece in ("one ", "two"):
            await play.emit({"type": "assistant", "subtype": "text_delta", "content": {"text": piece}})
        await play.say("one two")

    async with serving(tmp_path, streaming) as server, server.client(since=0) as counting, server.client() as plain:
        await counting.until("hello")
        await plain.run()
        await counting.until("result")
        await plain.until("result")
        assert _texts(counting.heard) == [("text_delta", "one "), ("text_delta", "two"), ("text", "one two")]
        assert _texts(plain.heard) == [("text", "one two")]
        assert not any("seq" in each for each in plain.heard)


def _texts(heard: list[Message]) -> list[tuple[str, str]]:
    return [(each["subtype"], each["content"]["text"]) for each in heard if each["type"] == "assistant"]


async def test_a_number_of_another_process_is_answered_with_all_there_is(tmp_path: Path) -> None:
    async with serving(tmp_path, reading) as server:
        (server.work / "a").write_text("")
        async with server.client() as client:
            await client.run(str(server.work / "a"))
            await client.until("result")
        async with server.client(since=5) as client:
            assert (await client.until("hello"))["content"]["missed"]
            await client.until("result")


async def test_who_answered_and_what_ran_is_on_the_record(tmp_path: Path) -> None:
    async with serving(tmp_path, writing) as server, server.client("ben") as client:
        await client.run(str(server.work / "test.txt"))
        await client.answer(await client.until("tool_approval_request"), approved=True)
        await client.until("result")
        (asked,) = server.gate.store.recent(5)
        assert asked.ruling is not None
        assert asked.ruling.by == "ben"
        assert asked.effect is not None
        assert asked.effect.state is EffectState.DONE
