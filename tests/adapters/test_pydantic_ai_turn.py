"""A turn with one question, one that ends the run, and what the tool gets in the end."""

import asyncio
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Base64Bytes, Strict, ValidationInfo
from pydantic_ai import Agent, RunContext
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.output import ToolOutput
from pydantic_ai.toolsets import FunctionToolset

from assent import Allow, Approve, Fixed, Pending, Reject, Scope
from assent.adapters.pydantic_ai import Gated
from assent.model import EffectState
from assent.testing import Answers, memory_store
from tests.adapters.kit import returns, script
from tests.gate.kit import gate, kinds

ONE = script([("write", {"path": "a"}, "1")], "done")
FREE = Fixed(Allow(reason="harmless"))
RAN = ["asked", "approved", "started", "done", "ended"]


class Toolset:
    """One tool, and what it wrote."""

    def __init__(self) -> None:
        self.wrote: list[str] = []
        self.tools: FunctionToolset[object] = FunctionToolset([self.write])

    def write(self, path: str) -> str:
        """Write a file."""
        self.wrote.append(path)
        return f"wrote {path}"


async def test_a_tool_that_asks_by_itself_runs_once_a_person_has_approved_it_alone() -> None:
    world, behind = Toolset(), gate(Answers(Approve()))
    agent: Agent[object, str] = Agent(ONE, toolsets=[world.tools.approval_required()], capabilities=[Gated(behind)])
    assert returns(await agent.run("go")) == {"1": ("wrote a", "success")}
    assert kinds(behind) == RAN


async def test_a_tool_that_raises_its_question_runs_once_a_person_has_approved_it_alone() -> None:
    behind = gate(Answers(Approve()))
    agent: Agent[object, str] = Agent(ONE, capabilities=[Gated(behind)])

    @agent.tool
    def write(ctx: RunContext[object], path: str) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return path

    assert returns(await agent.run("go")) == {"1": ("a", "success")}
    assert kinds(behind) == RAN


@pytest.mark.parametrize("strategy", ["graceful", "exhaustive"])
async def test_a_call_beside_the_final_answer_is_asked_about(strategy: Literal["graceful", "exhaustive"]) -> None:
    for answer, wrote in ((Approve(), ["a"]), (Reject(), [])):
        world, behind = Toolset(), gate(Answers(answer))
        agent = Agent(
            script([("write", {"path": "a"}, "1"), ("final", {"response": 3}, "2")]),
            toolsets=[world.tools],
            output_type=ToolOutput(int, name="final"),
            end_strategy=strategy,
            capabilities=[Gated(behind)],
        )
        assert (await agent.run("go")).output == 3
        assert world.wrote == wrote
        assert kinds(behind)[0] == "asked"
        assert behind.store.desk() == []


async def test_a_question_that_pydantic_ai_drops_is_taken_back() -> None:
    behind = gate(Answers(Approve()))
    agent: Agent[object, str] = Agent(
        script([("write", {"path": "a"}, "1"), ("fails", {}, "2")], "done"),
        toolsets=[Toolset().tools],
        capabilities=[Gated(behind)],
    )

    @agent.tool_plain(requires_approval=False)
    async def fails() -> str:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await agent.run("go", capabilities=[Gated(behind, policies={"fails": FREE})])
    assert behind.store.desk() == []
    assert "cancelled" in kinds(behind)


async def test_a_question_that_another_run_waits_for_is_not_taken_back() -> None:
    store = memory_store()
    store.shared = True  # somebody else answers
    behind, tries = gate(store=store), [0]
    agent: Agent[object, str] = Agent(
        script("unused", "done"), toolsets=[Toolset().tools], capabilities=[Gated(behind, policies={"load": FREE})]
    )

    @agent.tool_plain
    async def load() -> None:
        tries[0] += 1
        if tries[0] == 2:
            raise ConnectionError

    parts = [ToolCallPart("write", {"path": "a"}, tool_call_id="1"), ToolCallPart("load", {}, tool_call_id="2")]
    turn: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("go")]), ModelResponse(parts=parts)]
    first = asyncio.create_task(agent.run(message_history=turn, conversation_id="one"))
    while not store.desk() or not tries[0]:  # noqa: ASYNC110 — as somebody elsewhere would see it
        await asyncio.sleep(0.01)
    with pytest.raises(ConnectionError):
        await agent.run(message_history=turn, conversation_id="one")
    behind.answer(store.desk()[0].id, Approve())
    assert returns(await first)["1"] == ("wrote a", "success")


