"""The interrupt style: LangChain's inboxes, tools that pause by themselves, nested agents, real processes."""

import json
import operator
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict, cast

import pytest
from inline_snapshot import snapshot
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph  # pyright: ignore[reportMissingTypeStubs] — LangGraph has none there
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt

from assent import Allow, Approve, Fixed, Gate, Reject, SQLiteStore, ToolCall, Verdict
from assent.adapters.langchain import Gated, resuming
from assent.functions import simple_approval_request
from assent.model import EffectState
from assent.testing import Answers
from tests.adapters.langchain_kit import Script, told
from tests.gate.kit import gate

ALLOW = Fixed(Allow(reason="harmless"))
GO: Any = {"messages": [("user", "go")]}
THREAD: Any = {"configurable": {"thread_id": "t"}}


class Plain(TypedDict):
    """A state that gives its messages no ids."""

    messages: Annotated[list[AnyMessage], operator.add]


class Asking:
    """A policy that asks for one path only."""

    def __init__(self, path: str) -> None:
        self._path = path

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        return simple_approval_request("write", call.args) if call.args["path"] == self._path else None


class World:
    """An agent that pauses, and what its tool wrote."""

    def __init__(
        self,
        *calls: tuple[str, dict[str, Any], str],
        turns: Sequence[Any] = (),
        **options: Any,  # noqa: ANN401
    ) -> None:
        self.wrote: list[str] = []
        self.gate = gate()
        self.gated = Gated(self.gate, style="interrupt", **options)
        self.agent: Any = create_agent(
            Script(turns=[*(turns or [list(calls) or [("write", {"path": "a"}, "1")]]), "done"]),
            [self._write()],
            middleware=[self.gated],
            checkpointer=InMemorySaver(),
        )

    def _write(self) -> Any:  # noqa: ANN401
        @tool
        def write(path: str) -> str:
            """Write a file."""
            self.wrote.append(path)
            return f"wrote {path}"

        return write

    def pause(self) -> list[Any]:
        return list(self.agent.invoke(GO, THREAD)["__interrupt__"])

    def resume(self, value: object) -> dict[str, str]:
        return told(self.agent.invoke(Command(resume=value), THREAD)["messages"])


# Inboxes that speak LangChain's own shapes


def test_a_question_speaks_both_of_langchains_shapes() -> None:
    world = World(inbox="inbox")
    (asked,) = world.pause()
    (pending,) = world.gate.store.desk()
    assert asked.value.pop("assent_pending") == pending.id
    assert asked.value == snapshot(
        {
            "type": "tool_approval",
            "tool_call_id": "1",
            "name": "write",
            "args": {"path": "a"},
            "description": "write(path='a')",
            "action_requests": [{"name": "write", "args": {"path": "a"}, "description": "write(path='a')"}],
            "review_configs": [{"action_name": "write", "allowed_decisions": ["approve", "edit", "reject", "respond"]}],
        }
    )


EDIT = {"type": "edit", "edited_action": {"name": "write", "args": {"path": "b"}}}


@pytest.mark.parametrize(
    ("decision", "wrote", "said"),
    [
        ({"type": "approve"}, ["a"], "wrote a"),
        (EDIT, ["b"], "A person changed this call before it ran"),
        ({"type": "reject"}, [], "User rejected. It was not executed"),
        ({"type": "reject", "message": "not today"}, [], "User rejected: not today."),
        ({"type": "respond", "message": "it is there"}, [], "it is there"),
    ],
)
@pytest.mark.parametrize("batched", [True, False])
def test_an_inbox_answers_in_langchains_shapes(
    decision: object,
    wrote: list[str],
    said: str,
    batched: bool,  # noqa: FBT001 — a column
) -> None:
    world = World(inbox="agent-inbox")
    world.pause()
    assert said in world.resume({"decisions": [decision]} if batched else decision)["1"]
    assert world.wrote == wrote
    (asked,) = world.gate.store.recent(9)
    assert asked.ruling is not None
    assert asked.ruling.by == "agent-inbox"


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "accept"},
        {"type": "respond"},
        {"decisions": []},
        {"decisions": [{"type": "approve"}, {"type": "approve"}]},
        {"type": "edit", "edited_action": {"name": "delete_everything", "args": {"path": "a"}}},
    ],
)
def test_an_answer_of_another_shape_or_for_another_tool_approves_nothing(odd: object) -> None:
    world = World(inbox="inbox")
    world.pause()
    assert "is no answer to this question" in world.resume(odd)["1"]
    assert world.wrote == []
    assert len(world.gate.store.desk()) == 1


