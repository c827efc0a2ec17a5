"""The OpenAI Agents adapter while a run waits: what only this framework has, and what could go past the gate."""

import asyncio
import gc
import json
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelBehaviorError,
    RunContextWrapper,
    Runner,
    Tool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    ToolOutputText,
    UserError,
    function_tool,
    handoff,
)
from agents.realtime import RealtimeAgent
from agents.testing import ScriptedModel, assistant_message
from agents.tool import tool_namespace
from agents.tool_context import ToolContext
from openai.types.responses import ResponseFunctionToolCall
from pydantic import AfterValidator, Field, SecretStr

from assent import requires_approval
from assent.adapters.openai_agents import gated
from assent.adapters.openai_agents._known import Known
from assent.adapters.openai_agents._settings import Run, Settings
from assent.adapters.openai_agents._tool import Entry
from assent.errors import GateFailed, Stopped
from assent.gate import Gate
from assent.model import (
    Allow,
    ApprovalDecision,
    Approve,
    Deny,
    Fixed,
    Pending,
    PendingId,
    Reject,
    Scope,
    ToolCall,
    Verdict,
)
from assent.testing import Answers, memory_store
from tests.adapters.openai_kit import QUIET, Call, script, told

FREE = Fixed(Allow(reason="harmless"))
NEVER = Fixed(Deny(reason="off limits"))


class Office:
    """Tools that write down what they did, behind a gate with a scripted person."""

    def __init__(self, *answers: ApprovalDecision) -> None:
        self.did: list[str] = []
        self.person = Answers(*answers)
        self.gate = Gate(approver=self.person, store=memory_store())
        self.write = function_tool(self._write, name_override="write")

    async def _write(self, path: str, times: int = 1) -> str:
        """Write a file."""
        self.did += [path] * times
        return f"wrote {path}"

    def agent(self, *turns: str | Sequence[Call], tools: Sequence[Tool] = (), **more: Any) -> Agent[Any]:  # noqa: ANN401
        made: dict[str, Any] = {"name": "outer", "tools": [self.write, *tools], **more}
        return Agent(model=script(*turns, "done"), **made)

    async def run(self, agent: Agent[Any], **options: Any) -> dict[str, str]:  # noqa: ANN401
        """Behind the gate; what the model was told."""
        result = await Runner.run(gated(agent, self.gate, **options), "go", run_config=QUIET)
        assert result.interruptions == []
        return told(result.to_input_list())

    @property
    def asked(self) -> list[tuple[tuple[str, ...], str, dict[str, object]]]:
        return [(each.call.agents, each.call.tool_name, dict(each.call.args)) for each in self.person.asked]

    @property
    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.gate.store.journal()]


def write(path: str, call_id: str = "1") -> list[Call]:
    return [("write", {"path": path}, call_id)]


async def test_a_single_tool_behind_a_gate_works_in_any_agent() -> None:
    office = Office(Approve(override_args={"path": "b"}), Reject(note="not c"))
    agent = office.agent(write("a"), write("c", "2"), tools=[])
    agent.tools = [gated(office.write, office.gate)]
    result = await Runner.run(agent, "go", run_config=QUIET)
    said = told(result.to_input_list())
    assert office.did == ["b"]
    assert "A person changed this call" in said["1"]
    assert "not c" in said["2"]
    assert [agents for agents, _, _ in office.asked] == [("outer",), ("outer",)]


async def test_a_tool_that_has_its_own_gate_is_asked_about_once() -> None:
    office = Office(Approve())
    agent = office.agent(write("a"))
    agent.tools = [gated(office.write, office.gate)]
    await office.run(agent)
    assert (office.did, len(office.asked)) == (["a"], 1)


async def test_a_tool_that_was_gated_without_a_gate_is_behind_that_of_its_agent() -> None:
    office = Office(Reject(note="not a"))
    agent = office.agent(write("a"))
    agent.tools = [gated(office.write)]
    said = await office.run(agent)
    assert (office.did, [agents for agents, _, _ in office.asked]) == ([], [("outer",)])
    assert "not a" in said["1"]
    agent.tools = [gated(office.write, policies={"write": FREE})]
    await office.run(agent)
    assert (office.did, len(office.asked)) == (["a"], 1)


