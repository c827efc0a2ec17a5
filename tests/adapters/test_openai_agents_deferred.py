"""The OpenAI Agents adapter across processes: only the record approves, whatever a `RunState` says."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelBehaviorError,
    RunContextWrapper,
    Runner,
    RunState,
    Tool,
    function_tool,
    handoff,
)
from agents.tool_context import ToolContext
from pydantic import AfterValidator, BaseModel, Field

from assent.adapters.openai_agents import gated, resuming
from assent.gate import Gate
from assent.model import (
    Allow,
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Deny,
    EffectState,
    Fixed,
    Policy,
    Reject,
    ToolCall,
    Verdict,
)
from assent.store import SQLiteStore
from assent.testing import Answers
from tests.adapters.openai_kit import QUIET, Call, script, told

FREE = Fixed(Allow(reason="harmless"))


class House:
    """Processes that share a store's file and nothing else; each has an agent of its own."""

    def __init__(self, folder: Path, *turns: Sequence[Call]) -> None:
        self.did: list[str] = []
        self.turns = turns
        self._file = folder / "desk.db"

    def gate(self, **options: Any) -> Gate:  # noqa: ANN401
        return Gate(store=SQLiteStore(self._file), **options)

    def tools(self) -> list[Tool]:
        async def write(path: str, times: int = 1) -> str:
            """Write a file."""
            self.did += [path] * times
            return f"wrote {path}"

        return [function_tool(write)]

    def plain(self, name: str = "outer", *turns: Sequence[Call], tools: Sequence[Tool] = ()) -> Agent[Any]:
        return Agent(name=name, model=script(*(turns or self.turns), "done"), tools=[*self.tools(), *tools])

    def agent(self, policies: Mapping[str, Policy] | None = None, run: str = "42") -> Agent[Any]:
        return gated(self.plain(), self.gate(), style="deferred", run=run, policies=policies)

    async def pause(self, agent: Agent[Any] | None = None) -> str:
        result = await Runner.run(agent or self.agent(), "go", run_config=QUIET)
        assert result.interruptions
        return result.to_state().to_string()

    async def resume(self, paused: str, agent: Agent[Any] | None = None) -> Any:  # noqa: ANN401
        agent = agent or self.agent()
        state: RunState[Any, Any] = await RunState.from_string(agent, paused)
        return await Runner.run(agent, resuming(state), run_config=QUIET)

    def decide(self, decision: ApprovalDecision) -> None:
        gate = self.gate()
        for pending in gate.store.desk():
            gate.answer(pending.id, decision)


def write(path: str, call_id: str = "1") -> list[Call]:
    return [("write", {"path": path}, call_id)]


