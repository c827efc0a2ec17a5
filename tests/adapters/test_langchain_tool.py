"""Single LangChain tools behind a gate, and what the tools get: exactly what was permitted."""

from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain.tools import InjectedToolCallId
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, Tool, ToolException, tool
from langgraph.graph import START, MessagesState, StateGraph  # pyright: ignore[reportMissingTypeStubs] — LangGraph has none there
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from assent import Allow, Approve, Deny, Fixed, Gate, Reject, Respond, Scope, ToolCall, Verdict, requires_approval
from assent.adapters.langchain import Gated, gated
from assent.errors import Rejected, Stopped, ToolError
from assent.testing import Answers
from tests.adapters.langchain_kit import GO, Script, told, wanted, write
from tests.gate.kit import gate, kinds

ALLOW = Fixed(Allow(reason="harmless"))
DENY = Fixed(Deny(reason="never"))


@tool
async def send(path: str) -> str:
    """Send a file."""
    return f"sent {path}"


# A tool without an agent


def test_a_bare_tool_is_called_as_before_and_asks_first() -> None:
    person = Answers(Approve())
    assert gated(write, gate(person)).invoke({"path": "a"}) == "wrote a 1"
    assert dict(person.asked[0].call.args) == {"path": "a", "times": 1}


async def test_a_bare_tool_asks_in_asynchronous_code_too() -> None:
    person = Answers(Approve())
    behind = gate(person)
    assert await gated(send, behind).ainvoke({"path": "a"}) == "sent a"
    assert await gated(write, behind).ainvoke({"path": "a"}) == "wrote a 1"
    assert len(person.asked) == 2


def test_python_code_gets_a_refusal_as_an_exception_and_a_model_as_a_message() -> None:
    behind = gated(write, gate(Answers(Reject(note="not today"))))
    with pytest.raises(Rejected, match="not today"):
        behind.invoke({"path": "a"})
    message = behind.invoke(wanted("write", path="a"))
    assert isinstance(message, ToolMessage)
    assert (message.status, message.tool_call_id) == ("error", "1")
    assert "not today" in message.text


async def test_asynchronous_python_code_gets_a_refusal_too() -> None:
    with pytest.raises(Rejected, match="not today"):
        await gated(write, gate(Answers(Reject(note="not today")))).ainvoke({"path": "a"})


def test_every_way_into_a_bare_tool_asks() -> None:
    person = Answers(Approve())
    behind = gated(write, gate(person))
    behind.run({"path": "a"})
    behind.batch([{"path": "b"}, {"path": "c"}])
    behind._run(path="d")
    assert sorted(str(pending.call.args["path"]) for pending in person.asked) == ["a", "b", "c", "d"]


def test_text_alone_is_the_tools_only_argument() -> None:
    person = Answers(Approve())
    shout = Tool(name="shout", description="Shout.", func=str.upper)
    assert gated(shout, gate(person)).invoke("hello") == "HELLO"
    assert gated(write, gate(person)).invoke("a") == "wrote a 1"
    assert [list(pending.call.args.values()) for pending in person.asked] == [["hello"], ["a", 1]]


def test_a_bare_tool_looks_like_the_one_it_stands_for() -> None:
    behind = gated(write, gate())
    assert (behind.name, behind.description, behind.args) == (write.name, write.description, write.args)
    assert behind.tool_call_schema is write.tool_call_schema


def test_a_policy_may_be_given_or_be_the_functions_or_the_tools_own() -> None:
    assert gated(write, gate(), policy=ALLOW).invoke({"path": "a"}) == "wrote a 1"

    @tool
    @requires_approval(description=lambda args: f"Mail {args['to']}")
    def mail(to: str) -> str:
        """Mail somebody."""
        return f"mailed {to}"

    class Shred(BaseTool):
        name: str = "shred"
        description: str = "Shred a file."

        def _run(self, path: str) -> str:
            return f"shredded {path}"

        def check_approval(self, call: ToolCall, /) -> Verdict:
            return Deny(reason="nothing is shredded here")

    person = Answers(Approve())
    assert gated(mail, gate(person)).invoke({"to": "ana"}) == "mailed ana"
    assert person.asked[0].request.description == "Mail ana"
    with pytest.raises(PermissionError, match="nothing is shredded here"):
        gated(Shred(), gate(person)).invoke({"path": "a"})