async def test_a_marked_tool_that_was_gated_without_a_gate_still_asks() -> None:
    office = Office(Reject())
    marked = function_tool(office._write, name_override="write", needs_approval=True)
    agent = office.agent(write("a"))
    agent.tools = [gated(marked, policies={"write": FREE})]
    await office.run(agent)
    assert (office.did, len(office.asked)) == ([], 1)


@pytest.mark.parametrize("own", [True, False])
async def test_an_agents_policy_for_a_tool_that_has_another_one_of_its_own_is_refused_at_once(*, own: bool) -> None:
    office = Office()
    agent = office.agent()
    agent.tools = [gated(office.write, office.gate if own else None, policies={"write": FREE})]
    with pytest.raises(GateFailed, match="its agent's policy for it does not count"):
        gated(agent, office.gate, policies={"write": NEVER})
    gated(agent, office.gate, policies={"write": FREE})


async def test_the_policy_of_a_tool_in_a_namespace_is_found_by_its_whole_name() -> None:
    office = Office(Approve())
    (tool,) = tool_namespace(name="crm", description="Customers.", tools=[office.write])
    call = ResponseFunctionToolCall(
        type="function_call", call_id="1", name="write", arguments='{"path": "a"}', namespace="crm"
    )
    agent: Agent[Any] = Agent(name="outer", model=ScriptedModel([[call], [assistant_message("done")]]), tools=[tool])
    said = await office.run(agent, policies={"crm.write": NEVER})
    assert office.did == []
    assert "off limits" in said["1"]


@pytest.mark.parametrize("wrap", [lambda agent: agent, handoff], ids=["agent", "handoff"])
async def test_an_agent_that_takes_over_is_behind_the_same_gate(wrap: Callable[[Agent[Any]], Any]) -> None:
    office = Office(Approve(scope=Scope.SESSION), Reject(note="not you"))
    turns: list[list[Call]] = [
        [("transfer_to_other", {}, "1")],
        write("a", "2"),
        write("a", "3"),
        [("transfer_to_outer", {}, "4")],
    ]
    agent, other = (office.agent(*turns, write("a", "5"), name=name) for name in ("outer", "other"))
    agent.handoffs = [wrap(other)]
    other.handoffs = [wrap(agent)]
    said = await office.run(agent)
    assert office.did == ["a", "a"]
    # What is granted to one of them is not granted to the other.
    assert [agents for agents, _, _ in office.asked] == [("other",), ("outer",)]
    assert "not you" in said["5"]


@pytest.mark.parametrize("wrap", [lambda agent: agent, handoff], ids=["agent", "handoff"])
async def test_an_agent_that_takes_over_and_has_no_gate_of_its_own_keeps_its_policies(
    wrap: Callable[[Agent[Any]], Any],
) -> None:
    office = Office(Reject(note="not you"))
    turns: list[list[Call]] = [write("b", "1"), [("transfer_to_other", {}, "2")], write("a", "3")]
    agent, other = (office.agent(*turns, name=name) for name in ("outer", "other"))
    agent.handoffs = [wrap(gated(other, policies={"write": FREE}))]
    said = await office.run(agent)
    assert office.did == ["a"]
    assert [(agents, args["path"]) for agents, _, args in office.asked] == [(("outer",), "b")]
    assert "not you" in said["1"]


async def test_agents_of_one_name_keep_their_own_policies() -> None:
    office = Office()
    turns: list[list[Call]] = [write("a", "1"), [("transfer_to_bot", {}, "2")], write("b", "3")]
    agent = office.agent(*turns, name="bot")
    agent.handoffs = [gated(office.agent(*turns, name="bot"), policies={"write": NEVER})]
    said = await office.run(agent, policies={"write": FREE})
    assert office.did == ["a"]
    assert "off limits" in said["3"]


