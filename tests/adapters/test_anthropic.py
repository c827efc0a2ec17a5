"""The Anthropic SDK behind the gate: single tools, its runner, loops of one's own, and what goes wrong."""

import asyncio
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import BetaBuiltinFunctionTool, ToolError, beta_async_tool, beta_tool
from pydantic import BaseModel, SecretStr

from assent import Approve, Gate, Reject, Respond, requires_approval
from assent.adapters.anthropic import Gated, gated
from assent.adapters.anthropic._arguments import Shape
from assent.adapters.anthropic._calls import Settings
from assent.adapters.anthropic._run import Run
from assent.errors import Stopped
from assent.model import Allow, ApprovalDecision, Deny, Fixed, Pending
from assent.testing import Answers, Call, FakeAnthropic, Say, Turn, memory_store

ASK: dict[str, Any] = {"model": "scripted", "max_tokens": 99, "messages": [{"role": "user", "content": "go"}]}
DONE = Turn(Say("done"))


def asking(*answers: ApprovalDecision, **options: Any) -> tuple[Gate, Answers]:  # noqa: ANN401 — as the gate has them
    person = Answers(*answers)
    return Gate(approver=person, store=memory_store(), **options), person


class Notes:
    """Tools that write down what they did."""

    def __init__(self) -> None:
        self.wrote: list[object] = []

        @beta_tool
        def note(text: str, times: int = 1) -> str:
            """Write a note."""
            self.wrote.extend([text] * times)
            return f"wrote {text}"

        @beta_async_tool
        async def anote(text: str) -> str:
            """Write a note, later."""
            await asyncio.sleep(0)
            self.wrote.append(text)
            return f"wrote {text}"

        self.note, self.anote = note, anote


def note(text: str, call_id: str = "toolu_1") -> Call:
    return Call("note", {"text": text}, id=call_id)


@pytest.fixture
def notes() -> Notes:
    return Notes()