async def test_arguments_that_were_swapped_while_paused_are_refused(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"))
    paused = await house.pause()
    house.decide(Approve())
    swapped = paused.replace('\\"a\\"', '\\"b\\"')
    assert swapped != paused
    with pytest.raises(ModelBehaviorError):  # the SDK's own list of calls, which is in the state too
        await house.resume(swapped)
    assert house.did == []


async def test_a_call_that_was_forged_into_the_state_is_refused(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"))
    paused = await house.pause()
    house.decide(Approve())
    # Everything that names the call, and the SDK's own list of calls, says what the client wants.
    state = json.loads(paused.replace('\\"a\\"', '\\"b\\"'))
    state["context"]["tool_invocations"] = {}
    result = await house.resume(json.dumps(state))
    assert house.did == []
    assert "asked about with other arguments" in told(result.to_input_list())["1"]


async def test_an_approval_for_good_in_the_state_approves_no_later_call(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"), write("b", "2"))
    agent = house.agent()
    state: RunState[Any, Any] = await RunState.from_string(agent, await house.pause())
    house.decide(Approve())
    state.approve(state.get_interruptions()[0], always_approve=True)
    result = await Runner.run(agent, state, run_config=QUIET)
    assert house.did == ["a"]
    assert "No approval for this call" in told(result.to_input_list())["2"]


async def test_the_state_of_another_run_has_no_approvals_here(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"))
    paused = await house.pause()
    house.decide(Approve())
    result = await house.resume(paused, house.agent(run="43"))
    assert house.did == []
    assert "No approval for this call" in told(result.to_input_list())["1"]


async def test_a_state_that_was_not_woken_up_stays_paused(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"))
    agent = house.agent()
    state: RunState[Any, Any] = await RunState.from_string(agent, await house.pause())
    result = await Runner.run(agent, state, run_config=QUIET)
    assert result.interruptions
    assert house.did == []
    assert len(house.gate().store.desk()) == 1


class ByPath:
    """A policy that allows, denies or asks, as the path says."""

    def check_approval(self, call: ToolCall, /) -> Verdict:
        match call.args["path"]:
            case "free":
                return Allow(reason="harmless")
            case "secret":
                return Deny(reason="off limits")
            case path:
                return ApprovalRequest(description=f"Write {path}", fingerprint={"path": path})


async def test_what_policy_decides_is_told_and_does_not_run_again_after_the_pause(tmp_path: Path) -> None:
    house = House(tmp_path, [*write("a"), *write("free", "2"), *write("secret", "3")])
    policies = {"write": ByPath()}
    paused = await house.pause(house.agent(policies))
    assert house.did == ["free"]
    house.decide(Approve())
    result = await house.resume(paused, house.agent(policies))
    assert house.did == ["free", "a"]
    assert "off limits" in told(result.to_input_list())["3"]


async def test_a_permit_holds_for_the_arguments_that_were_judged(tmp_path: Path) -> None:
    house = House(tmp_path)
    context: RunContextWrapper[Any] = RunContextWrapper(None)
    (tool,) = await house.agent({"write": ByPath()}).get_all_tools(context)
    assert isinstance(tool, FunctionTool)
    assert callable(tool.needs_approval)
    assert not await tool.needs_approval(context, {"path": "free"}, "1")
    call: ToolContext[Any] = ToolContext(None, tool_name="write", tool_call_id="1", tool_arguments="")
    assert "No approval for this call" in await tool.on_invoke_tool(call, '{"path": "a"}')
    assert house.did == []


async def test_a_process_that_pauses_can_resume_without_text_between(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"), write("b", "2"))
    agent = house.agent()
    result: Any = await Runner.run(agent, "go", run_config=QUIET)
    while result.interruptions:
        house.decide(Approve())
        result = await Runner.run(agent, resuming(result.to_state()), run_config=QUIET)
    assert (house.did, result.final_output) == (["a", "b"], "done")


async def test_a_streamed_run_pauses_and_resumes(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"))
    agent = house.agent()
    first = Runner.run_streamed(agent, "go", run_config=QUIET)
    async for _ in first.stream_events():
        pass
    assert first.interruptions
    house.decide(Approve())
    second = Runner.run_streamed(agent, resuming(first.to_state()), run_config=QUIET)
    async for _ in second.stream_events():
        pass
    assert (house.did, second.final_output) == (["a"], "done")


async def test_words_that_are_no_json_are_told_when_the_run_goes_on(tmp_path: Path) -> None:
    house = House(tmp_path, [("write", "{", "1")])
    result = await house.resume(await house.pause())
    assert house.gate().store.desk() == []
    assert "no JSON" in told(result.to_input_list())["1"]


@pytest.mark.parametrize("policies", [{}, {"write": FREE}])
async def test_no_words_at_all_are_told_and_leave_no_question_behind(
    policies: Mapping[str, Policy], tmp_path: Path
) -> None:
    house = House(tmp_path, [("write", "", "1")])
    result = await house.resume(await house.pause(house.agent(policies)), house.agent(policies))
    assert house.gate().store.desk() == []
    assert "no JSON ({} means none)" in told(result.to_input_list())["1"]


def stumbling(path: str) -> str:
    return {"a": path}[path]


async def test_a_validator_that_breaks_is_told_as_it_is_inline(tmp_path: Path) -> None:
    house = House(tmp_path, [("visit", {"path": "b"}, "1")])

    def visit(path: Annotated[str, AfterValidator(stumbling)]) -> str:
        """Visit."""
        house.did.append(path)
        return path

    agent = gated(house.plain(tools=[function_tool(visit)]), house.gate(), style="deferred", run="42")
    result = await Runner.run(agent, "go", run_config=QUIET)
    assert (house.did, result.final_output) == ([], "done")
    assert told(result.to_input_list())["1"].startswith("An error occurred while running the tool")


class Note(BaseModel):
    text: str
    at: float = Field(default_factory=time.time)


class Filled(House):
    """A tool that fills in what is another thing every time."""

    def tools(self) -> list[Tool]:
        def note(notes: list[Note], key: Annotated[str, Field(default_factory=lambda: uuid4().hex)]) -> str:
            """Keep notes."""
            self.did += [json.dumps({"notes": [each.model_dump() for each in notes], "key": key})]
            return "kept"

        return [function_tool(note, strict_mode=False)]


async def test_what_the_tool_fills_in_is_what_a_person_saw(tmp_path: Path) -> None:
    house = Filled(tmp_path, [("note", {"notes": [{"text": "a"}]}, "1")])
    paused = await house.pause()
    (pending,) = house.gate().store.desk()
    house.decide(Approve())
    await house.resume(paused)
    assert [json.loads(each) for each in house.did] == [pending.call.arguments()]


async def test_a_question_that_still_waits_is_the_same_one_whatever_the_tool_fills_in(tmp_path: Path) -> None:
    house = Filled(tmp_path)
    for _ in range(2):
        context: RunContextWrapper[Any] = RunContextWrapper(None)
        (tool,) = await house.agent().get_all_tools(context)
        assert isinstance(tool, FunctionTool)
        assert callable(tool.needs_approval)
        assert await tool.needs_approval(context, {"notes": [{"text": "a"}]}, "1")
    assert len(house.gate().store.desk()) == 1


@pytest.mark.parametrize("said", [[{"text": "b"}], [{"text": "a"}, {"text": "b"}], [{"text": "a", "at": 0.0}], []])
async def test_other_words_are_refused_whatever_the_tool_fills_in(said: object, tmp_path: Path) -> None:
    house = Filled(tmp_path, [("note", {"notes": [{"text": "a"}]}, "1")])
    await house.pause()
    house.decide(Approve())
    context: RunContextWrapper[Any] = RunContextWrapper(None)
    (tool,) = await house.agent().get_all_tools(context)
    assert isinstance(tool, FunctionTool)
    call: ToolContext[Any] = ToolContext(None, tool_name="note", tool_call_id="1", tool_arguments="")
    assert "asked about with other arguments" in await tool.on_invoke_tool(call, json.dumps({"notes": said}))
    assert house.did == []


async def test_a_pause_inside_an_agent_as_a_tool_passes_through(tmp_path: Path) -> None:
    house = House(tmp_path)

    def agent() -> Agent[Any]:
        inner = gated(house.plain("inner", write("a"), write("b", "2")), style="deferred")
        tools = [inner.as_tool("ask_inner", "Ask.")]
        outer = house.plain("outer", [("ask_inner", {"input": "x"}, "1")], tools=tools)
        return gated(outer, house.gate(), style="deferred", run="42")

    paused = await house.pause(agent())
    assert [pending.call.tool_name for pending in house.gate().store.desk()] == ["ask_inner"]
    house.decide(Approve())
    for path, chain in (("a", ("outer", "inner")), ("b", ("outer", "inner"))):
        result = await house.resume(paused, agent())
        (pending,) = house.gate().store.desk()
        assert (pending.call.args["path"], pending.call.agents) == (path, chain)
        paused = result.to_state().to_string()
        house.decide(Approve())
    result = await house.resume(paused, agent())
    assert (house.did, result.final_output) == (["a", "b"], "done")
    assert told(result.to_input_list())["1"] == "done"
    effects = {asked.pending.call.tool_name: asked.effect for asked in house.gate().store.recent(9)}
    assert {name: effect and effect.state for name, effect in effects.items()} == {
        "ask_inner": EffectState.DONE,
        "write": EffectState.DONE,
    }
    again = await house.resume(paused, agent())
    assert house.did == ["a", "b"]
    assert "already used" in told(again.to_input_list())["1"]


class Nested(House):
    """An agent that runs as a tool, calls what is free, and asks about the rest."""

    def agent(self, policies: Mapping[str, Policy] | None = None, run: str = "42") -> Agent[Any]:
        def mail(to: str) -> str:
            """Send a mail."""
            self.did.append(to)
            return "sent"

        ana: list[Call] = [("mail", {"to": "ana"}, "i1")]
        bob: list[Call] = [("mail", {"to": "bob"}, "i3")]
        turns = [ana, write("a", "i2"), bob, write("b", "i4")]
        inner = self.plain("inner", *turns, tools=[function_tool(mail)])
        behind = gated(inner, style="deferred", policies={"mail": FREE})
        outer = self.plain(tools=[behind.as_tool("ask_inner", "Ask.")])
        return gated(outer, self.gate(), style="deferred", run=run, policies=policies)


ASK: list[Call] = [("ask_inner", {"input": "x"}, "1")]


async def test_one_approval_lets_an_agent_as_a_tool_begin_once(tmp_path: Path) -> None:
    house = Nested(tmp_path, ASK)
    first = await house.pause()
    house.decide(Approve())
    second = (await house.resume(first)).to_state().to_string()
    again = await house.resume(first)
    assert "already used" in told(again.to_input_list())["1"]
    assert (house.did, len(house.gate().store.desk())) == (["ana"], 1)
    # Who has the state of its pause goes on all the same.
    house.decide(Approve())
    assert (await house.resume(second)).interruptions
    assert house.did == ["ana", "a", "bob"]


async def test_an_agent_as_a_tool_goes_on_only_from_where_it_paused_last(tmp_path: Path) -> None:
    house = Nested(tmp_path, ASK)
    paused = [await house.pause()]
    for _ in range(2):
        house.decide(Approve())
        paused.append((await house.resume(paused[-1])).to_state().to_string())
    assert house.did == ["ana", "a", "bob"]
    for stale in paused[:-1]:
        again = await house.resume(stale)
        assert "already used" in told(again.to_input_list())["1"]
    house.decide(Approve())
    result = await house.resume(paused[-1])
    assert (house.did, result.final_output) == (["ana", "a", "bob", "b"], "done")


async def test_an_agent_as_a_tool_goes_on_in_a_run_that_never_asked(tmp_path: Path) -> None:
    house = Nested(tmp_path, ASK)
    await house.pause()
    house.decide(Approve())
    # The same call in a new run of the name: it has its answer, and the SDK knows of no approval.
    paused = await house.pause()
    assert house.did == ["ana"]
    house.decide(Approve())
    assert (await house.resume(paused)).interruptions
    assert house.did == ["ana", "a", "bob"]


async def test_agents_as_tools_at_the_same_time_each_go_on_where_they_paused(tmp_path: Path) -> None:
    house = House(tmp_path)

    def agent() -> Agent[Any]:
        tools: list[Tool] = []
        for name in ("ann", "ben"):
            inner = house.plain(name, write(f"{name} 1", f"{name}-1"), write(f"{name} 2", f"{name}-2"))
            tools.append(gated(inner, style="deferred").as_tool(f"ask_{name}", "Ask."))
        outer = house.plain("outer", [(f"ask_{name}", {"input": "x"}, name) for name in ("ann", "ben")], tools=tools)
        return gated(outer, house.gate(), style="deferred", run="42")

    result = await Runner.run(agent(), "go", run_config=QUIET)
    stale: list[str] = []
    while result.interruptions:
        house.decide(Approve())
        stale.append(result.to_state().to_string())
        result = await house.resume(stale[-1], agent())
    assert (sorted(house.did), result.final_output) == (["ann 1", "ann 2", "ben 1", "ben 2"], "done")
    for each in stale:
        again = told((await house.resume(each, agent())).to_input_list())
        assert all("already used" in again[name] for name in ("ann", "ben"))
    assert len(house.did) == 4


async def test_an_agent_in_an_agent_in_an_agent_goes_on_where_it_paused(tmp_path: Path) -> None:
    house = Nested(tmp_path, ASK)

    def agent() -> Agent[Any]:
        inner = gated(house.plain("inner", write("a", "i1"), write("b", "i2")), style="deferred")
        turns: list[Sequence[Call]] = [[("ask_inner", {"input": "x"}, "m1")], write("c", "m2")]
        middle = gated(house.plain("middle", *turns, tools=[inner.as_tool("ask_inner", "Ask.")]), style="deferred")
        outer = house.plain(
            "outer", [("ask_middle", {"input": "x"}, "1")], tools=[middle.as_tool("ask_middle", "Ask.")]
        )
        return gated(outer, house.gate(), style="deferred", run="42")

    paused, result, stale = "", await Runner.run(agent(), "go", run_config=QUIET), list[str]()
    while result.interruptions:
        paused = result.to_state().to_string()
        house.decide(Approve())
        result = await house.resume(paused, agent())
        stale.append(paused)
    assert (house.did, result.final_output) == (["a", "b", "c"], "done")
    assert len(stale) == 5
    for each in stale:
        assert "already used" in told((await house.resume(each, agent())).to_input_list())["1"]
    assert house.did == ["a", "b", "c"]


@pytest.mark.parametrize("wrap", [lambda agent: agent, handoff], ids=["agent", "handoff"])
async def test_an_agent_that_took_over_goes_on_where_it_paused(wrap: Any, tmp_path: Path) -> None:  # noqa: ANN401
    house = House(tmp_path, [("transfer_to_other", {}, "1")], write("a", "2"))

    def agent() -> Agent[Any]:
        outer = house.plain()
        outer.handoffs = [wrap(other := house.plain("other"))]
        made = gated(outer, house.gate(), style="deferred", run="42")
        del other  # the SDK refers to it only weakly
        return made

    paused = await house.pause(agent())
    assert [pending.call.agents for pending in house.gate().store.desk()] == [("other",)]
    house.decide(Approve())
    result = await house.resume(paused, agent())
    assert (house.did, result.final_output, result.last_agent.name) == (["a"], "done", "other")


async def test_an_agent_inside_a_plain_tool_waits(tmp_path: Path) -> None:
    house = House(tmp_path)
    person = Answers(Reject(note="not from there"))

    async def delegate() -> str:
        """Hand it on."""
        inner = gated(house.plain("inner", write("a")), style="deferred")
        return json.dumps(told((await Runner.run(inner, "go", run_config=QUIET)).to_input_list()))

    outer = house.plain("outer", [("delegate", {}, "1")], tools=[function_tool(delegate)])
    gate = house.gate(approver=person)
    agent = gated(outer, gate, style="deferred", run="42", policies={"delegate": FREE})
    result = await Runner.run(agent, "go", run_config=QUIET)
    assert "not from there" in told(result.to_input_list())["1"]
    assert [pending.call.agents for pending in person.asked] == [("outer", "inner")]


async def test_waking_up_leaves_alone_what_is_not_behind_the_gate(tmp_path: Path) -> None:
    house = House(tmp_path, write("a"))
    agent = house.plain()
    for tool in agent.tools:
        tool.needs_approval = True  # type: ignore[union-attr]
    result = await Runner.run(agent, "go", run_config=QUIET)
    again = await Runner.run(agent, resuming(result.to_state()), run_config=QUIET)
    assert again.interruptions
    assert house.did == []


def test_a_run_that_is_resumed_needs_a_name(tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(ValueError, match="needs a name"):
        gated(house.plain(), house.gate(), style="deferred")
    with pytest.raises(ValueError, match="single tool cannot pause"):
        gated(house.tools()[0], house.gate(), style="deferred")
