"""The real agent behind the server, on the real SDK against a scripted model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assent.agent import AnthropicModel
from assent.config import Settings
from assent.gate import Gate
from assent.server import Runner, ServedAgent
from assent.testing import Call, FakeAnthropic, Hold, Say, Turn
from tests.server.served import serving


def agent(fake: FakeAnthropic, folder: Path) -> Callable[[Settings, Gate], Runner]:
    def make(settings: Settings, gate: Gate) -> Runner:
        model = AnthropicModel("claude-sonnet-5-5", api_key="a key", base_url=fake.url)
        return ServedAgent(settings, cwd=folder / "work", gate=gate, model=model)

    return make


def write(folder: Path, name: str = "test.txt", text: str = "hello world") -> Call:
    return Call("Write", {"file_path": str(folder / "work" / name), "content": text})


async def test_a_prompt_becomes_a_file_when_a_plain_client_approves(tmp_path: Path) -> None:
    turns = Turn(Say("I'll create that file for you."), write(tmp_path)), Turn(Say("Done!"))
    with FakeAnthropic(*turns) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("Create a file called test.txt with 'hello world'")
            request = await client.until("tool_approval_request")
            assert request["diff_lines"][-1] == "+hello world"
            await client.answer(request, approved=True)
            await client.until("result", "success")
            assert (server.work / "test.txt").read_text() == "hello world"
            told = [each["content"] for each in client.heard if each["type"] == "user"]
            assert told[0]["content"] == f"Wrote 11 characters to {server.work / 'test.txt'}"
            texts = [each["content"]["text"] for each in client.heard if each.get("subtype") == "text"]
            assert texts == ["I'll create that file for you.", "Done!"]


async def test_half_a_character_of_the_model_reaches_every_client_and_ends_none(tmp_path: Path) -> None:
    with FakeAnthropic(Turn(Say("h\u00e9 \ud83d")), Turn(Say("Fine."))) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client(since=0) as client:
            await client.run("Say it.")
            assert (await client.until("assistant", "text"))["content"]["text"] == "h\u00e9 \ud83d"
            await client.until("result", "success")
            async with server.client("ben", since=0) as later:
                assert (await later.until("assistant", "text"))["content"]["text"] == "h\u00e9 \ud83d"
                await later.until("result", "success")
                await later.run("And now?", **{"continue": True})
                assert (await later.until("assistant", "text"))["content"]["text"] == "Fine."


async def test_a_folder_whose_name_is_no_text_is_worked_in_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "caf\udce9"
    (folder / "work").mkdir(parents=True)
    for go_on in (False, True):
        with FakeAnthropic(Turn(Say("Fine."))) as fake:
            async with serving(tmp_path, runner=agent(fake, folder)) as server, server.client(since=0) as client:
                assert (await client.until("hello"))["content"]["cwd"] == str(folder / "work")
                await client.run("Go.", **{"continue": go_on})
                await client.until("result", "success")
            sent: Any = fake.requests[0].body
            assert r"caf\udce9" in sent["system"][0]["text"]
            assert len(sent["messages"]) == (3 if go_on else 1)


async def test_a_prompt_without_a_word_is_in_nobodys_way(tmp_path: Path) -> None:
    with FakeAnthropic(Turn(Say("One.")), Turn(Say("Two."))) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("Count.")
            await client.until("result", "success")
            await client.run("  ", auto_approve_safe=False)
            assert "the prompt is empty" in (await client.until("result", "error"))["content"]["message"]
            await client.run("Go on.", **{"continue": True})
            await client.until("result", "success")
    sent: Any = fake.requests[1].body
    assert sent["messages"][0]["content"] == "Count."


async def test_all_that_a_plain_client_hears_from_prompt_to_file(tmp_path: Path) -> None:
    turns = Turn(Say("I'll create that file for you."), write(tmp_path)), Turn(Say("Done!"))
    with FakeAnthropic(*turns) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("Create a file called test.txt with 'hello world'")
            request = await client.until("tool_approval_request")
            await client.answer(request, approved=True)
            await client.until("result")
    path = str(tmp_path / "work" / "test.txt")
    given = {"file_path": path, "content": "hello world"}
    call = request["tool_use_id"]
    assert client.heard == [
        {"type": "assistant", "subtype": "text", "content": {"text": "I'll create that file for you."}},
        {"type": "assistant", "subtype": "tool_use", "content": {"id": call, "name": "Write", "input": given}},
        {
            "type": "tool_approval_request",
            "request_id": request["request_id"],
            "tool_name": "Write",
            "tool_input": given,
            "tool_use_id": call,
            "preview_type": "diff",
            "preview_data": {"file_path": path, "is_new_file": True, "original_lines": 0, "new_lines": 1},
            "file_path": path,
            "original_content": "",
            "new_content": "hello world",
            "diff_lines": [f"--- a/{path}", f"+++ b/{path}", "@@ -0,0 +1 @@", "+hello world"],
        },
        {
            "type": "user",
            "subtype": "tool_result",
            "content": {"tool_use_id": call, "content": f"Wrote 11 characters to {path}", "is_error": False},
        },
        {"type": "assistant", "subtype": "text", "content": {"text": "Done!"}},
        {"type": "result", "subtype": "success", "content": {"message": "Conversation complete"}},
    ]


async def test_all_that_a_plain_client_hears_of_a_rejection(tmp_path: Path) -> None:
    with FakeAnthropic(Turn(write(tmp_path)), Turn(Say("I will not."))) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("go")
            request = await client.until("tool_approval_request")
            await client.answer(request, approved=False, feedback="Use X")
            await client.until("result")
    call = request["tool_use_id"]
    told = {"tool_use_id": call, "content": "User rejected: Use X", "is_error": True}
    assert client.heard[2:] == [
        {"type": "user", "subtype": "tool_result", "content": told},
        {"type": "assistant", "subtype": "text", "content": {"text": "I will not."}},
        {"type": "result", "subtype": "success", "content": {"message": "Conversation complete"}},
    ]
    (sent,) = fake.requests[1].body["messages"][-1]["content"]  # type: ignore[index]
    del sent["cache_control"]
    assert sent == {"type": "tool_result", "tool_use_id": call, "content": "User rejected: Use X", "is_error": True}


async def test_a_rejection_reaches_the_model_and_it_adapts(tmp_path: Path) -> None:
    turns = Turn(write(tmp_path)), Turn(write(tmp_path, "other.txt")), Turn(Say("Done!"))
    with FakeAnthropic(*turns) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("go")
            first = await client.until("tool_approval_request")
            await client.answer(first, approved=False, feedback="Use other.txt")
            await client.answer(await client.until("tool_approval_request"), approved=True)
            await client.until("result", "success")
            assert [each.name for each in server.work.iterdir()] == ["other.txt"]
            assert "User rejected: Use other.txt" in str(fake.requests[1].body["messages"])


async def test_a_question_is_shown_while_the_model_still_speaks(tmp_path: Path) -> None:
    hold = Hold()
    turns = Turn(write(tmp_path), hold, write(tmp_path, "two.txt")), Turn(Say("Done!"))
    with FakeAnthropic(*turns) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client(since=0) as client:
            await client.run("go")
            first = await client.until("tool_approval_request")
            assert not hold.event.is_set()
            await client.answer(first, approved=True)
            await client.until("tool_approval_ended")
            assert not list(server.work.iterdir())
            hold.event.set()
            await client.answer(await client.until("tool_approval_request"), approved=True)
            await client.until("result", "success")
            assert len(list(server.work.iterdir())) == 2


async def test_a_conversation_goes_on_after_the_server_was_started_again(tmp_path: Path) -> None:
    with FakeAnthropic(Turn(Say("First."))) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("remember this")
            await client.until("result", "success")
        fake.add(Turn(Say("Second.")), Turn(Say("Third.")))
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("what was it?", **{"continue": True})
            await client.until("result", "success")
            await client.run("something new")
            await client.until("result", "success")
        said = [[str(each["content"]) for each in request.body["messages"]] for request in fake.requests]  # type: ignore[attr-defined]
        assert "remember this" in said[1][0]
        assert len(said[2]) == 1


async def test_reads_ask_where_the_client_wants_it_so(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    turns = Turn(Call("Read", {"file_path": str(file)})), Turn(Say("Done!"))
    with FakeAnthropic(*turns, *turns) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            file.write_text("what is in it")
            await client.run("read it")
            await client.until("result", "success")
            assert not any(each["type"] == "tool_approval_request" for each in client.heard)
            await client.run("read it", auto_approve_safe=False)
            request = await client.until("tool_approval_request")
            assert (request["tool_name"], request["preview_type"]) == ("Read", "generic")
            await client.answer(request, approved=True)
            await client.until("result", "success")


async def test_stop_in_the_middle_of_a_question_writes_nothing(tmp_path: Path) -> None:
    with FakeAnthropic(Turn(write(tmp_path))) as fake:
        async with serving(tmp_path, runner=agent(fake, tmp_path)) as server, server.client() as client:
            await client.run("go")
            await client.until("tool_approval_request")
            await client.say({"command": "stop"})
            ended = await client.until("result")
            assert "ana" in ended["content"]["message"]
            assert not list(server.work.iterdir())


async def test_auto_execute_asks_nobody_where_the_server_allows_it(tmp_path: Path) -> None:
    turns = Turn(write(tmp_path)), Turn(Say("Done!"))
    with FakeAnthropic(*turns) as fake:
        async with (
            serving(tmp_path, runner=agent(fake, tmp_path), allow_bypass=True) as server,
            server.client() as client,
        ):
            await client.run("go", permission_mode="bypassPermissions")
            await client.until("result", "success")
            assert (server.work / "test.txt").exists()
            assert not any(each["type"] == "tool_approval_request" for each in client.heard)