@pytest.mark.parametrize("at_once", [False, True])
async def test_what_somebody_changes_while_a_person_looks_does_not_run(at_once: bool) -> None:  # noqa: FBT001
    team = ["ana"]
    sent: list[list[str]] = []

    def everybody(_pending: Pending) -> Approve:
        team.append("everybody")
        return Approve()

    class AtOnce(Answers):
        def at_once(self, pending: Pending, /) -> Approve:
            return everybody(pending)

    behind = gate((AtOnce if at_once else Answers)(everybody))
    agent: Agent[object, str] = Agent(script([("mail", {"to": ["team"]}, "1")], "done"), capabilities=[Gated(behind)])

    @agent.tool_plain
    def mail(to: Annotated[list[str], AfterValidator(lambda _: team)]) -> None:
        sent.append(to)

    told, outcome = returns(await agent.run("go"))["1"]
    assert (sent, outcome) == ([], "denied")
    assert "changed while somebody looked" in str(told)
    (asked,) = behind.store.recent(1)
    # What was written as started did not run.
    assert (asked.effect and asked.effect.state) == (EffectState.FAILED if at_once else None)


async def test_an_edit_is_validated_as_pydantic_ai_validates_the_call() -> None:
    def inside(path: str, info: ValidationInfo) -> str:
        assert info.context
        root: str = info.context["root"]
        return path if path.startswith(root) else root + path

    agent: Agent[object, str] = Agent(
        script([("write", {"path": "a", "day": "2026-01-02"}, "1")], "done"),
        validation_context={"root": "/work/"},
    )
    wrote: list[tuple[str, date]] = []

    @agent.tool_plain
    def write(path: Annotated[str, AfterValidator(inside)], day: date) -> None:
        wrote.append((path, day))

    edit = Approve(override_args={"path": "b", "day": "2026-01-03"})
    await agent.run("go", capabilities=[Gated(gate(Answers(edit)))])
    assert wrote == [("/work/b", date(2026, 1, 3))]


async def test_a_strict_type_is_read_as_the_model_wrote_it() -> None:
    ran: list[date] = []
    words: Any = '{"day": "2026-01-02"}'  # as most models write them
    agent: Agent[object, str] = Agent(script([("book", words, "1")], "done"))

    @agent.tool_plain(requires_approval=True)
    def book(day: Annotated[date, Strict()]) -> None:
        ran.append(day)

    await agent.run("go", capabilities=[Gated(gate(Answers(Approve())))])
    assert ran == [date(2026, 1, 2)]


async def test_bytes_are_shown_as_the_text_they_came_as() -> None:
    ran: list[bytes] = []
    person = Answers(Approve())
    agent: Agent[object, str] = Agent(script([("send", {"body": "héllo"}, "1")], "done"))

    @agent.tool_plain
    def send(body: bytes) -> None:
        ran.append(body)

    await agent.run("go", capabilities=[Gated(gate(person))])
    assert ran == ["héllo".encode()]
    assert person.asked[0].call.args == {"body": "héllo"}


async def test_bytes_of_base64_are_shown_as_they_came_and_may_be_edited() -> None:
    ran: list[bytes] = []
    person = Answers(Approve(), Approve(override_args={"body": "d29ybGQ="}))
    agent: Agent[object, str] = Agent(
        script([("send", {"body": "aGVsbG8="}, "1")], [("send", {"body": "aGVsbG8="}, "2")], "done")
    )

    @agent.tool_plain
    def send(body: Base64Bytes) -> None:
        ran.append(body)

    await agent.run("go", capabilities=[Gated(gate(person))])
    assert ran == [b"hello", b"world"]
    assert person.asked[0].call.args == {"body": "aGVsbG8="}


async def test_an_inner_agent_with_another_gate_on_the_same_record_does_not_end_the_outer_run() -> None:
    store, world = memory_store(), Toolset()
    person = Answers(Approve(scope=Scope.SESSION))
    inner: Agent[object, str] = Agent("test", capabilities=[Gated(gate(Answers(Approve()), store=store))], name="inner")
    agent: Agent[object, str] = Agent(
        script([("write", {"path": "a"}, "1")], [("ask", {}, "2")], [("write", {"path": "a"}, "3")], "done"),
        toolsets=[world.tools],
        capabilities=[Gated(gate(person, store=store), policies={"ask": FREE})],
        name="outer",
    )

    @agent.tool_plain
    async def ask() -> str:
        return (await inner.run("go", model=script("hello"))).output

    await agent.run("go")
    assert world.wrote == ["a", "a"]
    assert len(person.asked) == 1


@pytest.mark.parametrize("options", [{"style": "defer"}, {"on_reject": "Stop"}])
def test_a_word_that_means_nothing_is_refused(options: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match="style is 'inline' or 'deferred', on_reject 'tell' or 'stop'"):
        Gated(gate(), **options)