async def test_an_agent_that_is_made_during_the_handoff_is_behind_the_gate() -> None:
    office = Office(Reject(note="not you"))
    other = office.agent([("transfer_to_other", {}, "1")], write("a", "2"), name="other")
    made = handoff(other)

    async def another(_context: RunContextWrapper[Any], _given: str) -> Agent[Any]:
        return other.clone(name="fresh")

    made.on_invoke_handoff = another
    agent = office.agent([("transfer_to_other", {}, "1")], handoffs=[made])
    said = await office.run(agent)
    assert office.did == []
    assert [agents for agents, _, _ in office.asked] == [("fresh",)]
    assert "not you" in said["2"]


@pytest.mark.parametrize("wrap", [lambda agent: agent, handoff], ids=["agent", "handoff"])
async def test_an_ungated_agent_that_is_added_later_ends_the_run(wrap: Callable[[Agent[Any]], Any]) -> None:
    office = Office(Approve())
    other = office.agent(name="other")
    behind = gated(office.agent([("transfer_to_other", {}, "1")]), office.gate)
    behind.handoffs.append(wrap(other))
    with pytest.raises(GateFailed, match=r"hands over to an agent without one; use gated\(agent, gate\) there"):
        await Runner.run(behind, "go", run_config=QUIET)


async def test_an_agent_that_is_added_later_with_a_gate_takes_over() -> None:
    office = Office(Approve())
    turns: list[list[Call]] = [[("transfer_to_other", {}, "1")], write("a", "2")]
    behind = gated(office.agent(*turns), office.gate)
    behind.handoffs.append(gated(office.agent(*turns, name="other"), office.gate))
    await Runner.run(behind, "go", run_config=QUIET)
    assert (office.did, [agents for agents, _, _ in office.asked]) == (["a"], [("other",)])


async def test_a_clone_is_behind_the_same_gate_and_so_is_a_tool_that_is_added_later() -> None:
    office = Office(Reject())
    behind = gated(office.agent(write("a")), office.gate)
    late = behind.clone(name="late", model=script(write("a"), [("burn", {"path": "b"}, "2")], "done"))

    def burn(path: str) -> str:
        """Burn a file."""
        office.did.append(path)
        return "ash"

    late.tools.append(function_tool(burn))
    await Runner.run(late, "go", run_config=QUIET)
    assert office.did == []
    assert [(agents, tool) for agents, tool, _ in office.asked] == [(("late",), "write"), (("late",), "burn")]


class Changing(Agent[Any]):
    """An agent that changes its own list of tools."""

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        """The very list, not a copy of it."""
        return self.tools


@pytest.mark.parametrize("kind", [Agent, Changing])
async def test_a_tool_that_takes_the_place_of_another_is_the_one_that_runs(kind: type[Agent[Any]]) -> None:
    office = Office(Approve())

    async def burn(path: str) -> str:
        """Take a file's place."""
        behind.tools[0] = function_tool(office._write, name_override="burn")
        return f"burnt {path}"

    agent = kind(name="outer", model=script([("burn", {"path": "a"}, "1")], [("burn", {"path": "b"}, "2")], "done"))
    behind = gated(agent, office.gate)
    behind.tools.append(function_tool(burn))
    result = await Runner.run(behind, "go", run_config=QUIET)
    assert told(result.to_input_list()) == {"1": "burnt a", "2": "wrote b"}
    assert [tool for _, tool, _ in office.asked] == ["burn", "burn"]


async def test_whoever_changes_the_list_of_tools_changes_only_that() -> None:
    office = Office()
    behind, context = gated(office.agent(), office.gate), RunContextWrapper(context=None)
    first = await behind.get_all_tools(context)
    (again,) = first
    first.clear()
    assert await behind.get_all_tools(context) == [again]
    assert again is not office.write


def test_an_agent_as_a_tool_without_a_gate_is_refused_at_once() -> None:
    office = Office()
    inner = office.agent(name="inner").as_tool("ask_inner", "Ask.")
    with pytest.raises(GateFailed, match=r"use gated\(agent\)\.as_tool"):
        gated(office.agent(tools=[inner]), office.gate)


