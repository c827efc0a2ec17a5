"""What LangChain tools get: exactly what was shown, judged and permitted, and what LangGraph adds."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentState, HostExecutionPolicy, ShellToolMiddleware
from langchain.tools import InjectedState, InjectedToolCallId, ToolRuntime
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, tool
from langgraph.graph import START, MessagesState, StateGraph  # pyright: ignore[reportMissingTypeStubs] — LangGraph has none there
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
    v1,
)

from assent import Allow, Approve, Fixed, Reject
from assent.adapters.langchain import Gated, gated
from assent.testing import Answers
from tests.adapters.langchain_kit import GO, Script, told, wanted, write
from tests.gate.kit import gate

ALLOW = Fixed(Allow(reason="harmless"))


class Letter(BaseModel):
    to: str = Field(alias="recipient")
    copies: int = 1

    @field_validator("to")
    @classmethod
    def lower(cls, value: str) -> str:
        return value.lower()


def test_arguments_are_judged_as_the_tools_own_validators_leave_them() -> None:
    person = Answers(Approve(override_args={"recipient": "BOB"}))
    mail = StructuredTool.from_function(_letter, name="mail", description="Mail.", args_schema=Letter)
    result = gated(mail, gate(person)).invoke({"recipient": "ANA"})
    assert dict(person.asked[0].call.args) == {"recipient": "ana", "copies": 1}
    assert result == "to bob, 1"


def _letter(to: str, copies: int) -> str:
    return f"to {to}, {copies}"


def _login(password: SecretStr) -> str:
    return f"in with {len(password)} letters"


def test_what_is_not_written_whole_is_refused() -> None:
    class Login(BaseModel):
        password: SecretStr

    person = Answers(Approve())
    login = StructuredTool.from_function(_login, name="login", description="Log in.", args_schema=Login)
    message = gated(login, gate(person)).invoke(wanted("login", password="hunter2"))  # noqa: S106 — made up
    assert "not written whole" in message.text
    assert person.asked == []


def test_arguments_that_the_tool_changes_at_every_reading_are_refused() -> None:
    @tool
    def enter(path: Annotated[str, AfterValidator(lambda path: f"{path}/..")]) -> str:
        """Enter a folder."""
        return f"entered {path}"

    person = Answers(Approve())
    message = gated(enter, gate(person)).invoke(wanted("enter", path="a/b"))
    assert "not written whole" in message.text
    assert person.asked == []


def test_arguments_that_do_not_fit_are_langchains_to_answer() -> None:
    person = Answers(Approve())
    with pytest.raises(ValidationError):
        gated(write, gate(person)).invoke({"times": "many"})
    assert person.asked == []


def test_a_tool_with_a_json_schema_gets_its_arguments_as_they_are() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    remote = StructuredTool(name="remote", description="Far away.", args_schema=schema, func=lambda **args: str(args))
    person = Answers(Approve(override_args={"path": "b"}))
    result = gated(remote, gate(person)).invoke({"path": "a", "more": 1})
    assert dict(person.asked[0].call.args) == {"path": "a", "more": 1}
    assert result == "{'path': 'b'}"


def test_a_json_schema_without_properties_is_a_schema_too() -> None:
    remote = StructuredTool(
        name="remote", description="Far.", args_schema={"type": "object"}, func=lambda **args: str(args)
    )
    person = Answers(Approve())
    assert gated(remote, gate(person)).invoke({"more": 1}) == "{'more': 1}"
    assert dict(person.asked[0].call.args) == {"more": 1}


class Shell(BaseTool):
    """Without a schema, as LangChain's `Tool` is: arguments come as they are."""

    name: str = "shell"
    description: str = "Run a command."
    ran: list[object] = Field(default_factory=list[object])

    def _run(self, **args: object) -> str:
        self.ran.append(args)
        return "ran"


DEEP: Any = json.loads("[" * 70 + '"rm"' + "]" * 70)
REMOTE: dict[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}}


@pytest.mark.parametrize(
    "odd", ["rm -rf / #\ud800", float("nan"), DEEP, object()], ids=["text", "nan", "deep", "object"]
)
@pytest.mark.parametrize("schema", [None, REMOTE], ids=["no schema", "JSON schema"])
@pytest.mark.parametrize("policies", [{}, {"shell": ALLOW}], ids=["asks", "allowed"])
def test_what_json_cannot_spell_reaches_no_tool_unseen(odd: object, schema: Any, policies: Any) -> None:  # noqa: ANN401
    shell, person = Shell(args_schema=schema), Answers(Approve())
    agent = create_agent(
        Script(turns=[[("shell", {"path": "a", "command": odd}, "1")], "done"]),
        [shell],
        middleware=[Gated(gate(person), policies=policies)],
    )
    assert "which JSON cannot spell" in told(agent.invoke(GO)["messages"])["1"]
    assert (person.asked, shell.ran) == ([], [])


class Frame:
    """Nothing pydantic could write."""


