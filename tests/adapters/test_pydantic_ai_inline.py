from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, Base64Bytes, BaseModel, Field
from pydantic_ai import Agent, RunContext, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset

from assent import (
    Allow,
    ApprovalRequest,
    Approve,
    Deny,
    Fixed,
    Gate,
    Policy,
    Reject,
    Respond,
    Scope,
    ToolCall,
    Verdict,
    requires_approval,
)
from assent.adapters.pydantic_ai import Gated, run_with_approval, run_with_approval_sync
from assent.adapters.pydantic_ai._policy import ToolPolicy, own_request
from assent.errors import GateFailed, Rejected, Stopped, ToolError
from assent.testing import Answers
from tests.adapters.kit import prompts, returns, script
from tests.gate.kit import gate, kinds
from tests.test_functions import Never, delete_file

ALLOW = Fixed(Allow(reason="harmless"))
DENY = Fixed(Deny(reason="never"))


@dataclass
class World:
    """An agent with one tool that writes down what it wrote."""

    wrote: list[str] = field(default_factory=list)

    def agent(self, model: Any, *capabilities: Any, **options: Any) -> Agent[None, Any]:  # noqa: ANN401
        agent: Agent[None, Any] = Agent(model, capabilities=capabilities, **options)
        agent.tool_plain(self.write)
        return agent

    def write(self, path: str, times: int = 1) -> str:
        """Write a file."""
        self.wrote.extend([path] * times)
        return f"wrote {path}"


async def test_a_turns_calls_are_one_batch_with_an_answer_each() -> None:
    person, world = Answers(Approve(), Reject(note="not b"), Approve()), World()
    model = script([("write", {"path": path}, path) for path in "abc"], "done")
    result = await world.agent(model, Gated(gate(person))).run("go")
    assert result.output == "done"
    assert [len(batch) for batch in person.batches] == [3]
    assert sorted(world.wrote) == ["a", "c"]
    assert returns(result) == {
        "a": ("wrote a", "success"),
        "b": ("User rejected: not b. It was not executed; do not retry it unchanged.", "denied"),
        "c": ("wrote c", "success"),
    }


async def test_what_policy_allows_runs_and_what_it_denies_is_an_answer() -> None:
    person, world = Answers(Approve()), World()
    for policy, outcome in ((ALLOW, "success"), (DENY, "denied")):
        model = script([("write", {"path": "a"}, "1")], "done")
        result = await world.agent(model, Gated(gate(person), policies={"write": policy})).run("go")
        assert returns(result)["1"][1] == outcome
    assert world.wrote == ["a"]
    assert person.asked == []


async def test_a_policy_that_is_false_to_python_counts() -> None:
    agent = Agent(
        script([("delete_file", {"path": "a"}, "1")], "done"),
        tools=[delete_file],
        capabilities=[Gated(gate(Answers(Approve())), policies={"delete_file": Never()})],
    )
    assert returns(await agent.run("go"))["1"][1] == "denied"


async def test_a_function_that_requires_approval_speaks_for_itself() -> None:
    @requires_approval(description=lambda args: f"Send to {args['to']}", exclude_keys={"body"})
    def send(to: str, body: str) -> str:
        return f"sent to {to}"

    person = Answers(Approve(scope=Scope.SESSION))
    calls = [[("send", {"to": "bob", "body": body}, body)] for body in ("one", "two")]
    result = await Agent(script(*calls, "done"), tools=[send], capabilities=[Gated(gate(person))]).run("go")
    assert {answer for answer, _ in returns(result).values()} == {"sent to bob"}
    assert [pending.request.description for pending in person.asked] == ["Send to bob"]


async def test_session_approvals_end_with_the_run() -> None:
    person, world = Answers(Approve(scope=Scope.SESSION)), World()
    agent = world.agent(script([("write", {"path": "a"}, "1")], "done"), Gated(gate(person)))
    await agent.run("go")
    await agent.run("go")
    assert len(person.asked) == 2


