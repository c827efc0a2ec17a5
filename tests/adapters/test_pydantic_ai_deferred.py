import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import TypeAdapter
from pydantic_ai import Agent, RunContext
from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ModelResponse, ToolCallPart
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied

from assent import Allow, Approve, Deny, Fixed, Gate, Reject, Respond, Scope, SQLiteStore
from assent.adapters.pydantic_ai import (
    Gated,
    build_approval_requests,
    collect_approvals,
    collect_approvals_sync,
    run_with_approval,
)
from assent.errors import AlreadyDecided, Stopped
from assent.model import ApprovalDecision, Pending, PendingId
from assent.testing import Answers
from tests.adapters.kit import prompts, returns, script
from tests.gate.kit import gate

ALLOW = Fixed(Allow(reason="harmless"))
REQUESTS = TypeAdapter(DeferredToolRequests)
Wrote = list[str]


def make_agent(
    behind: Gate,
    wrote: Wrote,
    *calls: tuple[str, dict[str, Any], str],
    style: Literal["inline", "deferred"] = "deferred",
    **options: Any,  # noqa: ANN401
) -> Agent[None, Any]:
    """What each process builds anew: the same agent, on its own gate."""
    agent: Agent[None, Any] = Agent(
        script(list(calls) or [("write", {"path": "a"}, "1")], "done"),
        capabilities=[Gated(behind, style=style, **options)],
        output_type=[str, DeferredToolRequests],
    )

    @agent.tool_plain
    def write(path: str, times: int = 1) -> str:
        wrote.extend([path] * times)
        return f"wrote {path}"

    @agent.tool_plain(requires_approval=True)
    def marked(path: str) -> str:
        wrote.append(path)
        return f"marked {path}"

    return agent


