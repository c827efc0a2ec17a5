"""deepagents behind the gate: its own tools, and the sub-agents it starts."""

from typing import Any

import pytest
from langchain_core.tools import tool

from assent import ApprovalDecision, Approve, Reject
from assent.adapters.langchain import Gated
from assent.testing import Answers
from tests.adapters.langchain_kit import Script, told
from tests.gate.kit import gate

deepagents = pytest.importorskip("deepagents", reason="it is not part of the tests' environment")
GO: Any = {"messages": [("user", "go")]}


@tool
def send(path: str) -> str:
    """Send a file."""
    return f"sent {path}"


@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
async def test_deepagents_own_tools_ask(how: str) -> None:
    answers: dict[str, ApprovalDecision] = {"send": Approve(), "write_file": Reject(note="not there")}
    person = Answers(lambda pending: answers[pending.call.tool_name])
    turns = [[("send", {"path": "a"}, "1"), ("write_file", {"file_path": "/b", "content": "x"}, "2")], "done"]
    agent = deepagents.create_deep_agent(Script(turns=turns), [send], middleware=[Gated(gate(person))])
    result = agent.invoke(GO) if how == "invoke" else await agent.ainvoke(GO)
    said = told(result["messages"])
    assert said["1"] == "sent a"
    assert "not there" in said["2"]
    assert result.get("files", {}) == {}
    assert [len(batch) for batch in person.batches] == [2]


def test_a_sub_agents_question_names_the_chain() -> None:
    person = Answers(Approve())
    helper = {
        "name": "helper",
        "description": "Helps.",
        "system_prompt": "Help.",
        "tools": [send],
        "model": Script(turns=[[("send", {"path": "a"}, "1")], "helped"]),
        "middleware": [Gated()],
    }
    turns = [[("task", {"description": "help", "subagent_type": "helper"}, "1")], "done"]
    behind = Gated(gate(person))
    agent = deepagents.create_deep_agent(Script(turns=turns), [], middleware=[behind], subagents=[helper], name="outer")
    assert told(agent.invoke(GO)["messages"])["1"] == "helped"
    assert [(pending.call.tool_name, pending.call.agents) for pending in person.asked] == [
        ("task", ("outer",)),
        ("send", ("outer", "helper")),
    ]


class Delegating(Script):
    """Hands the work over, and as the one who got it, sends and writes."""

    def _generate(self, messages: list[Any], *args: Any, **options: Any) -> Any:  # noqa: ANN401
        inside = any(message.text == "help" for message in messages)
        work = [("send", {"path": "a"}, "2"), ("write_file", {"file_path": "/b", "content": "x"}, "3")]
        turns = [work, "helped"] if inside else self.turns
        return Script(turns=turns)._generate(messages, *args, **options)


TASK: list[Any] = [[("task", {"description": "help", "subagent_type": "general-purpose"}, "1")], "done"]


@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
async def test_the_agent_that_deepagents_adds_by_itself_does_not_pass_by_the_gate(how: str) -> None:
    person = Answers(Approve())
    agent = deepagents.create_deep_agent(Delegating(turns=TASK), [send], middleware=[Gated(gate(person))])
    result = agent.invoke(GO) if how == "invoke" else await agent.ainvoke(GO)
    assert "an inner agent without one wants to run" in told(result["messages"])["1"]
    assert [pending.call.tool_name for pending in person.asked] == ["task"]
    assert result.get("files", {}) == {}


def test_a_general_purpose_agent_of_ones_own_asks_like_any_other() -> None:
    person = Answers(Approve())
    own = {"name": "general-purpose", "description": "Any.", "system_prompt": "Help.", "middleware": [Gated()]}
    behind = [Gated(gate(person))]
    agent = deepagents.create_deep_agent(Delegating(turns=TASK), [send], middleware=behind, subagents=[own])
    assert told(agent.invoke(GO)["messages"])["1"] == "helped"
    assert sorted(pending.call.tool_name for pending in person.asked) == ["send", "task", "write_file"]