def test_an_inbox_that_comes_second_has_lost() -> None:
    world = World(inbox="inbox")
    world.pause()
    world.gate.answer(world.gate.store.desk()[0].id, Reject(note="not today", by="ana"))
    assert "not today" in world.resume({"type": "approve"})["1"]
    assert world.wrote == []


def test_without_an_inbox_no_decision_is_offered_and_none_is_taken() -> None:
    world = World()
    (asked,) = world.pause()
    assert asked.value["review_configs"][0]["allowed_decisions"] == []
    assert "No approval for this call" in world.resume({"decisions": [{"type": "approve"}]})["1"]
    assert world.wrote == []


def test_a_turns_questions_are_answered_one_by_one_by_their_interrupts() -> None:
    world = World(*(("write", {"path": path}, path) for path in "ab"), inbox="inbox")
    first, second = world.pause()
    assert {each.call.group_id for each in world.gate.store.desk()} != {None}
    by_path = {each.value["args"]["path"]: each.id for each in (first, second)}
    said = world.resume({by_path["a"]: {"type": "approve"}, by_path["b"]: {"type": "reject", "message": "not b"}})
    assert world.wrote == ["a"]
    assert "not b" in said["b"]


def test_a_decision_counts_only_for_a_question_that_could_be_seen_before_it_was_made() -> None:
    world = World(inbox="inbox")
    world.pause()
    swapped = AIMessage("", tool_calls=[{"name": "write", "args": {"path": "b"}, "id": "2", "type": "tool_call"}])
    world.agent.update_state(THREAD, {"messages": [swapped]}, as_node="model")
    assert "No approval for this call" in world.resume({"decisions": [{"type": "approve"}]})["2"]
    assert world.wrote == []
    assert [each.ruling for each in world.gate.store.recent(9)] == [None, None]


def test_a_decision_by_the_id_of_its_interrupt_answers_no_other_question() -> None:
    world = World(turns=[[("write", {"path": path}, path)] for path in "ab"], inbox="inbox")
    (asked,) = world.pause()
    click = {asked.id: {"type": "approve"}}
    world.resume(click)
    world.resume(click)
    assert world.wrote == ["a"]
    assert len(world.gate.store.desk()) == 1


# A call that ran before


def test_after_a_call_has_run_the_graph_pauses_for_it_no_more() -> None:
    world = World()
    paused = world.pause()
    world.gate.answer(world.gate.store.desk()[0].id, Approve())
    assert told(world.agent.invoke(resuming(paused), THREAD)["messages"]) == {"1": "wrote a"}
    (before,) = (each for each in world.agent.get_state_history(THREAD) if each.next == ("tools",))
    replayed = world.agent.invoke(None, before.config)
    assert "__interrupt__" not in replayed
    assert "already used" in told(replayed["messages"])["1"]
    assert world.wrote == ["a"]


# Graphs of one's own


def graph_of(world: World, *start: Any, state: Any = MessagesState) -> Any:  # noqa: ANN401
    behind = world.gated
    node = ToolNode([world._write()], wrap_tool_call=behind.wrap_tool_call, awrap_tool_call=behind.awrap_tool_call)
    graph = StateGraph(state).add_node("act", node)
    graph = graph.add_conditional_edges(START, *start) if start else graph.add_edge(START, "act")
    return graph.compile(checkpointer=InMemorySaver())


