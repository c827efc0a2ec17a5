"""What an agent does when its model's server is well."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from inline_snapshot import snapshot

from assent.agent import (
    AgentConfig,
    AgentRunner,
    Text,
    TextDelta,
    ToolResult,
    ToolUse,
)
from assent.config import Agent, Approvals, Prices, Sandbox, SandboxPath, Settings
from assent.errors import ConfigError, GateFailed, InvalidArguments
from assent.functions import requires_approval
from assent.gate import Gate
from assent.model import (
    ApprovalRequest,
    Approve,
    Pending,
    Permit,
    Preview,
    Reject,
    Respond,
    ToolCall,
    arguments_preview,
)
from assent.store import SQLiteStore
from assent.testing import Answers, Call, FakeAnthropic, Hold, Say, Think, Turn
from tests.agent.kit import an_agent, model_at, settings_at

YES = Approve(by="ana")


def write(path: Path, content: str = "hello world", call_id: str = "toolu_1") -> Call:
    return Call("Write", {"file_path": str(path), "content": content}, id=call_id)


async def test_the_automated_test_of_the_document(tmp_path: Path) -> None:
    hosts = tmp_path / "hostname"
    hosts.write_text("box\n")
    script = (Turn(Say("Reading."), Call("Read", {"file_path": str(hosts)})), Turn(Say("It is box.")))
    with FakeAnthropic(*script) as server:
        config = AgentConfig(cwd=tmp_path, auto_approve_read=True, model=model_at(server))
        store = tmp_path.parent / f"{tmp_path.name}-state" / "assent.db"
        with AgentRunner(config, settings=Settings(store=store)) as runner:
            events: list[Mapping[str, object]] = []
            await runner.run_prompt(
                prompt=f"Read the file {hosts}",
                on_event=lambda e: events.append(e),  # noqa: PLW0108 — as it stands there
            )
    assert any(e.get("subtype") == "tool_use" for e in events)
    assert any(e.get("subtype") == "tool_result" for e in events)


async def test_a_prompt_becomes_a_file_once_a_person_agreed(tmp_path: Path) -> None:
    file = tmp_path / "work" / "test_sdk.txt"
    approver = Answers(YES)
    with an_agent(tmp_path, Turn(Say("I'll create it."), write(file)), Turn(Say("Done!")), approver=approver) as desk:
        result = await desk.run("Create it.")
    assert (result.status, result.text) == ("success", "Done!")
    assert file.read_text() == "hello world"
    assert [each.call.tool_name for each in approver.asked] == ["Write"]
    assert desk.answers(1) == [
        {
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "content": f"Wrote 11 characters to {file}",
            "is_error": False,
        }
    ]


async def test_a_rejection_is_an_answer_in_the_persons_words_and_the_agent_adapts(tmp_path: Path) -> None:
    first, second = tmp_path / "work" / "a.txt", tmp_path / "work" / "b.txt"
    script = Turn(write(first)), Turn(write(second, call_id="toolu_2")), Turn(Say("Done."))
    approver = Answers(Reject(note="Use X", by="ana"), YES)
    with an_agent(tmp_path, *script, approver=approver) as desk:
        result = await desk.run()
    assert result.status == "success"
    assert result.refused == 1
    assert not first.exists()
    assert second.exists()
    assert desk.answers(1) == [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "User rejected: Use X", "is_error": True}
    ]


async def test_reads_run_without_a_question_unless_they_shall_ask(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "a.txt"
    file.write_text("one\n")
    calls = Call("Read", {"file_path": str(file)}), Call("Glob", {"pattern": "*"}), Call("Grep", {"pattern": "one"})
    approver = Answers(YES)
    with an_agent(tmp_path, Turn(*calls), Turn(Say(".")), approver=approver) as desk:
        await desk.run()
    assert approver.asked == []
    assert [each.is_error for each in desk.results] == [False] * 3
    with an_agent(
        tmp_path, Turn(*calls), Turn(Say(".")), approver=approver, config={"auto_approve_read": False}
    ) as desk:
        await desk.run()
    assert [each.call.tool_name for each in approver.asked] == ["Read", "Glob", "Grep"]


async def test_a_caller_cannot_take_back_that_reads_ask(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    approver = Answers(Reject(by="ana"))
    settings = settings_at(tmp_path, auto_approve_read=False)
    script = Turn(Call("Glob", {"pattern": "*"})), Turn(Say("."))
    with an_agent(tmp_path, *script, approver=approver, settings=settings, config={"auto_approve_read": True}) as desk:
        await desk.run()
    assert len(approver.asked) == 1


async def test_several_calls_are_answered_in_one_message_and_in_order(tmp_path: Path) -> None:
    files = [tmp_path / "work" / f"{name}.txt" for name in "abc"]
    calls = [write(file, call_id=f"toolu_{file.stem}") for file in files]
    approver = Answers(YES, Reject(by="ana"), YES)
    with an_agent(tmp_path, Turn(*calls), Turn(Say("Done.")), approver=approver) as desk:
        await desk.run()
    assert [(each["tool_use_id"], each["is_error"]) for each in desk.answers(1)] == [
        ("toolu_a", False),
        ("toolu_b", True),
        ("toolu_c", False),
    ]
    assert [file.exists() for file in files] == [True, False, True]


async def test_a_call_that_needs_what_the_call_before_it_makes_finds_it(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    edit = Call("Edit", {"file_path": str(file), "old_string": "hello", "new_string": "bye"})
    with an_agent(tmp_path, Turn(write(file), edit), Turn(Say("Done.")), approver=Answers(YES)) as desk:
        await desk.run()
    assert file.read_text() == "bye world"
    assert [each.is_error for each in desk.results] == [False, False]


async def test_a_question_is_asked_while_the_rest_of_the_turn_still_streams(tmp_path: Path) -> None:
    file, hold, seen = tmp_path / "work" / "a.txt", Hold(), threading.Event()

    def look(pending: Pending) -> Approve:
        assert not hold.event.is_set()
        assert not file.exists()
        seen.set()
        hold.event.set()
        return YES

    script = Turn(write(file), hold, Say("And so on.")), Turn(Say("Done."))
    with an_agent(tmp_path, *script, approver=Answers(look)) as desk:
        await desk.run()
    assert seen.is_set()
    assert file.exists()
    kinds = [type(each) for each in desk.events]
    assert kinds.index(ToolUse) < kinds.index(TextDelta) < kinds.index(ToolResult)


async def test_nothing_runs_before_the_turn_has_ended(tmp_path: Path) -> None:
    file, hold, answered = tmp_path / "work" / "a.txt", Hold(), asyncio.Event()
    there: list[bool] = []

    async def ask(_pending: Pending) -> bool:
        answered.set()
        return True

    script = Turn(write(file), hold, Say("And so on.")), Turn(Say("Done."))
    with an_agent(tmp_path, *script) as desk:
        running = asyncio.create_task(desk.runner.run("Go.", None, ask))
        await answered.wait()
        there.append(file.exists())
        hold.event.set()
        await running
    assert there == [False]
    assert file.exists()


async def test_text_comes_in_pieces_and_then_whole(tmp_path: Path) -> None:
    with an_agent(tmp_path, Turn(Say("The quick brown fox."))) as desk:
        await desk.run()
    pieces = [each.text for each in desk.events if isinstance(each, TextDelta)]
    assert len(pieces) > 1
    assert "".join(pieces) == "The quick brown fox."
    assert [each.text for each in desk.events if isinstance(each, Text)] == ["The quick brown fox."]


async def test_the_messages_of_a_run(tmp_path: Path) -> None:
    file = tmp_path / "work" / "test.txt"
    messages: list[Mapping[str, object]] = []

    async def send(message: Mapping[str, object]) -> None:
        if not str(message["subtype"]).endswith("_delta"):
            messages.append(message)

    def sane(value: object) -> object:
        return str(value).replace(str(tmp_path), "/path").replace(desk.runner.conversation.id, "the id")

    script = Turn(Say("I'll create that file for you."), write(file)), Turn(Say("Done."))
    with an_agent(tmp_path, *script) as desk:
        await desk.runner.run_prompt("Create it.", send, lambda _pending: True)
    assert [sane(each) for each in messages] == snapshot(
        [
            "{'type': 'assistant', 'subtype': 'text', 'content': {'text': \"I'll create that file for you.\"}}",
            "{'type': 'assistant', 'subtype': 'tool_use_start', 'content': {'id': 'toolu_1', 'name': 'Write'}}",
            "{'type': 'assistant', 'subtype': 'tool_use', 'content': {'id': 'toolu_1', 'name': 'Write', 'input': {'file_path': '/path/work/test.txt', 'content': 'hello world'}}}",
            "{'type': 'user', 'subtype': 'tool_result', 'content': {'tool_use_id': 'toolu_1', 'content': 'Wrote 11 characters to /path/work/test.txt', 'is_error': False}}",
            "{'type': 'assistant', 'subtype': 'text', 'content': {'text': 'Done.'}}",
            "{'type': 'system', 'subtype': 'usage', 'content': {'input_tokens': 20, 'output_tokens': 10, 'cache_read_tokens': 0, 'cache_write_tokens': 0, 'requests': 2, 'cost': None, 'conversation': 'the id'}}",
            "{'type': 'result', 'subtype': 'success', 'content': {'message': 'Conversation complete'}}",
        ]
    )


async def test_thinking_goes_back_with_its_signature(tmp_path: Path) -> None:
    script = Turn(Think("Hm.", "sig-1"), Call("Glob", {"pattern": "*"}, id="toolu_1")), Turn(Say("."))
    with an_agent(tmp_path, *script) as desk:
        await desk.run()
    assert desk.sent(1)[1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "sig-1"},
        {"type": "tool_use", "id": "toolu_1", "name": "Glob", "input": {"pattern": "*"}},
    ]


async def test_what_the_model_is_told(tmp_path: Path) -> None:
    config = {"max_tokens": 99, "system_prompt": "Speak Spanish."}
    with an_agent(tmp_path, Turn(Say(".")), config=config) as desk:
        await desk.run("Hello")
    body = desk.server.requests[0].body
    assert (body["model"], body["max_tokens"], body["stream"]) == ("claude-sonnet-5-5", 99, True)
    (system,) = cast("list[dict[str, str]]", body["system"])
    assert str(desk.work) in system["text"]
    assert system["text"].endswith("Speak Spanish.")
    tools = body["tools"]
    assert isinstance(tools, list)
    assert [each["name"] for each in tools] == snapshot(
        ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "Bash", "Task"]
    )
    assert all(each["input_schema"]["type"] == "object" and each["description"] for each in tools)


async def test_a_conversation_goes_on_with_the_next_prompt_and_fresh_begins_another(tmp_path: Path) -> None:
    with an_agent(tmp_path, Turn(Say("One.")), Turn(Say("Two.")), Turn(Say("Three."))) as desk:
        await desk.run("first")
        await desk.run("second")
        await desk.runner.run("third", fresh=True)
    assert [each["role"] for each in desk.sent(1)] == ["user", "assistant", "user"]
    assert desk.sent(2) == [{"role": "user", "content": "third"}]


async def test_a_tool_is_one_class_or_one_function(tmp_path: Path) -> None:
    @requires_approval(description=lambda args: f"Book a flight to {args['city']}")
    def book_flight(city: str, seats: int = 1) -> dict[str, object]:
        """Book a flight."""
        return {"city": city, "seats": seats}

    approver = Answers(YES)
    script = Turn(Call("book_flight", {"city": "Lima"})), Turn(Say("."))
    with an_agent(tmp_path, *script, approver=approver, tools=(book_flight,)) as desk:
        await desk.run()
    assert approver.asked[0].request.description == "Book a flight to Lima"
    assert desk.results[0].content == '{"city": "Lima", "seats": 1}'
    tools = desk.server.requests[0].body["tools"]
    assert isinstance(tools, list)
    (mine,) = [each for each in tools if each["name"] == "book_flight"]
    assert mine["description"] == "Book a flight."
    assert mine["input_schema"]["required"] == ["city"]


async def test_a_tool_that_breaks_is_told_to_the_model_and_the_run_goes_on(tmp_path: Path) -> None:
    def explode() -> None:
        message = "boom"
        raise ValueError(message)

    script = Turn(Call("explode"), Call("NoSuchTool"), Call("Read", {})), Turn(Say("Oh."))
    with an_agent(tmp_path, *script, approver=Answers(YES), tools=(explode,)) as desk:
        result = await desk.run()
    assert result.status == "success"
    first, second, third = (each.content for each in desk.results)
    assert first == "Error: ValueError: boom"
    assert second.startswith("Unknown tool: ")
    assert third == "Error: Read: file_path is missing"


async def test_a_person_may_answer_in_the_tools_place_or_change_the_call(tmp_path: Path) -> None:
    file, other = tmp_path / "work" / "a.txt", tmp_path / "work" / "b.txt"
    answers = Answers(
        Respond(result="there is one already", by="ana"),
        Approve(override_args={"file_path": str(other), "content": "mine"}, by="ana"),
    )
    with an_agent(
        tmp_path, Turn(write(file), write(file, call_id="toolu_2")), Turn(Say(".")), approver=answers
    ) as desk:
        await desk.run()
    assert not file.exists()
    assert other.read_text() == "mine"
    assert desk.results[0].content == "there is one already"
    assert str(other) in desk.results[1].content


async def test_a_person_who_stops_the_run_ends_it_and_may_go_on_later(tmp_path: Path) -> None:
    file, other = tmp_path / "work" / "a.txt", tmp_path / "work" / "b.txt"
    script = (
        Turn(write(file), write(file, call_id="toolu_2")),
        Turn(write(other, call_id="toolu_3")),
        Turn(Say("Again.")),
    )
    with an_agent(tmp_path, *script, approver=Answers(Reject(stop=True, note="enough", by="ana"), YES)) as desk:
        result = await desk.run()
        assert (result.status, result.message) == ("stopped", "the run was stopped by ana: enough")
        assert len(desk.server.requests) == 1
        later = await desk.run("And now?")
    assert later.status == "success"
    assert (file.exists(), other.exists()) == (False, True)
    assert [each["is_error"] for each in desk.sent(1)[2]["content"]] == [True, True]


async def test_an_answer_that_is_no_answer_refuses(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    with an_agent(tmp_path, Turn(write(file)), Turn(Say("."))) as desk:
        await desk.runner.run("Go.", desk.events.append, lambda _pending: "yes")  # type: ignore[arg-type,return-value]
    assert not file.exists()
    assert desk.results[0].is_error


async def test_without_anybody_to_ask_here_the_question_waits_for_whoever_reads_the_desk(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    with (
        an_agent(tmp_path, Turn(write(file)), Turn(Say("."))) as desk,
        closing(SQLiteStore(tmp_path / "state" / "assent.db")) as elsewhere,
    ):
        running = asyncio.create_task(desk.run())
        while not elsewhere.desk():  # noqa: ASYNC110 — another process could not be told either
            await asyncio.sleep(0.01)
        (question,) = elsewhere.desk()
        Gate(store=elsewhere).answer(question.id, YES)
        assert (await running).status == "success"
    assert file.exists()


async def test_a_question_that_nobody_answers_in_time_is_not_run_and_the_model_is_told(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    settings = replace(settings_at(tmp_path), approvals=Approvals(timeout=0.01))
    with an_agent(tmp_path, Turn(write(file)), Turn(Say("Pity.")), settings=settings) as desk:
        result = await desk.run()
    assert (result.status, result.refused) == ("success", 1)
    assert not file.exists()
    assert (desk.results[0].code, desk.results[0].is_error) == ("expired", True)


async def test_one_prompt_at_a_time(tmp_path: Path) -> None:
    hold = Hold()
    with an_agent(tmp_path, Turn(Say("a"), hold), Turn(Say("b"))) as desk:
        first = asyncio.create_task(desk.run())
        await asyncio.to_thread(hold.reached.wait)
        with pytest.raises(GateFailed, match="another prompt"):
            await desk.run()
        hold.event.set()
        assert (await first).status == "success"


async def test_tokens_are_counted_over_turns_and_cost_what_they_cost(tmp_path: Path) -> None:
    settings = settings_at(tmp_path, prices=Prices(input=2.0, output=10.0))
    script = (
        Turn(Call("Glob", {"pattern": "*"}), input_tokens=1000, output_tokens=100),
        Turn(Say("."), input_tokens=2000, output_tokens=200),
    )
    with an_agent(tmp_path, *script, settings=settings) as desk:
        result = await desk.run()
    assert (result.usage.input_tokens, result.usage.output_tokens, result.usage.requests) == (3000, 300, 2)
    assert result.cost == pytest.approx((3000 * 2 + 300 * 10) / 1e6)


async def test_a_run_ends_after_as_many_turns_as_it_may_take(tmp_path: Path) -> None:
    script = [Turn(Call("Glob", {"pattern": "*"})) for _ in range(5)]
    with an_agent(tmp_path, *script, settings=settings_at(tmp_path, max_turns=3)) as desk:
        result = await desk.run()
    assert result.status == "failed"
    assert "max_turns" in result.message
    assert len(desk.server.requests) == 3


async def test_the_record_may_not_lie_where_the_agent_works(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path / "state" / "assent.db")
    with pytest.raises(ConfigError, match="rewrite its own approvals"):
        AgentRunner(AgentConfig(cwd=tmp_path, model="offline"), settings=settings)


async def test_the_roots_of_the_configuration_hold(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("A\n")
    settings = Settings(
        store=tmp_path / "state" / "assent.db",
        sandbox=Sandbox(paths={"docs": SandboxPath(root=tmp_path / "docs", mode="ro")}),
        agent=Agent(),
    )
    reads = Call("Read", {"file_path": str(tmp_path / "docs" / "a.md")})
    script = Turn(reads, write(tmp_path / "work" / "a.txt"), write(tmp_path / "docs" / "a.md", call_id="toolu_2"))
    with an_agent(tmp_path, script, Turn(Say(".")), approver=Answers(YES), settings=settings) as desk:
        await desk.run()
    assert [each.is_error for each in desk.results] == [False, True, True]
    assert (tmp_path / "docs" / "a.md").read_text() == "A\n"


async def test_what_cannot_be_spelled_does_not_end_the_conversation(tmp_path: Path) -> None:
    def odd() -> str:
        return "a file named \udcff"

    with an_agent(tmp_path, Turn(Call("odd")), Turn(Say(".")), approver=Answers(YES), tools=(odd,)) as desk:
        result = await desk.run("half a \ud83d character")
    assert result.status == "success"
    assert desk.results[0].content == r"a file named \udcff"
    assert desk.sent(1)[0]["content"] == r"half a \ud83d character"


async def test_a_result_that_is_too_long_is_cut_with_a_count(tmp_path: Path) -> None:
    def long() -> str:
        return "x" * 300_000

    with an_agent(tmp_path, Turn(Call("long")), Turn(Say(".")), approver=Answers(YES), tools=(long,)) as desk:
        await desk.run()
    assert desk.results[0].content.endswith("[… 100000 of 300000 characters are cut here; ask for a smaller part …]")


class Painter:
    """A tool that takes its time to draw."""

    name = "paint"

    def check_approval(self, call: ToolCall, /) -> ApprovalRequest:
        return ApprovalRequest(description=f"paint {call.args['strokes']}")

    async def preview(self, call: ToolCall, /) -> Preview:
        for _ in range(int(str(call.args["strokes"]))):
            await asyncio.sleep(0)
        return arguments_preview(call)

    async def run(self, _permit: Permit, /) -> object:
        return "painted"


async def test_questions_come_in_the_order_of_the_calls_however_long_each_is_drawn(tmp_path: Path) -> None:
    calls = [Call("paint", {"strokes": strokes}) for strokes in (300, 20, 1)]
    asked: list[object] = []

    def ask(pending: Pending) -> bool:
        asked.append(pending.call.args["strokes"])
        return True

    with an_agent(
        tmp_path,
        Turn(*calls),
        Turn(
            Say("."),
        ),
        tools=(Painter(),),
    ) as desk:
        await desk.runner.run("Go.", desk.events.append, ask)
    assert asked == [300, 20, 1]
    assert [each.content for each in desk.results] == ["painted"] * 3


async def test_an_empty_prompt_is_not_said(tmp_path: Path) -> None:
    with an_agent(tmp_path) as desk:
        with pytest.raises(InvalidArguments, match="the prompt is empty"):
            await desk.run(" \n")
        assert desk.runner.conversation.messages == []