class Rules(list[str]):
    """A policy that is empty."""

    def check_approval(self, call: ToolCall, /) -> Verdict:
        return Allow(reason="in the list") if call.tool_name in self else Deny(reason="not in the list")


def test_an_empty_policy_counts() -> None:
    @tool
    @requires_approval()
    def mail(to: str) -> str:
        """Mail somebody."""
        return f"mailed {to}"

    with pytest.raises(PermissionError, match="not in the list"):
        gated(mail, gate(Answers(Approve())), policy=Rules()).invoke({"to": "ana"})


def test_a_person_may_answer_in_a_bare_tools_place() -> None:
    behind = gated(write, gate(Answers(Respond(result={"done": True}))))
    assert behind.invoke({"path": "a"}) == {"done": True}
    message = behind.invoke(wanted("write", path="a"))
    assert (message.content, message.status) == ('{"done": true}', "success")


def test_a_bare_tools_rejection_may_stop_everything() -> None:
    with pytest.raises(Stopped, match="enough"):
        gated(write, gate(Answers(Reject(note="enough"))), on_reject="stop").invoke(wanted("write", path="a"))


# In an agent


class Meddler(AgentMiddleware[Any, Any, Any]):
    """Changes every call on its way to the tool."""

    def wrap_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:  # noqa: ANN401
        return handler(request.override(tool_call={**request.tool_call, "args": {"path": "meddled"}}))


@pytest.mark.parametrize("outermost", [True, False])
def test_the_permit_is_for_what_the_tool_really_gets(outermost: bool) -> None:  # noqa: FBT001 — a column
    person = Answers(Approve())
    layers = [Gated(gate(person)), Meddler()]
    agent = create_agent(
        Script(turns=[[("write", {"path": "a"}, "1")], "done"]),
        [write],
        middleware=layers if outermost else layers[::-1],
    )
    assert told(agent.invoke(GO)["messages"]) == {"1": "wrote meddled 1"}
    assert [pending.call.args["path"] for pending in person.asked] == ["meddled"]


class Again(AgentMiddleware[Any, Any, Any]):
    """Runs every call twice, as a retry would."""

    def wrap_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:  # noqa: ANN401
        handler(request)
        return handler(request)


@pytest.mark.parametrize("outermost", [True, False])
def test_one_approval_runs_a_tool_once_whoever_calls_again(outermost: bool) -> None:  # noqa: FBT001 — a column
    person = Answers(Approve())
    layers = [Gated(gate(person)), Again()]
    agent = create_agent(
        Script(turns=[[("write", {"path": "a"}, "1")], "done"]),
        [write],
        middleware=layers if outermost else layers[::-1],
    )
    assert "already used" in told(agent.invoke(GO)["messages"])["1"]
    assert len(person.asked) == 1


class Finder(AgentMiddleware[Any, Any, Any]):
    """Finds a tool for a name that the agent does not know."""

    def wrap_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:  # noqa: ANN401
        return handler(request.override(tool=write) if request.tool is None else request)


def test_a_tool_that_other_middleware_finds_passes_the_gate_or_does_not_run() -> None:
    person = Answers(Approve())
    hidden = Script(turns=[[("hidden", {"path": "a"}, "1")], "done"])
    inside = create_agent(hidden, [send], middleware=[Gated(gate(person)), Finder()])
    assert "There is no tool named 'hidden'; the tools are: send" in told(inside.invoke(GO)["messages"])["1"]
    assert person.asked == []
    outside = create_agent(hidden, [send], middleware=[Finder(), Gated(gate(person))])
    assert told(outside.invoke(GO)["messages"]) == {"1": "wrote a 1"}
    assert len(person.asked) == 1