@pytest.mark.parametrize("data", [Frame(), json.loads("[" * 300 + "]" * 300)], ids=["object", "deep"])
def test_arguments_that_cannot_be_written_are_refused_and_the_run_goes_on(data: object) -> None:
    @tool
    def put(data: Any) -> str:  # noqa: ANN401
        """Put something somewhere."""
        return "put"

    person = Answers(Approve())
    agent = create_agent(
        Script(turns=[[("put", {"data": data}, "1")], "done"]), [put], middleware=[Gated(gate(person))]
    )
    messages = agent.invoke(GO)["messages"]
    assert "data of put that is not written at all" in told(messages)["1"]
    assert messages[-1].text == "done"
    assert person.asked == []


class Mail(BaseModel):
    model_config = ConfigDict(extra="allow")

    to: str = Field(alias="recipient")
    copy_to: str = ""
    state: Annotated[dict[str, Any], InjectedState]
    call_id: Annotated[str, InjectedToolCallId]

    @field_validator("to")
    @classmethod
    def known(cls, value: str) -> str:
        return {"team": "everyone@example.org"}.get(value, value)

    @model_validator(mode="after")
    def copied(self) -> "Mail":
        self.copy_to = self.copy_to or f"sender-{len(self.state['messages'])}@example.org"
        return self


def test_with_injected_arguments_too_the_tools_own_validators_come_before_the_question() -> None:
    sent: list[object] = []

    def send_mail(to: str, copy_to: str, state: dict[str, Any], call_id: str, **more: object) -> str:
        sent.append((to, copy_to, len(state["messages"]), call_id, more))
        return "sent"

    mail = StructuredTool.from_function(send_mail, name="mail", description="Mail.", args_schema=Mail)
    person = Answers(Approve(), Approve(override_args={"recipient": "ana"}))
    turns = [[("mail", {"recipient": "team", "urgent": True}, "1")], [("mail", {"recipient": "team"}, "2")], "done"]
    create_agent(Script(turns=turns), [mail], middleware=[Gated(gate(person))]).invoke(GO)
    assert dict(person.asked[0].call.args) == {
        "recipient": "everyone@example.org",
        "copy_to": "sender-2@example.org",
        "urgent": True,
    }
    assert sent == [
        ("everyone@example.org", "sender-2@example.org", 2, "1", {"urgent": True}),
        ("ana", "sender-4@example.org", 4, "2", {}),
    ]


def test_a_schema_of_the_first_pydantic_is_refused() -> None:
    class Old(v1.BaseModel):
        path: str

        @v1.validator("path")  # pyright: ignore[reportUntypedFunctionDecorator] — pydantic 1 has no types here
        def rooted(cls, value: str) -> str:  # noqa: N805 — as pydantic 1 has it
            return f"/etc/{value}"

    person = Answers(Approve())
    old: Any = StructuredTool.from_function(
        lambda path: f"wrote {path}", name="old", description="Old.", args_schema=Old
    )
    assert "old has none of pydantic 2" in gated(old, gate(person)).invoke(wanted("old", path="passwd")).text
    assert person.asked == []


@tool
def pay(amount: int, account: Annotated[str, InjectedToolArg]) -> str:
    """Pay somebody."""
    return f"paid {amount} from {account}"


@tool
def pay_as(amount: int, account: Annotated[str, InjectedState("account")]) -> str:
    """Pay somebody from the account of whoever talks."""
    return f"paid {amount} from {account}"


@pytest.mark.parametrize("paying", [pay, pay_as], ids=lambda each: each.name)
def test_outside_of_a_graph_nobody_injects_so_all_that_came_with_a_call_is_shown(paying: BaseTool) -> None:
    person = Answers(Approve())
    message = gated(paying, gate(person)).invoke(wanted(paying.name, amount=1, account="victim"))
    assert dict(person.asked[0].call.args) == {"amount": 1, "account": "victim"}
    assert message.text == "paid 1 from victim"


@pytest.mark.parametrize("paying", [pay, pay_as], ids=lambda each: each.name)
def test_in_an_agent_the_model_cannot_fill_in_what_is_injected(paying: BaseTool) -> None:
    class Talk(AgentState[Any]):
        account: str

    person = Answers(Approve())
    agent: Any = create_agent(
        Script(turns=[[(paying.name, {"amount": 1, "account": "victim"}, "1")], "done"]),
        [paying],
        middleware=[Gated(gate(person))],
        state_schema=Talk,
    )
    said = told(agent.invoke({**GO, "account": "mine"})["messages"])["1"]
    assert "victim" not in said.partition("with kwargs")[0]
    assert [dict(pending.call.args) for pending in person.asked] == ([{"amount": 1}] if paying is pay_as else [])


@tool
def look(text: str, runtime: Any) -> str:  # noqa: ANN401
    """Look around; LangGraph goes by the name."""
    return f"{text} of {runtime.tool_call_id}"


