"""What a gated turn of a LangChain agent takes and leaves: threads, callbacks, traces, and how a tool ended."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolErrorMiddleware, ToolRetryMiddleware
from langchain.tools import ToolRuntime
from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForToolRun
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph  # pyright: ignore[reportMissingTypeStubs] — LangGraph has none there
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt
from langsmith import Client, tracing_context

from assent import Allow, ApprovalDecision, Approve, Deny, Fixed, Policy, Reject, SQLiteStore
from assent.adapters.langchain import Gated, gated
from assent.errors import Stopped
from assent.model import EffectState
from assent.testing import Answers
from tests.adapters.langchain_kit import Script, told
from tests.gate.kit import gate, kinds

ALLOW = Fixed(Allow(reason="harmless"))
GO: Any = {"messages": [("user", "go")]}
WRITE: list[Any] = [[("write", {"path": "a"}, "1")], "done"]


@tool
async def write(path: str) -> str:
    """Write a file."""
    return f"wrote {path}"


def agent_of(script: list[Any], tools: list[Any], *layers: AgentMiddleware[Any, Any, Any]) -> Any:  # noqa: ANN401
    return create_agent(Script(turns=script), tools, middleware=layers)


# What it takes


class Counting(ThreadPoolExecutor):
    """Counts what is handed to other threads."""

    handed: int = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        self.handed += 1
        return super().submit(fn, *args, **kwargs)


async def threads_taken(*layers: AgentMiddleware[Any, Any, Any]) -> int:
    with Counting() as threads:
        asyncio.get_running_loop().set_default_executor(threads)
        result = await agent_of(WRITE, [write], *layers).ainvoke(GO)
        assert told(result["messages"]) == {"1": "wrote a"}
        return threads.handed


async def test_a_gated_turn_changes_threads_no_more_often_than_one_without_a_gate() -> None:
    assert await threads_taken(Gated(gate(), policies={"write": ALLOW})) == await threads_taken()


async def test_a_middleware_may_be_made_of_the_gates_own() -> None:
    class Shouting(Gated):
        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:  # noqa: ANN401
            result: Any = await super().awrap_tool_call(request, handler)
            return result.model_copy(update={"content": result.content.upper()})

    person = Answers(Approve())
    result = await agent_of(WRITE, [write], Shouting(gate(person))).ainvoke(GO)
    assert told(result["messages"]) == {"1": "WROTE A"}
    assert len(person.asked) == 1


async def test_a_policy_that_is_changed_later_counts_from_then_on() -> None:
    policies: dict[str, Policy] = {"write": ALLOW}
    agent = agent_of(WRITE, [write], Gated(gate(), policies=policies))
    assert told((await agent.ainvoke(GO))["messages"]) == {"1": "wrote a"}
    policies["write"] = Fixed(Deny(reason="not any more"))
    assert "not any more" in told((await agent.ainvoke(GO))["messages"])["1"]


# Who hears of it


class Listening(BaseCallbackHandler):
    def __init__(self) -> None:
        self.started: list[object] = []

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, **known: Any) -> None:  # noqa: ANN401
        self.started.append(serialized["name"])


async def test_callbacks_of_the_caller_hear_of_a_tool_once() -> None:
    ear = Listening()
    agent = agent_of(WRITE, [write], Gated(gate(), policies={"write": ALLOW}))
    await agent.ainvoke(GO, {"callbacks": [ear]})
    assert ear.started == ["write"]
    await gated(write, gate(), policy=ALLOW).ainvoke({"path": "a"}, {"callbacks": [ear]})
    assert ear.started == ["write", "write"]


@pytest.mark.parametrize("layers", [[], [Gated()]])
async def test_an_agent_two_tools_deep_passes_the_gate_or_does_not_start_its_tools(layers: list[Gated]) -> None:
    inner = agent_of(WRITE, [write], *layers)

    @tool
    async def ask(task: str) -> str:
        """Ask another agent."""
        return " ".join(told((await inner.ainvoke({"messages": [("user", task)]}))["messages"]).values())

    @tool
    async def delegate(task: str) -> str:
        """Let another tool ask it."""
        return str(await ask.ainvoke({"task": task}))

    person = Answers(Approve())
    outer = agent_of([[("delegate", {"task": "x"}, "1")], "done"], [delegate], Gated(gate(person)))
    expected = "wrote a" if layers else "an inner agent without one wants to run write"
    assert expected in told((await outer.ainvoke(GO))["messages"])["1"]
    assert [each.call.tool_name for each in person.asked] == ["delegate", *(["write"] if layers else [])]


INNER = agent_of(WRITE, [write])


@tool
async def by_config(task: str, config: RunnableConfig) -> str:
    """Hand a task on."""
    return str(await INNER.ainvoke({"messages": [("user", task)]}, config))


@tool
async def by_runtime(task: str, runtime: ToolRuntime[Any, Any]) -> str:
    """Hand a task on."""
    return str(await INNER.ainvoke({"messages": [("user", task)]}, runtime.config))


class ByCallbacks(BaseTool):
    name: str = "by_callbacks"
    description: str = "Hand a task on."

    def _run(self, task: str, run_manager: CallbackManagerForToolRun) -> str:
        given: Any = {"callbacks": run_manager.get_child()}
        return str(asyncio.run(INNER.ainvoke({"messages": [("user", task)]}, given)))


@pytest.mark.parametrize("delegate", [by_config, by_runtime, ByCallbacks()], ids=lambda tool: tool.name)
async def test_an_inner_agent_without_a_gate_is_noticed_whatever_is_handed_on_to_it(delegate: BaseTool) -> None:
    outer = agent_of(
        [[(delegate.name, {"task": "x"}, "1")], "done"], [delegate], Gated(gate(), policies={delegate.name: ALLOW})
    )
    said = told((await outer.ainvoke(GO))["messages"])["1"]
    assert "an inner agent without one wants to run write" in said


async def test_a_tool_may_go_on_with_its_own_tools_after_one_of_another_graph() -> None:
    behind = gate()
    other = gated(write, behind, policy=ALLOW)

    @tool
    async def both(path: str) -> str:
        """Write here and there."""
        there = await other.ainvoke({"path": path}, {"metadata": {"langgraph_checkpoint_ns": "another graph"}})
        return f"{there}, {await write.ainvoke({'path': path})}"

    agent = agent_of([[("both", {"path": "a"}, "1")], "done"], [both], Gated(behind, policies={"both": ALLOW}))
    assert told((await agent.ainvoke(GO))["messages"]) == {"1": "wrote a, wrote a"}


async def test_a_person_who_stops_an_inner_agent_stops_the_outer_one_too() -> None:
    inner = agent_of(WRITE, [write], Gated())

    @tool
    async def delegate(task: str) -> str:
        """Hand a task to another agent."""
        return str(await inner.ainvoke({"messages": [("user", task)]}))

    answers: dict[str, ApprovalDecision] = {"delegate": Approve(), "write": Reject(note="enough", stop=True)}
    behind = gate(Answers(lambda pending: answers[pending.call.tool_name]))
    with pytest.raises(Stopped, match="enough"):
        await agent_of([[("delegate", {"task": "x"}, "1")], "done"], [delegate], Gated(behind)).ainvoke(GO)
    assert kinds(behind)[-1] == "failed"


SWALLOWING: list[AgentMiddleware[Any, Any, Any]] = [
    ToolRetryMiddleware(max_retries=1, initial_delay=0.0),
    ToolErrorMiddleware(on_error=lambda *_: "handled"),
]


@pytest.mark.parametrize("swallowing", SWALLOWING, ids=lambda layer: layer.name)
@pytest.mark.parametrize("outermost", [True, False])
@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
async def test_a_persons_stop_is_no_failure_that_langchain_handles(
    swallowing: AgentMiddleware[Any, Any, Any],
    outermost: bool,  # noqa: FBT001 — a column
    how: str,
) -> None:
    layers = [swallowing, Gated(gate(Answers(Reject(note="enough", stop=True))))]
    agent = agent_of(
        [[("write", {"path": "a"}, "1"), ("write", {"path": "b"}, "2")], "done"],
        [write],
        *(layers if outermost else layers[::-1]),
    )
    # Either call's: the second may come when the run is stopped already.
    with pytest.raises(Stopped):
        await agent.ainvoke(GO) if how == "ainvoke" else agent.invoke(GO)


@pytest.mark.parametrize("approved", [False, True])
async def test_a_persons_stop_ends_what_runs_beside_the_call(approved: bool) -> None:  # noqa: FBT001
    going = asyncio.Event()
    ended: list[str] = []

    @tool
    async def slow() -> str:
        """Take long."""
        going.set()
        try:
            await asyncio.sleep(20)
        finally:
            ended.append("slow")
        return "done"

    store = SQLiteStore(":memory:")
    store.shared = True  # somebody else answers
    behind = gate(store=store)
    layer = Gated(behind, policies={} if approved else {"slow": ALLOW})
    run = asyncio.create_task(
        agent_of([[("write", {"path": "a"}, "1"), ("slow", {}, "2")], "done"], [write, slow], layer).ainvoke(GO)
    )
    while len(store.desk()) < 1 + approved:  # noqa: ASYNC110 — as somebody elsewhere would see it
        await asyncio.sleep(0.01)
    questions = {each.call.tool_name: each.id for each in store.desk()}
    if approved:
        behind.answer(questions["slow"], Approve())
    await going.wait()
    behind.answer(questions["write"], Reject(note="enough", stop=True))
    with pytest.raises(Stopped, match="enough"):
        await asyncio.wait_for(run, 10)
    assert ended == ["slow"]
    if approved:
        effects = {each.pending.call.tool_name: each.effect for each in store.recent(2)}
        assert effects["slow"] is not None
        assert effects["slow"].state is EffectState.UNKNOWN


def test_a_tool_node_that_handles_every_error_hands_on_a_persons_stop() -> None:
    behind = Gated(gate(Answers(Reject(note="enough", stop=True))))
    node = ToolNode([write], wrap_tool_call=behind.wrap_tool_call, handle_tool_errors=True)
    graph: Any = StateGraph(MessagesState).add_node("act", node).add_edge(START, "act").compile()
    call = {"name": "write", "args": {"path": "a"}, "id": "1", "type": "tool_call"}
    with pytest.raises(Stopped, match="enough"):
        graph.invoke({"messages": [AIMessage("", tool_calls=[call])]})


def test_a_stop_of_what_a_tool_calls_without_langchain_ends_the_run_too() -> None:
    answers: dict[str, ApprovalDecision] = {"send": Approve(), "upload": Reject(note="enough", stop=True)}
    behind = gate(Answers(lambda pending: answers[pending.call.tool_name]))

    def upload(path: str) -> str:
        return f"uploaded {path}"

    @tool
    def send(path: str) -> str:
        """Send a file."""
        return behind.wrap(upload)(path)

    agent = agent_of([[("send", {"path": "a"}, "1")], "done"], [send], SWALLOWING[1], Gated(behind))
    with pytest.raises(Stopped, match="enough"):
        agent.invoke(GO)
    assert kinds(behind)[-1] == "failed"


@pytest.mark.parametrize("decision", [Approve(), Reject(note="not today")])
async def test_a_traced_run_ends_as_any_other(decision: Approve | Reject) -> None:
    traces = Client(api_url="http://localhost", api_key="none", session=MagicMock(), info={}, auto_batch_tracing=False)
    person = Answers(decision)
    with tracing_context(enabled=True, client=traces):
        result = await agent_of(WRITE, [write], Gated(gate(person))).ainvoke(GO)
    expected = "wrote a" if isinstance(decision, Approve) else "not today"
    assert expected in told(result["messages"])["1"]
    assert len(person.asked) == 1


# How it ended


async def test_a_cancelled_call_ends_unknown() -> None:
    started = asyncio.Event()

    @tool
    async def wait(path: str) -> str:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()
        return path

    behind = gate(Answers(Approve()))
    running = asyncio.ensure_future(
        agent_of([[("wait", {"path": "a"}, "1")], "done"], [wait], Gated(behind)).ainvoke(GO)
    )
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert kinds(behind)[-1] == "unknown"


@pytest.mark.parametrize("fails", [True, False])
async def test_an_end_that_cannot_be_recorded_is_told_as_unknown(tmp_path: Path, fails: bool) -> None:  # noqa: FBT001 — a column
    store = SQLiteStore(tmp_path / "db")

    @tool
    async def pull(path: str) -> str:
        """Pull the plug."""
        store.close()
        if fails:
            raise RuntimeError(path)
        return "pulled"

    agent = agent_of([[("pull", {"path": "a"}, "1")], "done"], [pull], Gated(gate(Answers(Approve()), store=store)))
    assert "may have taken effect" in told((await agent.ainvoke(GO))["messages"])["1"]


async def test_a_pause_stays_a_pause_where_its_end_cannot_be_recorded(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "db")

    @tool
    async def wonder(path: str) -> str:
        """Ask somebody."""
        store.close()
        return str(interrupt(path))

    agent: Any = create_agent(
        Script(turns=[[("wonder", {"path": "a"}, "1")], "done"]),
        [wonder],
        middleware=[Gated(gate(Answers(Approve()), store=store))],
        checkpointer=InMemorySaver(),
    )
    result = await agent.ainvoke(GO, {"configurable": {"thread_id": "t"}})
    assert [each.value for each in result["__interrupt__"]] == ["a"]