def test_a_failure_that_langchain_makes_a_message_of_is_a_failure_on_the_record() -> None:
    def burn(path: str) -> str:
        raise ToolException(f"{path} does not burn")

    handled = StructuredTool.from_function(burn, name="burn", description="Burn.", handle_tool_error=True)
    behind = gate(Answers(Approve()))
    message = gated(handled, behind).invoke(wanted("burn", path="a"))
    assert (message.text, message.status) == ("a does not burn", "error")
    assert kinds(behind)[-1] == "failed"


def test_a_refusal_inside_of_a_tool_is_the_tools_failure() -> None:
    behind = gate()
    inner = gated(write, behind, policy=DENY)

    @tool
    def outer(path: str) -> str:
        """Write through another tool."""
        return str(inner.invoke({"path": path}))

    message = gated(outer, behind, policy=ALLOW).invoke(wanted("outer", path="a"))
    assert "outer did not finish: write was denied by policy: never" in message.text
    with pytest.raises(ToolError, match="outer did not finish"):
        gated(outer, behind, policy=ALLOW).invoke({"path": "a"})


def test_an_edit_is_announced_in_content_blocks_and_in_commands() -> None:
    @tool
    def blocks(text: str) -> list[dict[str, str]]:
        """Answer in blocks."""
        return [{"type": "text", "text": text}]

    @tool
    def command(text: str, call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Answer with a command."""
        return Command(update={"messages": [ToolMessage(text, tool_call_id=call_id), HumanMessage("more")]})

    person = Answers(Approve(override_args={"text": "b"}))
    turns = [[("blocks", {"text": "a"}, "1"), ("command", {"text": "a"}, "2")], "done"]
    messages = create_agent(Script(turns=turns), [blocks, command], middleware=[Gated(gate(person))]).invoke(GO)[
        "messages"
    ]
    note = 'A person changed this call before it ran. It ran with: {"text":"b"}'
    assert told(messages) == {"1": f"{note}b", "2": f"{note}\n\nb"}
    assert [message.text for message in messages if isinstance(message, HumanMessage)] == ["go", "more"]


def test_a_middleware_without_a_gate_refuses_outside_of_a_gated_run() -> None:
    agent = create_agent(Script(turns=[[("write", {"path": "a"}, "1")], "done"]), [write], middleware=[Gated()])
    assert "Gated() has no gate" in told(agent.invoke(GO)["messages"])["1"]


def test_a_conversation_without_a_thread_is_a_run_of_its_own_and_a_thread_is_one() -> None:
    person = Answers(Approve())
    agent = create_agent(
        Script(turns=[[("write", {"path": "a"}, "1")], "done"]), [write], middleware=[Gated(gate(person))]
    )
    agent.invoke(GO)
    agent.invoke(GO)
    agent.invoke(GO, {"configurable": {"thread_id": "t"}, "metadata": {"user": "ana"}})
    first, second, third = (pending.call for pending in person.asked)
    assert len({first.run, second.run, third.run}) == 3
    assert third.run == "t"
    assert third.metadata["user"] == "ana"
    assert third.metadata["langgraph_node"] == "tools"


def test_what_json_cannot_spell_of_a_runs_metadata_is_left_out() -> None:
    person = Answers(Approve())
    agent = create_agent(
        Script(turns=[[("write", {"path": "a"}, "1")], "done"]), [write], middleware=[Gated(gate(person))]
    )
    agent.invoke(GO, {"metadata": {"scope": Scope.ONCE, "share": 0.5, "object": object(), "user": "ana"}})
    assert person.asked[0].call.metadata.keys() & {"scope", "share", "object", "user"} == {"user"}


def test_a_gate_is_the_only_thing_an_agent_needs() -> None:
    strict: Gate = gate(mode="strict")
    agent = create_agent(Script(turns=[[("write", {"path": "a"}, "1")], "done"]), [write], middleware=[Gated(strict)])
    assert "approval required" in told(agent.invoke(GO)["messages"])["1"]


# Agents inside of tools


@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
@pytest.mark.parametrize("layers", [[], [Gated()]])
async def test_the_tools_of_an_inner_agent_pass_the_gate_or_do_not_start(how: str, layers: list[Gated]) -> None:
    inner: Any = create_agent(
        Script(turns=[[("write", {"path": "a"}, "1")], "done inside"]), [write], middleware=layers
    )

    @tool
    async def delegate(task: str) -> str:
        """Hand a task to another agent."""
        return str((await inner.ainvoke({"messages": [("user", task)]}))["messages"][-1].text)

    @tool
    def delegate_sync(task: str) -> str:
        """Hand a task to another agent."""
        return str(inner.invoke({"messages": [("user", task)]})["messages"][-1].text)

    name = "delegate" if how == "ainvoke" else "delegate_sync"
    person = Answers(Approve())
    agent = create_agent(
        Script(turns=[[(name, {"task": "x"}, "1")], "done"]),
        [delegate, delegate_sync],
        middleware=[Gated(gate(person))],
    )
    result = agent.invoke(GO) if how == "invoke" else await agent.ainvoke(GO)
    expected = "done inside" if layers else "an inner agent without one wants to run write"
    assert expected in told(result["messages"])["1"]
    assert [pending.call.tool_name for pending in person.asked] == [name, *(["write"] if layers else [])]


@pytest.mark.parametrize("around", [("outer",), ()])
def test_an_inner_agent_without_a_name_is_called_after_the_tool_that_started_it(around: tuple[str, ...]) -> None:
    inner: Any = create_agent(
        Script(turns=[[("write", {"path": "a"}, "1")], "done inside"]), [write], middleware=[Gated()]
    )

    def delegate(task: str) -> str:
        """Hand a task to another agent."""
        return str(inner.invoke({"messages": [("user", task)]})["messages"][-1].text)

    person = Answers(Approve(scope=Scope.SESSION))
    turns = [[("one", {"task": "x"}, "1")], [("two", {"task": "x"}, "2")], [("write", {"path": "a"}, "3")], "done"]
    tools = [tool("one")(delegate), tool("two")(delegate), write]
    agent = create_agent(Script(turns=turns), tools, middleware=[Gated(gate(person))], name="".join(around) or None)
    agent.invoke(GO)
    assert [(pending.call.tool_name, pending.call.agents) for pending in person.asked] == [
        ("one", around),
        ("write", (*around, "one")),
        ("two", around),
        ("write", (*around, "two")),
        ("write", around),
    ]


def test_a_gated_tool_of_a_gated_agent_is_no_agent_of_its_own() -> None:
    person = Answers(Approve())
    behind = gate(person)
    turns = [[("write", {"path": "a"}, "1")], "done"]
    create_agent(Script(turns=turns), [gated(write, behind)], middleware=[Gated(behind)], name="one").invoke(GO)
    assert [pending.call.agents for pending in person.asked] == [("one",), ("one",)]


def test_a_tool_may_use_other_tools_as_it_likes() -> None:
    @tool
    def write_all(paths: list[str]) -> str:
        """Write several files."""
        return " ".join(str(write.invoke({"path": path})) for path in paths)

    person = Answers(Approve())
    turns = [[("write_all", {"paths": ["a", "b"]}, "1")], "done"]
    agent = create_agent(Script(turns=turns), [write_all], middleware=[Gated(gate(person))])
    assert told(agent.invoke(GO)["messages"]) == {"1": "wrote a 1 wrote b 1"}
    assert len(person.asked) == 1


# Graphs of one's own


@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
async def test_a_tool_node_of_ones_own_takes_the_middleware_or_gated_tools(how: str) -> None:
    person = Answers(Approve(override_args={"path": "b"}))
    behind = Gated(gate(person))
    hooked = ToolNode([write], wrap_tool_call=behind.wrap_tool_call, awrap_tool_call=behind.awrap_tool_call)
    for node in (hooked, ToolNode([gated(write, gate(person))])):
        graph: Any = StateGraph(MessagesState).add_node("act", node).add_edge(START, "act").compile()
        asked: Any = {"messages": [AIMessage("", tool_calls=[wanted("write", path="a")])]}
        result = graph.invoke(asked) if how == "invoke" else await graph.ainvoke(asked)
        assert told(result["messages"])["1"].endswith("wrote b 1")
    assert [pending.call.metadata["langgraph_node"] for pending in person.asked] == ["act", "act"]