def test_a_runtime_that_says_nothing_of_its_type_is_injected_too() -> None:
    person = Answers(Approve())
    agent = create_agent(
        Script(turns=[[("look", {"text": "a", "runtime": "forged"}, "1")], "done"]),
        [look],
        middleware=[Gated(gate(person))],
    )
    assert told(agent.invoke(GO)["messages"]) == {"1": "a of 1"}
    assert dict(person.asked[0].call.args) == {"text": "a"}


@pytest.fixture
def tidy(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostExecutionPolicy]:
    """LangChain leaves its shell's pipes to the garbage collector, which complains in whatever test runs then."""
    policy = HostExecutionPolicy()
    spawn, spawned = policy.spawn, list[Popen[str]]()

    def remembered(**options: Any) -> Popen[str]:  # noqa: ANN401 — as LangChain has it
        spawned.append(spawn(**options))
        return spawned[-1]

    monkeypatch.setattr(policy, "spawn", remembered)
    yield policy
    for thread in threading.enumerate():
        if "_enqueue_stream" in thread.name:
            thread.join(10)
    for process in spawned:
        for pipe in (process.stdout, process.stderr):
            assert pipe
            pipe.close()


@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
async def test_langchains_own_shell_works_behind_the_gate(how: str, tmp_path: Path, tidy: HostExecutionPolicy) -> None:
    person = Answers(Approve(override_args={"command": "echo edited"}))
    agent = create_agent(
        Script(turns=[[("shell", {"command": "echo hi"}, "1")], "done"]),
        [],
        middleware=[ShellToolMiddleware(workspace_root=tmp_path, execution_policy=tidy), Gated(gate(person))],
    )
    result = agent.invoke(GO) if how == "invoke" else await agent.ainvoke(GO)
    assert told(result["messages"])["1"].endswith("\n\nedited\n")
    assert dict(person.asked[0].call.args) == {"command": "echo hi", "restart": None}


def test_what_langgraph_injects_is_neither_shown_nor_lost() -> None:
    seen: list[object] = []

    @tool
    def note(
        text: str,
        messages: Annotated[list[Any], InjectedState("messages")],
        call_id: Annotated[str, InjectedToolCallId],
        runtime: ToolRuntime[Any, Any],
    ) -> str:
        """Note something."""
        seen.extend([text, messages[0].text, call_id, runtime.tool_call_id])
        return "noted"

    person = Answers(Approve(override_args={"text": "b"}))
    agent = create_agent(
        Script(turns=[[("note", {"text": "a"}, "1")], "done"]), [note], middleware=[Gated(gate(person))]
    )
    agent.invoke(GO)
    assert dict(person.asked[0].call.args) == {"text": "a"}
    assert seen == ["b", "go", "1", "1"]


def test_what_langgraph_injects_reaches_a_bare_tool_in_an_agent() -> None:
    @tool
    def note(text: str, runtime: ToolRuntime[Any, Any]) -> str:
        """Note something."""
        return f"{text} of {runtime.tool_call_id}"

    person = Answers(Approve())
    agent = create_agent(Script(turns=[[("note", {"text": "a"}, "1")], "done"]), [gated(note, gate(person))])
    assert told(agent.invoke(GO)["messages"]) == {"1": "a of 1"}
    assert dict(person.asked[0].call.args) == {"text": "a"}


def test_a_node_of_ones_own_shows_what_a_model_writes_under_an_injected_name() -> None:
    @tool
    def pay(amount: int, state: Annotated[Any, InjectedState]) -> str:  # noqa: ANN401 — whatever the graph has
        """Pay."""
        return f"paid {amount} as {state}"

    person = Answers(Approve())
    behind = gated(pay, gate(person))

    def call(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
        return {"messages": [behind.invoke(wanted("pay", amount=1, state={"user": "admin"}), config)]}

    graph: Any = StateGraph(MessagesState).add_node("call", call).add_edge(START, "call").compile()
    assert graph.invoke(GO)["messages"][-1].text == "paid 1 as {'user': 'admin'}"
    assert person.asked[0].call.args == {"amount": 1, "state": {"user": "admin"}}


@pytest.mark.parametrize("odd", ["\ud800", float("nan"), [[[]] * 2] * 3, json.loads("[" * 80 + "]" * 80)])
def test_what_a_model_writes_there_and_nobody_could_show_does_not_run(odd: object) -> None:
    ran: list[object] = []

    @tool
    def pay(amount: int, state: Annotated[Any, InjectedState]) -> str:  # noqa: ANN401 — whatever the graph has
        """Pay."""
        ran.append(state)
        return f"paid {amount}"

    person = Answers(Reject())
    behind = gated(pay, gate(person))

    def call(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
        return {"messages": [behind.invoke(wanted("pay", amount=1, state={"user": "admin", "odd": odd}), config)]}

    graph: Any = StateGraph(MessagesState).add_node("call", call).add_edge(START, "call").compile()
    assert graph.invoke(GO)["messages"][-1].status == "error"
    assert ran == []
    assert all("state" in asked.call.args for asked in person.asked)