def turn(*paths: str) -> Any:  # noqa: ANN401
    calls = [{"name": "write", "args": {"path": path}, "id": path, "type": "tool_call"} for path in paths]
    return {"messages": [AIMessage("", tool_calls=calls)]}


@pytest.mark.parametrize("start", [(), (lambda state: [Send("act", state)],)], ids=["edge", "Send of the state"])
@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
async def test_calls_that_share_a_task_are_not_paused_for(start: Any, how: str) -> None:  # noqa: ANN401
    world = World(inbox="inbox", policies={"write": Asking("b")})
    graph = graph_of(world, *start)
    result = graph.invoke(turn("a", "b"), THREAD) if how == "invoke" else await graph.ainvoke(turn("a", "b"), THREAD)
    assert "one Send per call" in told(result["messages"])["b"]
    assert world.wrote == ["a"]
    assert "__interrupt__" not in result
    assert world.gate.store.desk() == []


def test_a_node_of_ones_own_pauses_for_one_call_and_for_one_call_of_each_task() -> None:
    def one_by_one(state: MessagesState) -> list[Send]:
        calls = cast("AIMessage", state["messages"][-1]).tool_calls
        return [Send("act", [{**call, "type": "tool_call"}]) for call in calls]

    for paths, start in (("a", ()), ("bc", (one_by_one,))):
        world = World()
        graph = graph_of(world, *start)
        paused = graph.invoke(turn(*paths), THREAD)["__interrupt__"]
        for pending in world.gate.store.desk():
            world.gate.answer(pending.id, Approve())
        said = told(graph.invoke(resuming(paused), THREAD)["messages"])
        assert said == {path: f"wrote {path}" for path in paths}


def test_a_call_is_found_again_where_messages_have_no_ids() -> None:
    world = World()
    graph = graph_of(world, state=Plain)
    paused = graph.invoke(turn("a"), THREAD)["__interrupt__"]
    world.gate.answer(world.gate.store.desk()[0].id, Approve())
    assert told(graph.invoke(resuming(paused), THREAD)["messages"]) == {"a": "wrote a"}


# Tools that pause by themselves, and agents inside of tools


def test_a_tools_own_question_gets_its_own_answer() -> None:
    """The approval's interrupt comes first; its answer must not be taken for the one to the tool's question."""
    starts: list[str] = []

    @tool
    def book(place: str) -> str:
        """Book a table."""
        starts.append(place)
        return f"booked for {interrupt('how many?')} at {place}"

    behind = gate()
    agent: Any = create_agent(
        Script(turns=[[("book", {"place": "Ana's"}, "1")], "done"]),
        [book],
        middleware=[Gated(behind, style="interrupt")],
        checkpointer=InMemorySaver(),
    )
    paused = agent.invoke(GO, THREAD)["__interrupt__"]
    behind.answer(behind.store.desk()[0].id, Approve())
    (own,) = agent.invoke(resuming(paused), THREAD)["__interrupt__"]
    assert own.value == "how many?"
    (asked,) = behind.store.recent(9)
    assert asked.effect is not None
    assert asked.effect.state is EffectState.UNKNOWN
    assert told(agent.invoke(Command(resume={own.id: 4}), THREAD)["messages"]) == {"1": "booked for 4 at Ana's"}
    # LangGraph runs a tool that paused again from its start, and the record says how it ended.
    assert starts == ["Ana's", "Ana's"]
    (asked,) = behind.store.recent(9)
    assert asked.effect is not None
    assert asked.effect.state is EffectState.DONE