async def test_tools_that_pydantic_ai_marks_are_asked_about_too() -> None:
    agent: Agent[object, str] = Agent(
        script([("marked", {}, "1"), ("raising", {"path": "x"}, "2"), ("listed", {}, "3")], "done")
    )

    @agent.tool_plain(requires_approval=True)
    def marked() -> str:
        return "marked ran"

    @agent.tool
    def raising(ctx: RunContext[object], path: str) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"summary": f"Write to {path}", "path": path})
        return "raising ran"

    toolset: FunctionToolset[object] = FunctionToolset()

    @toolset.tool_plain
    def listed() -> str:
        return "listed ran"

    needs = toolset.approval_required(lambda _ctx, definition, _args: definition.name == "listed")
    person = Answers(Approve())
    # Our own policy allows all three: PydanticAI's own mechanisms still ask, as the strictest wins.
    policies: dict[str, Policy] = dict.fromkeys(("marked", "raising", "listed"), ALLOW)
    result = await agent.run("go", toolsets=[needs], capabilities=[Gated(gate(person), policies=policies)])
    assert {answer for answer, _ in returns(result).values()} == {"marked ran", "raising ran", "listed ran"}
    asked = {pending.call.tool_name: pending.request for pending in person.asked}
    assert asked["marked"].reason == "PydanticAI marks this tool as requiring approval"
    assert asked["raising"].description == "raising says: Write to x"
    assert asked["raising"].reason == "the tool itself asks, in its own words"
    assert set(asked) == {"marked", "raising", "listed"}


@pytest.mark.parametrize(
    ("metadata", "description"),
    [
        ({"summary": "s", "reason": "r", "path": "p"}, "tool says: s"),
        ({"reason": "r", "path": "p"}, "tool says: r"),
        ({"path": "p"}, "tool says: p"),
        ({"other": 1}, "tool()"),
        (None, "tool()"),
    ],
)
async def test_the_tools_own_words_are_summary_then_reason_then_path(
    metadata: dict[str, Any] | None, description: str
) -> None:
    agent: Agent[object, str] = Agent(script([("tool", {}, "1")], "done"))

    @agent.tool
    def tool(ctx: RunContext[object]) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata=metadata)
        return "ran"

    person = Answers(Approve())
    await run_with_approval(agent, "go", gate=gate(person), policies={"tool": ALLOW})
    assert [pending.request.description for pending in person.asked] == [description]


async def test_edited_arguments_are_validated_run_and_announced() -> None:
    world = World()
    edit = Approve(override_args={"path": "b", "times": "2"})
    model = script([("write", {"path": "a"}, "1")], "done")
    result = await world.agent(model, Gated(gate(Answers(edit)))).run("go")
    assert world.wrote == ["b", "b"]
    told = 'A person changed this call before it ran. It ran with: {"path":"b","times":2}\n\nwrote b'
    assert returns(result)["1"] == (told, "success")


async def test_an_edit_is_announced_beside_a_result_that_is_not_text() -> None:
    agent: Agent[object, str] = Agent(script([("a", {"x": 1}, "1"), ("b", {"x": 1}, "2")], "done"))
    agent.tool_plain(name="a")(_listing)
    agent.tool_plain(name="b")(_returning)
    person = Answers(Approve(override_args={"x": 7}))
    result = await agent.run("go", capabilities=[Gated(gate(person))])
    assert returns(result)["1"][0] == [7]
    assert returns(result)["2"][0] == 7
    told = 'A person changed this call before it ran. It ran with: {"x":7}'
    assert str(result.all_messages()).count(told) == 2


def _listing(x: int) -> list[int]:
    return [x]


def _returning(x: int) -> ToolReturn[int]:
    return ToolReturn(return_value=x, content="more")


async def test_an_edit_the_tool_cannot_take_is_refused() -> None:
    world = World()
    edit = Approve(override_args={"path": "b", "times": "many"})
    result = await world.agent(script([("write", {"path": "a"}, "1")], "done"), Gated(gate(Answers(edit)))).run("go")
    content, outcome = returns(result)["1"]
    assert outcome == "denied"
    assert "the edited arguments do not fit write" in str(content)
    assert world.wrote == []


async def test_an_edit_that_the_tool_would_change_once_more_is_refused() -> None:
    ran: list[str] = []

    def enter(path: Annotated[str, AfterValidator(lambda path: f"{path}/..")]) -> str:
        ran.append(path)
        return "entered"

    agent: Agent[object, str] = Agent(script([("enter", {"path": "a"}, "1")], "done"))
    agent.tool_plain(enter)
    person = Answers(Approve(override_args={"path": "b"}))
    result = await agent.run("go", capabilities=[Gated(gate(person))])
    assert "change what was approved" in str(returns(result)["1"][0])
    assert ran == []