async def test_an_agent_as_a_tool_inherits_the_gate_and_its_grants_stay_its_own() -> None:
    office = Office(Approve(scope=Scope.SESSION), Reject(note="not you"))
    inner = gated(office.agent(write("a", "1"), write("a", "2"), name="inner")).as_tool("ask_inner", "Ask.")
    agent = office.agent([("ask_inner", {"input": "x"}, "1")], write("a", "2"), tools=[inner])
    said = await office.run(agent, policies={"ask_inner": FREE})
    assert office.did == ["a", "a"]
    assert [agents for agents, _, _ in office.asked] == [("outer", "inner"), ("outer",)]
    assert said["1"] == "done"
    assert "not you" in said["2"]


async def test_stopping_inside_an_agent_as_a_tool_stops_the_whole_run() -> None:
    office = Office(Reject(note="enough", stop=True))
    inner = gated(office.agent(write("a"), name="inner")).as_tool("ask_inner", "Ask.")
    agent = office.agent([("ask_inner", {"input": "x"}, "1")], tools=[inner])
    with pytest.raises(Stopped, match="enough"):
        await office.run(agent, policies={"ask_inner": FREE})
    assert office.did == []


async def test_an_inner_agent_alone_has_no_gate_and_runs_nothing() -> None:
    office = Office()
    result = await Runner.run(gated(office.agent(write("a"))), "go", run_config=QUIET)
    assert office.did == []
    assert "give one: gated(agent, gate)" in told(result.to_input_list())["1"]


async def test_words_that_are_no_json_bother_nobody() -> None:
    office = Office(Approve())
    said = await office.run(office.agent([("write", '{"path": "a"', "1")], [("write", "[1]", "2")]))
    assert (office.did, office.asked) == ([], [])
    assert "no JSON" in said["1"]
    assert "no JSON object" in said["2"]


async def test_the_sdk_ends_a_run_that_uses_an_id_twice() -> None:
    office = Office(Approve())
    with pytest.raises(ModelBehaviorError, match=r"reused a .*tool call ID"):
        await office.run(office.agent(write("a"), write("b")))
    assert office.did == ["a"]
    with pytest.raises(ModelBehaviorError):
        await office.run(office.agent([*write("c"), *write("d")]))
    assert "d" not in office.did


async def test_a_tool_that_the_sdk_marks_asks_whatever_its_policy_allows() -> None:
    office = Office(Reject(note="not today"))
    marked = function_tool(office._write, name_override="write", needs_approval=True)
    agent = office.agent(write("a"))
    agent.tools = [marked]
    said = await office.run(agent, policies={"write": FREE})
    assert office.did == []
    assert "not today" in said["1"]


async def test_a_tool_that_marks_some_calls_asks_about_those() -> None:
    office = Office(Reject())

    async def needs(_context: RunContextWrapper[Any], args: dict[str, Any], _call_id: str) -> bool:
        return {"a": False, "b": True}[args["path"]]

    agent = office.agent(write("a"), write("b", "2"), write("c", "3"))
    agent.tools = [function_tool(office._write, name_override="write", needs_approval=needs)]
    await office.run(agent, policies={"write": FREE})
    assert office.did == ["a"]
    # What it cannot tell is asked about.
    assert [args["path"] for _, _, args in office.asked] == ["b", "c"]


async def test_a_function_that_requires_approval_speaks_for_itself() -> None:
    office = Office(Approve())

    @requires_approval(description="Send the letter")
    def send(to: str) -> str:
        """Send a letter."""
        office.did.append(to)
        return "sent"

    await office.run(office.agent([("send", {"to": "ana"}, "1")], tools=[function_tool(send)]))
    assert office.did == ["ana"]
    assert [each.request.description for each in office.person.asked] == ["Send the letter"]


class Listed(list[str]):
    """A policy that allows what it lists; an empty one is false, and allows nothing."""

    def check_approval(self, call: ToolCall, /) -> Verdict:
        return Allow(reason="listed") if call.args["path"] in self else Deny(reason="not listed")