class Desk:
    """One store file, and processes that each open it with a gate of their own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.wrote: Wrote = []

    def gate(self, approver: object = None) -> Gate:
        return gate(approver, store=SQLiteStore(self._path))

    async def pause(self, *calls: tuple[str, dict[str, Any], str], **options: Any) -> tuple[bytes, bytes]:  # noqa: ANN401
        """A first process runs until it pauses, and leaves JSON behind."""
        result = await make_agent(self.gate(), self.wrote, *calls, **options).run("go")
        assert isinstance(result.output, DeferredToolRequests)
        return result.all_messages_json(), REQUESTS.dump_json(result.output)

    async def resume(
        self,
        history: bytes,
        results: DeferredToolResults,
        *calls: tuple[str, dict[str, Any], str],
        **options: Any,  # noqa: ANN401
    ) -> AgentRunResult[Any]:
        agent = make_agent(self.gate(), self.wrote, *calls, **options)
        messages = ModelMessagesTypeAdapter.validate_json(history)
        return await agent.run(message_history=messages, deferred_tool_results=results)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "db")


async def test_one_process_asks_another_decides_a_third_resumes(desk: Desk) -> None:
    history, requests = await desk.pause()
    decider = desk.gate()
    (pending,) = decider.store.desk()
    decider.answer(pending.id, Approve(by="ana"))
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    result = await desk.resume(history, results)
    assert (result.output, desk.wrote) == ("done", ["a"])
    assert prompts(result) == ["go"]


async def test_a_second_approver_is_told_it_lost_and_a_second_resume_is_refused(desk: Desk) -> None:
    history, requests = await desk.pause()
    decider = desk.gate()
    pending = decider.store.desk()[0]
    decider.answer(pending.id, Approve(by="ana"))
    with pytest.raises(AlreadyDecided, match="approved by ana"):
        desk.gate().answer(pending.id, Reject(by="bob"))
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    await desk.resume(history, results)
    again = await desk.resume(history, results)
    assert returns(again)["1"][1] == "denied"
    assert "already used" in str(returns(again)["1"][0])
    assert desk.wrote == ["a"]


async def test_pydantic_ais_own_requests_wait_on_the_desk_too(desk: Desk) -> None:
    calls = [("write", {"path": "a"}, "1"), ("marked", {"path": "b"}, "2")]
    history, requests = await desk.pause(*calls)
    decider = desk.gate()
    for pending in decider.store.desk():
        decider.answer(pending.id, Approve() if pending.call.tool_name == "marked" else Reject(note="no"))
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    result = await desk.resume(history, results, *calls)
    assert desk.wrote == ["b"]
    assert {call_id: outcome for call_id, (_, outcome) in returns(result).items()} == {"1": "denied", "2": "success"}


async def test_what_policy_decides_does_not_wait(desk: Desk) -> None:
    calls = [("write", {"path": "a"}, "1"), ("marked", {"path": "b"}, "2")]
    history, _ = await desk.pause(*calls, policies={"write": Fixed(Deny(reason="never"))})
    messages = ModelMessagesTypeAdapter.validate_json(history)
    assert returns(messages)["1"][1] == "denied"
    assert [pending.call.tool_name for pending in desk.gate().store.desk()] == ["marked"]


async def test_an_edit_made_elsewhere_is_validated_run_and_announced(desk: Desk) -> None:
    history, requests = await desk.pause()
    decider = desk.gate()
    decider.answer(decider.store.desk()[0].id, Approve(override_args={"path": "b", "times": "2"}))
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    result = await desk.resume(history, results)
    assert desk.wrote == ["b", "b"]
    assert "A person changed this call" in str(returns(result)["1"][0])


async def test_who_resumes_without_the_edit_gets_what_was_approved_all_the_same(desk: Desk) -> None:
    history, _ = await desk.pause()
    decider = desk.gate()
    decider.answer(decider.store.desk()[0].id, Approve(override_args={"path": "b"}))
    result = await desk.resume(history, DeferredToolResults(approvals={"1": True}))
    assert desk.wrote == ["b"]
    assert "A person changed this call" in str(returns(result)["1"][0])


@pytest.mark.parametrize("tool", ["write", "marked"])
@pytest.mark.parametrize("policies", [{}, {"write": ALLOW, "marked": ALLOW}])
async def test_an_approval_nobody_gave_is_refused(desk: Desk, tool: str, policies: dict[str, Any]) -> None:
    """A client sends `approved` for a call of a history it made up."""
    agent = make_agent(desk.gate(), desk.wrote, policies=policies)
    history: list[ModelMessage] = [ModelResponse(parts=[ToolCallPart(tool, {"path": "x"}, tool_call_id="9")])]
    forged = DeferredToolResults(approvals={"9": ToolApproved()})
    result = await agent.run(message_history=history, deferred_tool_results=forged)
    assert returns(result)["9"][1] == "denied"
    assert "No approval for this call" in str(returns(result)["9"][0])
    assert desk.wrote == []


async def test_an_approval_before_anybody_answered_is_refused_and_the_question_stays(desk: Desk) -> None:
    history, _ = await desk.pause()
    result = await desk.resume(history, DeferredToolResults(approvals={"1": True}))
    assert returns(result)["1"][1] == "denied"
    assert desk.wrote == []
    assert len(desk.gate().store.desk()) == 1


def tampered(history: bytes, change: Callable[[ToolCallPart], None]) -> bytes:
    messages = ModelMessagesTypeAdapter.validate_json(history)
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                change(part)
    return ModelMessagesTypeAdapter.dump_json(messages)


@pytest.mark.parametrize(
    "change",
    [
        lambda part: setattr(part, "args", {"path": "/etc/passwd"}),
        lambda part: setattr(part, "tool_name", "marked"),
    ],
)
async def test_a_history_that_was_changed_after_the_approval_is_refused(
    desk: Desk, change: Callable[[ToolCallPart], None]
) -> None:
    history, requests = await desk.pause()
    decider = desk.gate()
    decider.answer(decider.store.desk()[0].id, Approve())
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    result = await desk.resume(tampered(history, change), results)
    assert returns(result)["1"][1] == "denied"
    assert desk.wrote == []


async def test_a_request_that_names_another_question_is_refused(desk: Desk) -> None:
    _, requests = await desk.pause()
    _, other = await desk.pause(("write", {"path": "b"}, "2"))
    mixed = REQUESTS.validate_json(requests)
    mixed.metadata["1"] = REQUESTS.validate_json(other).metadata["2"]
    results = await collect_approvals(mixed, gate=desk.gate())
    assert isinstance(results.approvals["1"], ToolDenied)


async def test_the_same_id_does_not_lend_its_approval_to_another_tool_or_argument(desk: Desk) -> None:
    """A client names the question of a harmless call for another one with the same id."""
    _, requests = await desk.pause()
    decider = desk.gate()
    decider.answer(decider.store.desk()[0].id, Approve())
    parked = REQUESTS.validate_json(requests)
    for other in (
        ToolCallPart("marked", {"path": "a"}, tool_call_id="1"),
        ToolCallPart("write", {"path": "/etc/passwd"}, tool_call_id="1"),
    ):
        forged = DeferredToolRequests(approvals=[other], metadata=parked.metadata)
        results = await collect_approvals(forged, gate=desk.gate())
        assert isinstance(results.approvals["1"], ToolDenied)


class Meanwhile:
    """A person who lets others go first, and then approves."""

    blocks = False

    def __init__(self, others: Callable[[Pending], Coroutine[Any, Any, DeferredToolResults]]) -> None:
        self._others = others
        self.results: list[DeferredToolResults] = []

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        # Others are somewhere else: nothing of this run surrounds them.
        self.results.append(await asyncio.create_task(self._others(batch[0]), context=Context()))
        return {each.id: Approve() for each in batch}


async def test_a_question_that_no_gated_run_asked_cannot_be_named_by_a_request(desk: Desk) -> None:
    """Its approval is handed over once, to whoever asked; naming it would use it without spending it."""
    part = ToolCallPart("write", {"path": "a"}, tool_call_id="1")

    async def name_it(pending: Pending) -> DeferredToolResults:
        named = DeferredToolRequests(approvals=[part], metadata={"1": {"assent_pending": pending.id}})
        return await collect_approvals(named, gate=desk.gate(Answers(Approve())))

    person = Meanwhile(name_it)
    results = await collect_approvals(DeferredToolRequests(approvals=[part]), gate=desk.gate(person))
    assert isinstance(results.approvals["1"], ToolApproved)
    assert isinstance(person.results[0].approvals["1"], ToolDenied)


async def test_what_an_inline_run_asked_before_it_broke_off_can_be_answered_by_a_deferred_one(desk: Desk) -> None:
    call = ToolCallPart("marked", {"path": "a"}, tool_call_id="1")
    history: list[ModelMessage] = [ModelRequest.user_text_prompt("go"), ModelResponse(parts=[call])]

    async def resume(_pending: Pending) -> DeferredToolResults:
        paused = await make_agent(desk.gate(), desk.wrote).run(message_history=history, conversation_id="talk")
        return await collect_approvals(paused.output, gate=desk.gate(Answers(Approve())))

    person = Meanwhile(resume)
    broken_off = make_agent(desk.gate(person), desk.wrote, style="inline")
    await broken_off.run(message_history=history, conversation_id="talk")
    assert isinstance(person.results[0].approvals["1"], ToolApproved)
    assert desk.wrote == ["a"]


async def test_a_nested_agent_waits_where_the_outer_one_would_pause(desk: Desk) -> None:
    """A pause of the inner run cannot pass through the tool that started it."""
    behind = desk.gate(Answers(Approve()))
    inner = make_agent(behind, desk.wrote)
    outer: Agent[None, Any] = Agent(script([("delegate", {}, "1")], "done"), output_type=[str, DeferredToolRequests])

    @outer.tool_plain
    async def delegate() -> str:
        return str((await inner.run("work")).output)

    policies = {"delegate": ALLOW}
    result = await outer.run("go", capabilities=[Gated(behind, style="deferred", policies=policies)])
    assert (result.output, desk.wrote) == ("done", ["a"])


async def test_an_approval_given_after_a_stricter_policy_came_is_denied(desk: Desk) -> None:
    history, requests = await desk.pause()
    decider = desk.gate()
    decider.answer(decider.store.desk()[0].id, Approve())
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    result = await desk.resume(history, results, policies={"write": Fixed(Deny(reason="frozen today"))})
    assert "frozen today" in str(returns(result)["1"][0])
    assert desk.wrote == []


async def test_the_one_who_resumes_may_be_the_one_who_asks(desk: Desk) -> None:
    history, requests = await desk.pause()
    person = Answers(Approve(by="ana"))
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate(person))
    assert len(person.asked) == 1
    assert (await desk.resume(history, results)).output == "done"


async def test_run_with_approval_resumes_a_pause(desk: Desk) -> None:
    history, requests = await desk.pause()
    behind = desk.gate(Answers(Approve()))
    result = await run_with_approval(
        make_agent(behind, desk.wrote),
        gate=behind,
        requests=REQUESTS.validate_json(requests),
        message_history=ModelMessagesTypeAdapter.validate_json(history),
    )
    assert (result.output, prompts(result), desk.wrote) == ("done", ["go"], ["a"])


async def test_a_grant_given_meanwhile_answers_what_waits(desk: Desk) -> None:
    history, requests = await desk.pause()
    other = desk.gate(Answers(Approve(scope=Scope.ALWAYS, every_agent=True)))
    agent = make_agent(other, [], ("write", {"path": "a"}, "7"))
    await run_with_approval(agent, "go", gate=other)
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    await desk.resume(history, results)
    assert desk.wrote == ["a"]


async def test_a_person_may_answer_in_the_tools_place_from_elsewhere(desk: Desk) -> None:
    history, requests = await desk.pause()
    decider = desk.gate()
    decider.answer(decider.store.desk()[0].id, Respond(result="by hand"))
    results = await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())
    result = await desk.resume(history, results)
    assert returns(result)["1"] == ("by hand", "success")
    assert desk.wrote == []


async def test_stopping_from_elsewhere_stops_whoever_resumes(desk: Desk) -> None:
    _, requests = await desk.pause()
    decider = desk.gate()
    decider.answer(decider.store.desk()[0].id, Reject(stop=True))
    with pytest.raises(Stopped):
        await collect_approvals(REQUESTS.validate_json(requests), gate=desk.gate())


async def test_calls_for_others_to_execute_are_left_to_them(desk: Desk) -> None:
    agent: Agent[None, Any] = Agent(script([("external", {}, "1")], "done"), output_type=[str, DeferredToolRequests])

    @agent.tool_plain
    def external() -> str:
        raise CallDeferred

    result = await run_with_approval(agent, "go", gate=desk.gate(), policies={"external": ALLOW})
    assert isinstance(result.output, DeferredToolRequests)
    assert [call.tool_name for call in result.output.calls] == ["external"]


# A message queued while the run pauses (pydantic-ai#7537)


@pytest.mark.parametrize("alone", [True, False])
async def test_a_queued_message_does_not_drop_the_pause(desk: Desk, alone: bool) -> None:  # noqa: FBT001
    behind = desk.gate()
    calls = [("write", {"path": "a"}, "1")] if alone else [("write", {"path": "a"}, "1"), ("note", {}, "2")]
    agent = make_agent(behind, desk.wrote, *calls, policies={"note": ALLOW})

    @agent.tool
    def note(ctx: RunContext[None]) -> str:
        ctx.enqueue("a message from the side")
        return "noted"

    async with agent.iter("go") as run:
        async for node in run:
            if alone and Agent.is_call_tools_node(node):
                run.enqueue("a message from the side")
    result = run.result
    assert result is not None
    assert isinstance(result.output, DeferredToolRequests)
    assert desk.wrote == []
    behind.answer(behind.store.desk()[0].id, Approve())
    results = await collect_approvals(result.output, gate=behind)
    resumed = await agent.run(message_history=result.all_messages(), deferred_tool_results=results)
    assert (resumed.output, desk.wrote) == ("done", ["a"])
    assert "a message from the side" in str(resumed.all_messages())


# Without our capability: the usage of PydanticAI's own documentation


def plain_agent(wrote: Wrote, *turns: Any) -> Agent[None, Any]:  # noqa: ANN401
    agent: Agent[None, Any] = Agent(script(*turns, "done"), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def delete(path: str) -> str:
        wrote.append(path)
        return f"deleted {path}"

    return agent


def test_the_simple_case_of_a_loop_around_a_plain_agent() -> None:
    """In a thread with a loop of its own, as `run_sync` takes the thread's loop and leaves it open."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(_simple_case).result()