async def test_an_edit_into_a_denied_call_is_denied() -> None:
    class NotB:
        def check_approval(self, call: ToolCall, /) -> Verdict:
            return Deny(reason="not b") if call.args["path"] == "b" else ApprovalRequest(description="write")

    world = World()
    edit = Approve(override_args={"path": "b"})
    model = script([("write", {"path": "a"}, "1")], "done")
    result = await world.agent(model, Gated(gate(Answers(edit)), policies={"write": NotB()})).run("go")
    assert returns(result)["1"] == (
        "write was denied by policy: not b. It was not executed; do not retry it unchanged.",
        "denied",
    )
    assert world.wrote == []


async def test_a_person_may_answer_in_the_tools_place() -> None:
    world = World()
    model = script([("write", {"path": "a"}, "1")], "done")
    result = await world.agent(model, Gated(gate(Answers(Respond(result="written by hand"))))).run("go")
    assert returns(result)["1"] == ("written by hand", "success")
    assert world.wrote == []


async def test_stopping_ends_the_run_and_the_next_run_of_the_conversation_asks_again() -> None:
    world, person = World(), Answers(Reject(stop=True, by="ana"), Approve())
    agent = world.agent(script([("write", {"path": "a"}, "1")], "done"), Gated(gate(person)))
    with pytest.raises(Stopped):
        await agent.run("go", conversation_id="talk")
    result = await agent.run("again", conversation_id="talk")
    assert result.output == "done"
    assert world.wrote == ["a"]


async def test_an_id_that_a_provider_uses_in_every_turn_names_another_call_each_time() -> None:
    world, person = World(), Answers(Approve())
    model = script([("write", {"path": "a"}, "call_0")], [("write", {"path": "b"}, "call_0")], "done")
    await world.agent(model, Gated(gate(person))).run("go")
    assert world.wrote == ["a", "b"]
    assert len(person.asked) == 2


async def test_a_nested_agent_inherits_the_gate_and_shows_the_chain() -> None:
    world, person = World(), Answers(Approve(), Reject(note="no inner writes"))
    inner = world.agent(script([("write", {"path": "x"}, "1")], "inner done"), Gated(), name="inner")
    outer: Agent[None, str] = Agent(script([("delegate", {}, "1")], "outer done"), name="outer")

    @outer.tool_plain
    async def delegate() -> str:
        result = await inner.run("work")
        return f"{result.output}: {returns(result)['1'][0]}"

    result = await run_with_approval(outer, "go", gate=gate(person))
    assert [(pending.call.tool_name, pending.call.agents) for pending in person.asked] == [
        ("delegate", ("outer",)),
        ("write", ("outer", "inner")),
    ]
    assert "no inner writes" in str(returns(result)["1"][0])
    assert world.wrote == []


async def test_an_inner_agent_with_a_gate_of_its_own_asks_there_and_shows_the_chain() -> None:
    world, outside, inside = World(), Answers(Approve()), Answers(Approve(scope=Scope.SESSION), Reject(note="not b"))
    calls = [("write", {"path": path}, str(number)) for number, path in enumerate("aab")]
    own = gate(inside)
    inner = world.agent(script(*([each] for each in calls), "inner done"), Gated(own, style="deferred"), name="inner")
    outer: Agent[None, str] = Agent(script([("delegate", {}, "1")], "outer done"), name="outer")

    @outer.tool_plain
    async def delegate() -> str:
        result = await inner.run("work")
        return f"{result.output}: {returns(result)['2'][0]}"

    around = gate(outside)
    result = await run_with_approval(outer, "go", gate=around)
    assert [(pending.call.tool_name, pending.call.agents) for pending in outside.asked] == [("delegate", ("outer",))]
    assert [(pending.call.args["path"], pending.call.agents) for pending in inside.asked] == [
        ("a", ("outer", "inner")),
        ("b", ("outer", "inner")),
    ]
    assert "inner done: " in str(returns(result)["1"][0])
    assert "not b" in str(returns(result)["1"][0])
    assert world.wrote == ["a", "a"]
    # Each gate has the record of its own calls, and what was approved there for the session is over.
    assert {entry.body.get("tool") for entry in around.store.journal() if "tool" in entry.body} == {"delegate"}
    assert {entry.body.get("tool") for entry in own.store.journal() if "tool" in entry.body} == {"write"}
    assert own.store.grants() == []