async def test_a_policy_that_is_false_speaks_all_the_same() -> None:
    office = Office(Approve())

    @requires_approval(description="Send the letter")
    def send(path: str) -> str:
        """Send a letter."""
        office.did.append(path)
        return "sent"

    agent = office.agent([("send", {"path": "a"}, "1")], tools=[function_tool(send)])
    said = await office.run(agent, policies={"send": Listed()})
    assert (office.did, office.asked) == ([], [])
    assert "not listed" in said["1"]


class Slow:
    """A person who takes longer than the tool may."""

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        await asyncio.sleep(0.1)
        return {each.id: Approve() for each in batch}


async def test_the_time_that_a_person_takes_is_not_the_tools() -> None:
    office = Office()
    office.gate = Gate(approver=Slow(), store=memory_store())
    agent = office.agent(write("a"))
    agent.tools = [function_tool(office._write, name_override="write", timeout=0.05)]
    said = await office.run(agent)
    assert (office.did, said["1"]) == (["a"], "wrote a")


@pytest.mark.parametrize("behavior", ["error_as_result", "raise_exception"])
async def test_a_tool_that_takes_too_long_has_failed(behavior: Any) -> None:  # noqa: ANN401
    office = Office(Approve())

    async def wait() -> str:
        """Wait for ever."""
        return str(await asyncio.get_running_loop().create_future())

    tool = function_tool(wait, timeout=0.01, timeout_behavior=behavior)
    agent = office.agent([("wait", {}, "1")], tools=[tool])
    if behavior == "raise_exception":
        with pytest.raises(Exception, match="timed out"):
            await office.run(agent)
    else:
        assert "timed out after 0.01 seconds" in (await office.run(agent))["1"]
    assert "failed" in office.kinds


async def test_what_the_sdk_makes_of_an_exception_stays_as_it_was() -> None:
    office = Office(Approve())

    def burn() -> str:
        """Burn it."""
        raise OSError("the match is wet")

    said = await office.run(office.agent([("burn", {}, "1")], tools=[function_tool(burn)]))
    assert said["1"] == "An error occurred while running the tool. Please try again."
    assert "failed" in office.kinds
    agent = office.agent([("burn", {}, "1")], tools=[function_tool(burn, failure_error_function=None)])
    with pytest.raises(UserError, match="the match is wet"):
        await office.run(agent)


async def test_a_tool_that_was_built_by_hand_passes_the_gate_with_its_json() -> None:
    office = Office(Approve(override_args={"path": "b"}), Approve())

    async def invoke(_context: ToolContext[Any], given: str) -> str:
        office.did.append(given)
        if "c" in given:
            raise OSError("the match is wet")
        return "ok"

    schema: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tool = FunctionTool(
        name="raw", description="", params_json_schema=schema, on_invoke_tool=invoke, strict_json_schema=False
    )
    agent = office.agent([("raw", {"path": "a"}, "1")], [("raw", {"path": "c"}, "2")], tools=[tool])
    with pytest.raises(UserError, match="the match is wet"):
        await office.run(agent)
    assert [json.loads(each) for each in office.did] == [{"path": "b"}, {"path": "c"}]
    assert "failed" in office.kinds


@pytest.mark.parametrize("answer", [Approve(override_args={"path": "b"}), Approve()])
async def test_a_tool_that_looks_into_its_context_sees_what_was_permitted(answer: ApprovalDecision) -> None:
    office = Office(answer)

    async def peek(context: ToolContext[Any], path: str) -> str:
        """Look."""
        office.did.append(context.tool_arguments)
        return path

    words = '{"path": "a", "and": "more", "path": "b"}'
    await office.run(office.agent([("peek", words, "1")], tools=[function_tool(peek)]))
    assert json.loads(office.did[0]) == {"path": "b"}
    assert office.did[0].count("path") == 1


async def test_a_result_of_several_parts_says_that_a_person_changed_the_call() -> None:
    office = Office(Approve(override_args={"path": "b"}))

    def draw(path: str) -> list[ToolOutputText]:
        """Draw."""
        return [ToolOutputText(text=path)]

    said = await office.run(office.agent([("draw", {"path": "a"}, "1")], tools=[function_tool(draw)]))
    first, second = json.loads(said["1"])
    assert "A person changed this call" in first["text"]
    assert second["text"] == "b"