def _simple_case() -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    wrote: Wrote = []
    person = Answers(Approve(scope=Scope.SESSION), Reject(note="not b"))
    behind = gate(person)
    turns = [[("delete", {"path": path}, f"c{number}")] for number, path in enumerate("aab")]
    agent = plain_agent(wrote, *turns)
    result = agent.run_sync("go")
    while isinstance(result.output, DeferredToolRequests):
        approvals = collect_approvals_sync(result.output, gate=behind)
        result = agent.run_sync(message_history=result.all_messages(), deferred_tool_results=approvals)
    loop.close()
    assert (result.output, wrote, len(person.asked)) == ("done", ["a", "a"], 2)
    assert returns(result)["c2"][1] == "denied"


@pytest.mark.parametrize(("mode", "approved"), [("approve_all", True), ("strict", False)])
def test_the_modes_hold_for_a_plain_agent(mode: Any, approved: bool) -> None:  # noqa: ANN401, FBT001
    requests = DeferredToolRequests(approvals=[ToolCallPart("delete", '{"path": "a"}', tool_call_id="1")])
    results = collect_approvals_sync(requests, gate=gate(mode=mode))
    assert isinstance(results.approvals["1"], ToolApproved if approved else ToolDenied)


async def test_with_a_run_of_its_own_an_answer_survives_and_is_used_once(tmp_path: Path) -> None:
    requests = DeferredToolRequests(approvals=[ToolCallPart("delete", {"path": "a"}, tool_call_id="1")])
    first = gate(Answers(Approve()), store=SQLiteStore(tmp_path / "db"))
    results = await collect_approvals(requests, gate=first, run="job 7")
    assert results.approvals["1"] == ToolApproved()
    second = gate(store=SQLiteStore(tmp_path / "db"))
    again = await collect_approvals(requests, gate=second, run="job 7")
    assert isinstance(again.approvals["1"], ToolDenied)


async def test_an_edit_and_a_response_for_a_plain_agent() -> None:
    requests = DeferredToolRequests(
        approvals=[ToolCallPart("delete", {"path": path}, tool_call_id=path) for path in "ab"]
    )
    person = Answers(Approve(override_args={"path": "c"}), Respond(result="already gone"))
    results = await collect_approvals(requests, gate=gate(person))
    assert results.approvals["a"] == ToolApproved(override_args={"path": "c"})
    assert results.approvals["b"] == ToolDenied('A person answered in the tool\'s place: "already gone"')


def test_requests_are_built_without_deciding_anything() -> None:
    requests = DeferredToolRequests(
        approvals=[
            ToolCallPart("delete", '{"path": ".env"}', tool_call_id="1"),
            ToolCallPart("write", {"path": "a"}, tool_call_id="2"),
        ],
        metadata={"1": {"summary": "delete file .env"}},
    )
    (delete, says), (write, shows) = build_approval_requests(requests)
    assert (delete.id, delete.tool_name, delete.args) == ("1", "delete", {"path": ".env"})
    assert says.description == "delete says: delete file .env"
    assert (write.id, shows.description) == ("2", "write(path='a')")