async def test_a_gated_agent_without_any_gate_does_not_run() -> None:
    with pytest.raises(GateFailed, match=r"Gated\(\) has no gate"):
        await World().agent(script("done"), Gated()).run("go")


async def test_what_another_capability_makes_of_the_arguments_is_what_is_judged() -> None:
    class Rewrites(AbstractCapability[None]):
        async def before_tool_execute(
            self, ctx: RunContext[None], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
        ) -> dict[str, Any]:
            return {"path": "/etc/passwd"}

    world, person = World(), Answers(Reject())
    model = script([("write", {"path": "a"}, "1")], "done")
    await world.agent(model, Gated(gate(person)), Rewrites()).run("go")
    assert person.asked[0].call.args == {"path": "/etc/passwd"}
    assert world.wrote == []


async def test_arguments_are_judged_as_the_tool_gets_them() -> None:
    class Item(BaseModel):
        name: str
        count: int = 1

    agent: Agent[object, str] = Agent(script([("buy", {"item": {"name": "tea", "count": "3"}}, "1")], "done"))

    @agent.tool_plain
    def buy(item: Item) -> str:
        return f"{item.count} {item.name}"

    person = Answers(Approve())
    result = await run_with_approval(agent, "go", gate=gate(person))
    assert returns(result)["1"] == ("3 tea", "success")
    assert person.asked[0].call.args in ({"item": {"name": "tea", "count": 3}}, {"name": "tea", "count": 3})


async def test_run_with_approval_keeps_any_output_type_and_says_the_prompt_once() -> None:
    class Report(BaseModel):
        lines: int

    world = World()
    agent: Agent[None, Report] = Agent(
        script([("write", {"path": "a"}, "1")], [("final_result", {"lines": 3}, "2")]), output_type=Report
    )
    agent.tool_plain(world.write)
    result = await run_with_approval(agent, "go", gate=gate(Answers(Approve())))
    assert result.output == Report(lines=3)
    assert prompts(result) == ["go"]


def test_run_with_approval_sync() -> None:
    world = World()
    agent = world.agent(script([("write", {"path": "a"}, "1")], "done"))
    assert run_with_approval_sync(agent, "go", gate=gate(Answers(Approve()))).output == "done"
    assert world.wrote == ["a"]


async def test_run_with_approval_sync_inside_a_running_loop() -> None:
    agent = World().agent(script([("write", {"path": "a"}, "1")], "done"))
    assert run_with_approval_sync(agent, "go", gate=gate(Answers(Approve()))).output == "done"


async def test_a_gate_for_one_run_takes_the_place_of_the_agents_own() -> None:
    own, given = Answers(Approve()), Answers(Approve())
    world = World()
    agent = world.agent(script([("write", {"path": "a"}, "1")], "done"), Gated(gate(own)))
    await run_with_approval(agent, "go", gate=gate(given))
    assert (len(own.asked), len(given.asked)) == (0, 1)
    assert world.wrote == ["a"]


async def test_a_tool_error_is_a_failed_result() -> None:
    agent: Agent[object, str] = Agent(script([("fails", {}, "1")], "done"))

    @agent.tool_plain
    def fails() -> str:
        message = "disk full"
        raise ToolError(message)

    result = await run_with_approval(agent, "go", gate=gate(), policies={"fails": ALLOW})
    assert returns(result)["1"] == ('{"error": "tool_error", "message": "disk full"}', "failed")


async def test_an_approver_that_breaks_is_a_refusal_the_model_reads() -> None:
    world = World()
    model = script([("write", {"path": "a"}, "1")], "done")
    result = await world.agent(model, Gated(gate(Answers(RuntimeError("no screen"))))).run("go")
    content, outcome = returns(result)["1"]
    assert (outcome, world.wrote) == ("denied", [])
    assert "The approver failed: RuntimeError: no screen" in str(content)


@pytest.mark.parametrize("mode", ["approve_all", "strict"])
async def test_the_modes_hold(mode: Any) -> None:  # noqa: ANN401
    world, person = World(), Answers(Approve())
    behind = gate(person, mode=mode)
    await world.agent(script([("write", {"path": "a"}, "1")], "done"), Gated(behind)).run("go")
    assert world.wrote == (["a"] if mode == "approve_all" else [])
    assert person.asked == []