async def test_a_refusal_may_be_the_last_word_where_the_first_tool_ends_the_run() -> None:
    office = Office(Reject(note="not today"))
    agent = office.agent(write("a"), tool_use_behavior="stop_on_first_tool")
    result = await Runner.run(gated(agent, office.gate), "go", run_config=QUIET)
    assert office.did == []
    assert "not today" in result.final_output


async def test_a_guardrail_that_rejects_bothers_nobody_and_one_that_allows_does_not_approve() -> None:
    office = Office(Reject())

    async def check(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        if "a" in data.context.tool_arguments.split(":")[1]:
            return ToolGuardrailFunctionOutput.reject_content("not a")
        return ToolGuardrailFunctionOutput.allow()

    tool = function_tool(office._write, name_override="write", tool_input_guardrails=[ToolInputGuardrail(check)])
    agent = office.agent(write("a"), write("b", "2"))
    agent.tools = [tool]
    said = await office.run(agent)
    assert office.did == []
    assert said["1"] == "not a"
    assert [args["path"] for _, _, args in office.asked] == ["b"]


async def test_arguments_that_are_not_written_whole_are_refused() -> None:
    office = Office(Approve())

    def login(password: SecretStr) -> str:
        """Log in."""
        office.did.append(password.get_secret_value())
        return "ok"

    said = await office.run(office.agent([("login", {"password": "x"}, "1")], tools=[function_tool(login)]))
    assert (office.did, office.asked) == ([], [])
    assert "not written whole" in said["1"]


async def test_a_validator_that_changes_what_it_was_given_again_is_refused() -> None:
    office = Office(Approve())

    def visit(path: Annotated[str, AfterValidator(lambda path: f"{path}/..")]) -> str:
        """Visit."""
        office.did.append(path)
        return path

    said = await office.run(office.agent([("visit", {"path": "a/b"}, "1")], tools=[function_tool(visit)]))
    assert (office.did, office.asked) == ([], [])
    assert "not written whole" in said["1"]


async def test_what_looks_like_the_same_value_is_shown_as_the_tool_takes_it() -> None:
    office = Office(Approve())

    def keep(line: int, keep: bool, share: float) -> str:  # noqa: FBT001 — as a model sees it
        """Keep a line."""
        office.did.append(repr((line, keep, share)))
        return "ok"

    wanted = {"line": 7.0, "keep": 1, "share": 1}
    await office.run(office.agent([("keep", wanted, "1")], tools=[function_tool(keep)]))
    assert office.did == ["(7, True, 1.0)"]
    assert [repr(dict(args)) for _, _, args in office.asked] == ["{'line': 7, 'keep': True, 'share': 1.0}"]


async def test_an_argument_with_another_name_reaches_the_tool_as_it_was_shown() -> None:
    office = Office(Approve())

    def visit(path: Annotated[str, Field(alias="where")] = "home") -> str:
        """Visit."""
        office.did.append(path)
        return path

    await office.run(office.agent([("visit", {"where": "a"}, "1")], tools=[function_tool(visit)]))
    assert office.did == ["a"]
    assert [args for _, _, args in office.asked] == [{"where": "a"}]


async def test_runs_of_one_agent_at_the_same_time_do_not_share_their_sessions() -> None:
    office = Office(Approve(scope=Scope.SESSION))
    behind = gated(office.agent(write("a"), write("a", "2")), office.gate)
    await asyncio.gather(*(Runner.run(behind, "go", run_config=QUIET) for _ in range(3)))
    assert office.did == ["a"] * 6
    assert len({each.call.run for each in office.person.asked}) == len(office.asked) == 3


async def test_a_named_run_is_one_session_over_several_turns_of_the_user() -> None:
    office = Office(Approve(scope=Scope.SESSION))
    for _ in range(2):
        await office.run(office.agent(write("a")), run="ticket-42")
    assert office.did == ["a", "a"]
    assert [each.call.run for each in office.person.asked] == ["ticket-42"]


async def test_nothing_of_a_run_stays_when_it_is_over() -> None:
    office = Office(Approve())
    gc.collect()
    gc.disable()  # what only it would find stays until it happens to look
    try:
        before = len([each for each in gc.get_objects() if isinstance(each, (Entry, Run))])
        await office.run(office.agent(write("a")))
        assert len([each for each in gc.get_objects() if isinstance(each, (Entry, Run))]) == before
    finally:
        gc.enable()
    assert office.did == ["a"]


async def test_a_tool_that_is_gone_is_forgotten() -> None:
    office = Office(Approve())
    behind = gated(office.agent(), office.gate)
    tool = function_tool(lambda: office.did.append("a"), name_override="note")
    gone = weakref.ref(tool)
    await Runner.run(behind.clone(model=script([("note", {}, "1")], "done"), tools=[tool]), "go", run_config=QUIET)
    assert office.did == ["a"]
    del tool
    gc.collect()
    assert gone() is None


def test_a_tool_is_worked_out_once_unless_it_changes() -> None:
    settings, tool = Settings(gate=None), Office().write
    known = Known.of(tool, settings)
    assert Known.of(tool, settings) is known
    tool.name = "note"
    assert Known.of(tool, settings).shape.name == "note"


async def test_a_run_without_a_name_ends_when_nobody_has_its_result_any_more() -> None:
    office = Office(Approve(scope=Scope.SESSION))
    result = await Runner.run(gated(office.agent(write("a")), office.gate), "go", run_config=QUIET)
    await asyncio.sleep(0)
    assert [run.ended for run in office.gate.store.runs()] == [None]
    assert told(result.to_input_list()) == {"1": "wrote a"}
    del result
    await asyncio.sleep(0)  # it may be let go of in the middle of anything, so the loop reports it
    assert office.gate.store.grants() == []
    assert [run.ended is None for run in office.gate.store.runs()] == [False]


def test_where_no_loop_runs_the_next_run_reports_the_end_of_the_last_one() -> None:
    office = Office(Approve(scope=Scope.SESSION))
    runs = [gated(office.agent(write("a")), office.gate) for _ in range(2)]
    results = [asyncio.run(Runner.run(each, "go", run_config=QUIET)) for each in runs[:1]]
    assert told(results.pop().to_input_list()) == {"1": "wrote a"}
    last = asyncio.run(Runner.run(runs[1], "go", run_config=QUIET))
    assert [run.ended is None for run in office.gate.store.runs()] == [True, False]
    assert len(office.gate.store.grants()) == 1
    assert last.final_output == "done"


async def test_a_run_whose_store_is_closed_ends_without_a_word() -> None:
    office = Office(Approve(scope=Scope.SESSION))
    loop = asyncio.get_running_loop()
    broken: list[object] = []
    loop.set_exception_handler(lambda _loop, context: broken.append(context))
    result = await Runner.run(gated(office.agent(write("a")), office.gate), "go", run_config=QUIET)
    office.gate.close()
    assert told(result.to_input_list()) == {"1": "wrote a"}
    del result
    await asyncio.sleep(0)
    assert broken == []


async def test_a_run_with_a_name_goes_on() -> None:
    office = Office(Approve(scope=Scope.SESSION))
    await office.run(office.agent(write("a")), run="ticket-42")
    await asyncio.sleep(0)
    assert len(office.gate.store.grants()) == 1
    assert [run.ended for run in office.gate.store.runs()] == [None]


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"style": "defer"}, "'inline' or 'deferred', not 'defer'"),
        ({"on_reject": "raise"}, "'tell' or 'stop', not 'raise'"),
    ],
)
def test_a_word_that_is_not_known_is_refused_with_those_that_are(options: dict[str, Any], allowed: str) -> None:
    office = Office()
    with pytest.raises(ValueError, match=allowed):
        gated(office.agent(), office.gate, **options)


def test_what_is_neither_an_agent_nor_a_tool_is_refused() -> None:
    office = Office()
    what: Any = office._write
    with pytest.raises(TypeError, match=r"make a tool of it first: function_tool"):
        gated(what, office.gate)
    what = RealtimeAgent(name="voice")
    with pytest.raises(TypeError, match=r"not a RealtimeAgent$"):
        gated(what, office.gate)