@pytest.mark.parametrize("policies", [{}, {"delegate": ALLOW}])
def test_a_pause_of_a_nested_agent_passes_through_the_tool_that_started_it(policies: dict[str, Any]) -> None:
    wrote: list[str] = []

    @tool
    def write(path: str) -> str:
        """Write a file."""
        wrote.append(path)
        return f"wrote {path}"

    inner: Any = create_agent(
        Script(turns=[[("write", {"path": "a"}, "1")], "inner done"]),
        [write],
        middleware=[Gated(style="interrupt")],
        name="inner",
    )

    @tool
    def delegate(task: str) -> str:
        """Hand a task to another agent."""
        return str(inner.invoke({"messages": [("user", task)]})["messages"][-1].text)

    behind = gate()
    outer: Any = create_agent(
        Script(turns=[[("delegate", {"task": "x"}, "1")], "done"]),
        [delegate],
        middleware=[Gated(behind, style="interrupt", policies=policies)],
        name="outer",
        checkpointer=InMemorySaver(),
    )
    state = outer.invoke(GO, THREAD)
    chains = []
    while "__interrupt__" in state:
        (pending,) = behind.store.desk()
        chains.append(pending.call.agents)
        behind.answer(pending.id, Approve())
        state = outer.invoke(resuming(state["__interrupt__"]), THREAD)
    assert told(state["messages"]) == {"1": "inner done"}
    assert wrote == ["a"]
    assert chains == ([] if policies else [("outer",)]) + [("outer", "inner")]


def test_an_agent_that_waits_may_run_inside_one_that_pauses() -> None:
    world = World()
    behind = gate(Answers(Approve()))

    @tool
    def delegate(task: str) -> str:
        """Hand a task to another agent."""
        inner: Any = create_agent(
            Script(turns=[[("write", {"path": task}, "1")], "inner done"]), [world._write()], middleware=[Gated()]
        )
        return str(inner.invoke({"messages": [("user", task)]})["messages"][-1].text)

    outer: Any = create_agent(
        Script(turns=[[("delegate", {"task": "x"}, "1")], "done"]),
        [delegate],
        middleware=[Gated(behind, style="interrupt", policies={"delegate": ALLOW})],
        checkpointer=InMemorySaver(),
    )
    assert told(outer.invoke(GO, THREAD)["messages"]) == {"1": "inner done"}
    assert world.wrote == ["x"]


# Real processes

PROGRAM = """
import sys
from pathlib import Path
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from assent import Allow, Fixed, Gate, SQLiteStore
from assent.adapters.langchain import Gated, resuming
from tests.adapters.contract.test_langchain import dumped, load
from tests.adapters.langchain_kit import Script, told

folder, step, policy = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

@tool
def write(path: str) -> str:
    "Write a file."
    (folder / path).write_text("written")
    return f"wrote {path}"

saver = InMemorySaver()
gate = Gate(store=SQLiteStore(folder / "desk.db"))
policies = {"write": Fixed(Allow(reason="by now"))} if policy == "allow" else {}
agent = create_agent(
    Script(turns=[[("write", {"path": "a"}, "1")], "done"]), [write],
    middleware=[Gated(gate, style="interrupt", policies=policies)], checkpointer=saver,
)
thread = {"configurable": {"thread_id": "t"}}
if step == "pause":
    agent.invoke({"messages": [("user", "go")]}, thread)
    (folder / "graph").write_bytes(dumped(saver))
else:
    load(saver, (folder / "graph").read_bytes())
    print(told(agent.invoke(resuming(agent.get_state(thread).interrupts), thread)["messages"])["1"])
gate.close()
"""


def test_a_rejection_stands_in_a_real_process_whose_policy_would_allow_the_call(tmp_path: Path) -> None:
    process(tmp_path, "pause", "ask")
    desk = Gate(store=SQLiteStore(tmp_path / "desk.db"))
    (pending,) = desk.store.desk()
    desk.answer(pending.id, Reject(note="not today"))
    desk.close()
    assert "User rejected: not today" in process(tmp_path, "resume", "allow")
    assert not (tmp_path / "a").exists()


def process(folder: Path, *arguments: str) -> str:
    root = Path(__file__).parent.parent.parent
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(folder), *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_assent_loads_no_framework() -> None:
    code = "import assent, assent.testing, assent.adapters, sys, json; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert loaded & {"langchain", "langchain_core", "langgraph", "pydantic_ai", "pytest"} == set()