async def test_streaming_runs_pass_the_gate_too() -> None:
    world, person = World(), Answers(Approve())
    calls = [("write", {"path": "a"}, "1"), ("write", {"path": "b"}, "2")]
    agent = world.agent(script(calls, "done"), Gated(gate(person)))
    async with agent.run_stream_events("go") as events:
        seen = [type(event).__name__ async for event in events]
    assert sorted(world.wrote) == ["a", "b"]
    assert "DeferredToolRequestsEvent" in seen


async def test_the_record_has_the_whole_story() -> None:
    behind: Gate = gate(Answers(Approve()))
    await World().agent(script([("write", {"path": "a"}, "1")], "done"), Gated(behind)).run("go")
    assert kinds(behind) == ["asked", "approved", "started", "done", "ended"]
    assert behind.store.verify() is None


async def test_what_would_reach_the_tool_unseen_is_refused() -> None:
    """A field that pydantic leaves out when it writes cannot be shown, nor bound."""

    class Command(BaseModel):
        argv: list[str]
        env: dict[str, str] = Field(default_factory=dict, exclude=True)

    ran: list[Command] = []
    hidden = {"cmd": {"argv": ["ls"], "env": {"LD_PRELOAD": "evil"}}}
    agent: Agent[object, str] = Agent(script([("run", {"cmd": {"argv": ["ls"]}}, "1")], [("run", hidden, "2")], "done"))

    @agent.tool_plain
    def run(cmd: Command) -> str:
        ran.append(cmd)
        return "ok"

    person = Answers(Approve(scope=Scope.SESSION))
    result = await run_with_approval(agent, "go", gate=gate(person))
    assert [command.env for command in ran] == [{}]
    assert returns(result)["2"][1] == "denied"
    assert "not written whole" in str(returns(result)["2"][0])


async def test_a_gate_for_one_run_keeps_what_the_agents_own_policies_deny() -> None:
    world, behind = World(), gate(mode="approve_all")
    agent = world.agent(script([("write", {"path": "/"}, "1")], "done"), Gated(behind, policies={"write": DENY}))
    result = await run_with_approval(agent, "go", gate=behind, policies={"write": ALLOW})
    assert returns(result)["1"][1] == "denied"
    assert world.wrote == []


async def test_where_nobody_can_be_asked_the_model_is_told() -> None:
    world = World()
    result = await world.agent(script([("write", {"path": "a"}, "1")], "done"), Gated(gate())).run("go")
    assert "nobody can be asked" in str(returns(result)["1"][0])
    assert world.wrote == []


async def test_arguments_that_cannot_be_written_and_read_back_are_refused_and_the_run_goes_on() -> None:
    agent: Agent[object, str] = Agent(script([("put", {"data": "/w=="}, "1")], "done"))

    @agent.tool_plain
    def put(data: Base64Bytes) -> str:
        return f"{len(data)} bytes"

    result = await run_with_approval(agent, "go", gate=gate(Answers(Approve())))
    assert (result.output, returns(result)["1"][1]) == ("done", "denied")


class LooksAround:
    """A policy that must look at something first."""

    def __init__(self) -> None:
        self.looked = 0

    async def prepare(self, _call: ToolCall, /) -> None:
        self.looked += 1

    def check_approval(self, _call: ToolCall, /) -> Verdict:
        assert self.looked
        return Allow(reason="seen")


async def test_a_policy_that_must_look_around_first_does_so() -> None:
    world, policy = World(), LooksAround()
    await world.agent(script([("write", {"path": "a"}, "1")], "done"), Gated(gate(), policies={"write": policy})).run(
        "go"
    )
    assert (world.wrote, policy.looked) == (["a"], 1)


async def test_what_a_tool_asks_by_itself_is_remembered_as_a_person_changed_it() -> None:
    def asks(path: str, call_id: str) -> tuple[ToolCall, ToolPolicy]:
        wanted = ToolCall(run="run", id=call_id, tool_name="write", args={"path": path})
        return wanted, ToolPolicy(tool=None, policy=None, asks=own_request("write", wanted.args, None))

    changed = Approve(override_args={"path": "b"}, scope=Scope.SESSION, by="ana")
    behind = gate(Answers(changed, Reject()))
    await behind.admit(*asks("a", "1"))
    assert (await behind.admit(*asks("b", "2"))).why.startswith("remembered answer of ana")
    with pytest.raises(Rejected):
        await behind.admit(*asks("a", "3"))
    assert [each.description for each in behind.store.grants()] == ["exactly this call: write(path='b')"]