def results(server: FakeAnthropic) -> list[dict[str, Any]]:
    messages: Any = server.requests[-1].body["messages"]
    return [
        block
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


def run(server: FakeAnthropic, tools: Any, behind: Gated | None = None, **options: Any) -> None:  # noqa: ANN401
    with Anthropic(base_url=server.url, api_key="any") as client:
        runner: Any = client.beta.messages.tool_runner(**ASK, tools=tools, thread=False, **options)
        for item in behind.run(runner) if behind else runner:
            if options.get("stream"):
                list(item)


# A single tool


def test_a_tool_behind_the_gate_is_described_and_called_as_before(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Approve(override_args={"text": "b", "times": 2}), Reject(note="not c"), Respond(result=[1]))
    server.add(Turn(note("a")), Turn(note("c", "toolu_2")), Turn(note("d", "toolu_3")), DONE)
    tool = gated(notes.note, gate)
    assert tool.to_dict() == notes.note.to_dict()
    run(server, [tool])
    assert notes.wrote == ["b", "b"]
    assert dict(person.asked[0].call.args) == {"text": "a", "times": 1}
    edited, rejected, answered = results(server)
    assert edited["content"].startswith("A person changed this call")
    assert (rejected["is_error"], "not c" in rejected["content"]) == (True, True)
    assert answered["content"] == "[1]"


def test_called_without_a_runner_a_refusal_is_the_sdks_own_error(notes: Notes) -> None:
    gate, _ = asking(Reject(note="not today"))
    with pytest.raises(ToolError, match="not today"):
        gated(notes.note, gate).call({"text": "a"})
    with pytest.raises(ToolError, match="are an object"):
        gated(notes.note, gate).call("a")
    assert notes.wrote == []


async def test_the_policy_of_a_function_speaks_for_its_tool_unless_another_is_given(notes: Notes) -> None:
    @requires_approval(description="Post it")
    async def post(text: str) -> str:
        return text

    gate, person = asking(Approve())
    tool = beta_async_tool(post)
    assert await gated(tool, gate).call({"text": "a"}) == "a"
    assert await gated(tool, gate, policy=Fixed(Allow(reason="free"))).call({"text": "a"}) == "a"
    assert [pending.request.description for pending in person.asked] == ["Post it"]


def test_a_tool_that_is_no_function_passes_the_gate_too() -> None:
    class Memory(BetaBuiltinFunctionTool):
        def to_dict(self) -> Any:  # noqa: ANN401
            return {"type": "memory_20250818", "name": "memory"}

        def call(self, input: object) -> str:  # noqa: A002
            return f"did {input}"

    gate, person = asking(Approve(), Reject())
    tool = gated(Memory(), gate)
    assert tool.call({"command": "view", "path": "/"}) == "did {'command': 'view', 'path': '/'}"
    assert person.asked[0].call.tool_name == "memory"
    with pytest.raises(ToolError, match="User rejected"):
        tool.call({"command": "view", "path": "/"})


def test_what_the_gate_cannot_stand_in_for_is_refused() -> None:
    gate, _ = asking()
    raw: Any = {"name": "web_search", "type": "web_search_20250305"}
    with pytest.raises(TypeError, match="no tool that can be put behind a gate"):
        Gated(gate).tools(raw)


# Arguments


class Place(BaseModel):
    city: str
    when: date


def test_arguments_are_shown_as_data_and_reach_the_function_as_it_takes_them() -> None:
    seen: list[object] = []

    @beta_tool
    def book(place: Place, seats: int = 1, **more: str) -> str:
        """Book a journey."""
        seen.append((place, seats, more))
        return "booked"

    gate, person = asking(Approve())
    gated(book, gate).call({"place": {"city": "Rome", "when": "2026-11-15"}, "seats": "2", "class": "first"})
    (pending,) = person.asked
    assert dict(pending.call.args) == {
        "place": {"city": "Rome", "when": "2026-11-15"},
        "seats": 2,
        "class": "first",
    }
    assert seen == [(Place(city="Rome", when=date(2026, 11, 15)), 2, {"class": "first"})]


def test_arguments_that_cannot_be_written_whole_are_refused() -> None:
    seen: list[object] = []

    @beta_tool
    def login(password: SecretStr) -> str:
        """Log in."""
        seen.append(password)
        return "in"

    gate, person = asking(Approve())
    with pytest.raises(ToolError, match="not written whole"):
        gated(login, gate).call({"password": "hunter2"})
    assert (person.asked, seen) == ([], [])


def test_blocks_of_a_result_come_after_what_a_person_changed() -> None:
    @beta_tool
    def show(name: str) -> list[Any]:
        """Show a picture."""
        return [{"type": "text", "text": name}]

    gate, _ = asking(Approve(override_args={"name": "b"}))
    blocks: Any = gated(show, gate).call({"name": "a"})
    assert "A person changed this call" in blocks[0]["text"]
    assert blocks[1] == {"type": "text", "text": "b"}


# The runner


@pytest.mark.parametrize("stream", [False, True])
def test_whoever_stops_the_run_ends_it_before_the_next_request(
    notes: Notes,
    server: FakeAnthropic,
    stream: bool,  # noqa: FBT001
) -> None:
    gate, _ = asking(Approve(), Reject(note="enough", stop=True))
    server.add(Turn(note("a"), note("b", "toolu_2"), note("c", "toolu_3")), DONE)
    behind = Gated(gate)
    with pytest.raises(Stopped, match="enough"):
        run(server, behind.tools(notes.note), behind, stream=stream)
    assert (len(server.requests), notes.wrote) == (1, [])


async def test_a_rejection_that_ends_the_run_ends_an_asynchronous_one_too(notes: Notes, server: FakeAnthropic) -> None:
    gate, _ = asking(Reject(note="enough"))
    behind = Gated(gate, on_reject="stop")
    server.add(Turn(Call("anote", {"text": "a"}, id="toolu_1")), DONE)
    async with AsyncAnthropic(base_url=server.url, api_key="any") as client:
        runner: Any = client.beta.messages.tool_runner(**ASK, tools=behind.tools(notes.anote), thread=False)
        with pytest.raises(Stopped, match="enough"):
            async for _ in behind.run(runner):
                pass
    assert (len(server.requests), notes.wrote) == (1, [])


async def test_a_call_approved_in_the_moment_the_run_was_stopped_is_not_left_as_started(notes: Notes) -> None:
    class Program(Answers):
        def at_once(self, _pending: Pending, /) -> ApprovalDecision:
            loop.stopped = Stopped(by="somebody else")  # as another call of the run, in another thread, would
            return Approve()

    gate = Gate(approver=Program(Approve()), store=memory_store())
    loop = Run(Settings(gate=gate))
    with pytest.raises(Stopped):
        await loop.admit(Shape(notes.anote), {"text": "a"})
    assert [entry.kind for entry in gate.store.journal()] == ["asked", "approved", "started", "failed"]


def test_the_same_call_twice_in_a_turn_is_two_questions(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Approve())
    server.add(Turn(note("a"), note("a", "toolu_2")), DONE)
    behind = Gated(gate)
    run(server, behind.tools(notes.note), behind)
    assert [pending.call.metadata["tool_call_id"] for pending in person.asked] == ["toolu_1", "toolu_2"]
    assert len({pending.call.group_id for pending in person.asked}) == 1
    assert person.asked[0].call.group_id
    assert notes.wrote == ["a", "a"]


def test_tools_that_run_while_the_reply_still_streams_pass_the_gate(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Reject(), Approve())
    server.add(Turn(note("a"), note("b", "toolu_2")), DONE)
    behind = Gated(gate, name="outer")
    run(server, behind.tools(notes.note), behind, stream=True, run_tools_eagerly=True)
    assert notes.wrote == ["b"]
    assert [pending.call.agents for pending in person.asked] == [("outer",), ("outer",)]
    assert len({pending.call.run for pending in person.asked} - {gate.run}) == 1


def test_a_call_that_is_held_while_others_ran_is_the_only_one_asked_about(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Approve())
    server.add(Turn(note("a"), note("b", "toolu_2"), note("c", "toolu_3")), DONE)
    behind = Gated(gate)
    with Anthropic(base_url=server.url, api_key="any") as client:
        runner: Any = client.beta.messages.tool_runner(
            **ASK, tools=behind.tools(notes.note), thread=False, stream=True, run_tools_eagerly=True
        )
        for stream in behind.run(runner):
            runner.defer_tool_call("toolu_2")
            list(stream)
    assert [pending.call.args["text"] for pending in person.asked] == ["a", "c", "b"]
    assert notes.wrote == ["a", "c", "b"]


def test_a_tool_that_is_called_between_the_turns_is_a_question_of_its_own(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Approve())
    server.add(Turn(note("a")), DONE)
    behind = Gated(gate)
    (tool,) = behind.tools(notes.note)
    with Anthropic(base_url=server.url, api_key="any") as client:
        runner: Any = client.beta.messages.tool_runner(**ASK, tools=[tool], thread=False)
        for message in behind.run(runner):
            tool.call({"text": message.stop_reason})
    assert notes.wrote == ["tool_use", "a", "end_turn"]
    assert len({pending.call.run for pending in person.asked}) == 1


def test_whoever_stops_a_run_while_the_reply_still_streams_ends_it(notes: Notes, server: FakeAnthropic) -> None:
    gate, _ = asking(Reject(note="enough", stop=True))
    server.add(Turn(note("a"), note("b", "toolu_2")), DONE)
    behind = Gated(gate)
    with pytest.raises(Stopped, match="enough"):
        run(server, behind.tools(notes.note), behind, stream=True, run_tools_eagerly=True)
    assert (len(server.requests), notes.wrote) == (1, [])


def test_a_thread_that_the_server_keeps_passes_the_gate(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Approve())
    server.add(Turn(note("a")), DONE)
    behind = Gated(gate)
    with Anthropic(base_url=server.url, api_key="any") as client:
        runner: Any = client.beta.messages.tool_runner(**ASK, tools=behind.tools(notes.note))
        list(behind.run(runner))
    assert (notes.wrote, len(person.asked)) == (["a"], 1)


async def test_two_runs_at_once_do_not_mix(notes: Notes) -> None:
    gate, person = asking(Approve())
    behind = Gated(gate)
    tools = behind.tools(notes.anote)

    async def one(text: str) -> None:
        with FakeAnthropic(Turn(Call("anote", {"text": text}, id="toolu_1")), DONE) as server:
            async with AsyncAnthropic(base_url=server.url, api_key="any") as client:
                runner: Any = client.beta.messages.tool_runner(**ASK, tools=tools, thread=False)
                async for _ in behind.run(runner):
                    pass

    await asyncio.gather(one("a"), one("b"))
    assert sorted(map(str, notes.wrote)) == ["a", "b"]
    assert len({pending.call.run for pending in person.asked}) == 2


async def test_a_tool_of_an_inner_agent_keeps_its_own_policies(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Approve())
    (inner,) = Gated(policies={"anote": Fixed(Deny(reason="never from inside"))}, name="inner").tools(notes.anote)

    @beta_async_tool
    async def delegate(text: str) -> str:
        """Hand it on."""
        return str(await inner.call({"text": text}))

    free = Fixed(Allow(reason="free"))
    behind = Gated(gate, policies={"delegate": free, "anote": free}, name="outer")
    tools: Any = behind.tools(delegate, notes.anote)
    server.add(Turn(Call("delegate", {"text": "a"}, id="toolu_1"), Call("anote", {"text": "a"}, id="toolu_2")), DONE)
    async with AsyncAnthropic(base_url=server.url, api_key="any") as client:
        runner: Any = client.beta.messages.tool_runner(**ASK, tools=tools, thread=False)
        async for _ in behind.run(runner):
            pass
    assert "never from inside" in results(server)[0]["content"]
    assert (notes.wrote, person.asked) == (["a"], [])


# A loop of one's own


def test_a_loop_of_ones_own_asks_about_a_turn_at_once(notes: Notes, server: FakeAnthropic) -> None:
    gate, person = asking(Approve(), Reject(note="not b"))
    server.add(Turn(note("a"), note("b", "toolu_2"), Call("nothing", {}, id="toolu_3")), DONE)
    behind = Gated(gate, run="42")
    tools: Any = [tool.to_dict() for tool in behind.tools(notes.note)]
    messages: list[Any] = [*ASK["messages"]]
    with Anthropic(base_url=server.url, api_key="any") as client:
        while True:
            asked: dict[str, Any] = {**ASK, "messages": messages, "tools": tools}
            message: Any = client.messages.create(**asked)
            messages.append({"role": "assistant", "content": message.content})
            if message.stop_reason != "tool_use":
                break
            messages.append(behind.results_sync(message))
    assert [len(batch) for batch in person.batches] == [2]
    assert (notes.wrote, person.asked[0].call.run) == (["a"], "42")
    first, second, third = results(server)
    assert (first["content"], second["is_error"], third["is_error"]) == ("wrote a", True, True)
    assert "There is no tool named 'nothing'" in third["content"]


async def test_calls_that_the_model_did_not_finish_do_not_run(notes: Notes) -> None:
    gate, person = asking(Approve())
    behind = Gated(gate, run="42")
    behind.tools(notes.note)
    cut = {"stop_reason": "max_tokens", "content": [{"type": "tool_use", "id": "1", "name": "note", "input": {}}]}
    with pytest.raises(ValueError, match="does not wait for tools"):
        await behind.results(cut)
    assert (person.asked, notes.wrote) == ([], [])


async def test_a_loop_of_ones_own_needs_a_name() -> None:
    gate, _ = asking()
    with pytest.raises(ValueError, match="with a name"):
        await Gated(gate).results([])
    with pytest.raises(ValueError, match="resumed by its name"):
        Gated(gate, style="deferred")


async def test_the_same_call_answered_twice_runs_once(notes: Notes) -> None:
    gate, person = asking(Approve())
    behind = Gated(gate, run="42")
    behind.tools(notes.note)
    content = [{"type": "tool_use", "id": "1", "name": "note", "input": {"text": "a"}}]
    await behind.results(content)
    again = await behind.results(content)
    changed = await behind.results([{**content[0], "input": {"text": "b"}}])
    assert (notes.wrote, len(person.asked)) == (["a"], 1)
    assert "already used" in again["content"][0]["content"]
    assert changed["content"][0]["is_error"]


def test_without_a_gate_and_outside_of_any_run_nothing_runs(notes: Notes) -> None:
    (tool,) = Gated().tools(notes.note)
    with pytest.raises(ToolError, match="give it one"):
        tool.call({"text": "a"})
    assert notes.wrote == []
