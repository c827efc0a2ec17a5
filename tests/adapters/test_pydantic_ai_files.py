"""File tools as a PydanticAI toolset: bare, inline, and deferred."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.tools import DeferredToolRequests
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from assent.adapters.pydantic_ai import Gated, collect_approvals, file_toolset
from assent.config import SandboxPath
from assent.model import Allow, ApprovalRequest, Approve, Fixed, Reject
from assent.testing import Answers
from assent.tools.files import FileSandbox
from tests.adapters.kit import Call, prompts, returns, script
from tests.gate.kit import gate
from tests.tools.files.kit import Person, files_in

EDIT: Call = ("edit_file", {"path": "work/a.txt", "old_string": "old", "new_string": "new"}, "1")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("old\n")
    return tmp_path


@pytest.fixture
def sandbox(work: Path) -> FileSandbox:
    return FileSandbox({"work": SandboxPath(root=work, mode="rw", suffixes=(".txt",))})


def agent(sandbox: FileSandbox, *calls: Call, ungated: bool = False, **options: Any) -> Agent[None, Any]:  # noqa: ANN401
    return Agent(script(list(calls), "done"), toolsets=[file_toolset(sandbox, ungated=ungated)], **options)


async def test_bare_it_runs_unasked_and_the_limits_hold_all_the_same(sandbox: FileSandbox, work: Path) -> None:
    outside: Call = ("read_file", {"path": "work/../../etc/passwd"}, "2")
    suffix: Call = ("write_file", {"path": "work/a.sh", "content": "x"}, "3")
    told = returns(await agent(sandbox, EDIT, outside, suffix, ungated=True).run("go"))
    assert files_in(work) == {"a.txt": b"new\n"}
    assert [told[each][0]["error"] for each in "23"] == ["path_outside_workspace", "suffix_not_allowed"]  # type: ignore[index]


async def test_behind_the_gate_a_person_sees_the_diff_and_the_tool_checks_what_was_shown(
    sandbox: FileSandbox, work: Path
) -> None:
    person = Person()
    told = returns(await agent(sandbox, EDIT, capabilities=[Gated(gate(person))]).run("go"))
    assert person.shown.type == "edit"
    assert told["1"][0]["replacements_made"] == 1  # type: ignore[index]
    assert files_in(work) == {"a.txt": b"new\n"}


async def test_a_file_that_changed_since_it_was_shown_is_not_touched(sandbox: FileSandbox, work: Path) -> None:
    person = Person(meanwhile=lambda _: (work / "a.txt").write_text("old, and more\n"))
    told = returns(await agent(sandbox, EDIT, capabilities=[Gated(gate(person))]).run("go"))
    assert "changed_since_approval" in str(told["1"])
    assert files_in(work) == {"a.txt": b"old, and more\n"}


async def test_what_cannot_work_is_told_to_the_model_before_anybody_is_asked(sandbox: FileSandbox) -> None:
    person = Person()
    missing: Call = ("edit_file", {"path": "work/a.txt", "old_string": "nowhere", "new_string": "x"}, "1")
    told = returns(await agent(sandbox, missing, capabilities=[Gated(gate(person))]).run("go"))
    assert "not found" in str(told["1"])
    assert person.asked == []


async def test_a_rejection_and_an_edit_by_the_person_reach_the_model(sandbox: FileSandbox, work: Path) -> None:
    edited = Approve(by="ana", override_args=EDIT[1] | {"new_string": "newer"})
    result = await agent(sandbox, EDIT, capabilities=[Gated(gate(Person(edited)))]).run("go")
    assert files_in(work) == {"a.txt": b"newer\n"}
    assert "newer" in str(prompts(result))
    again: Call = ("delete_file", {"path": "work/a.txt"}, "1")
    told = returns(await agent(sandbox, again, capabilities=[Gated(gate(Person(Reject(note="keep"))))]).run("go"))
    assert "keep" in str(told["1"])
    assert files_in(work) == {"a.txt": b"newer\n"}


async def test_two_edits_of_one_file_in_a_turn_are_one_batch_and_both_work(sandbox: FileSandbox, work: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    (work / "a.txt").write_text(text)
    first: Call = ("edit_file", {"path": "work/a.txt", "old_string": "line 3\n", "new_string": "x\n"}, "1")
    second: Call = ("edit_file", {"path": "work/a.txt", "old_string": "line 20\n", "new_string": "y\n"}, "2")
    told = returns(await agent(sandbox, first, second, capabilities=[Gated(gate(Person()))]).run("go"))
    assert [told[each][0]["lines_changed"] for each in "12"] == [1, 1]  # type: ignore[index]
    assert (work / "a.txt").read_text() == text.replace("line 3\n", "x\n").replace("line 20\n", "y\n")


async def test_deferred_the_evidence_waits_on_the_desk_with_the_question(sandbox: FileSandbox, work: Path) -> None:
    person = Person()
    here = gate(person)
    options: dict[str, Any] = {
        "capabilities": [Gated(here, style="deferred")],
        "output_type": [str, DeferredToolRequests],
    }
    paused = await agent(sandbox, EDIT, **options).run("go")
    assert isinstance(paused.output, DeferredToolRequests)
    (pending,) = here.store.desk()
    (work / "a.txt").write_text("old, changed meanwhile\n")
    results = await collect_approvals(paused.output, gate=here)
    resumed = await agent(sandbox, EDIT, **options).run(
        message_history=paused.all_messages(), deferred_tool_results=results
    )
    assert "changed_since_approval" in str(returns(resumed)["1"])
    assert files_in(work) == {"a.txt": b"old, changed meanwhile\n"}
    assert pending.preview.evidence


async def test_without_a_gate_what_would_ask_is_refused_and_what_policy_allows_runs(
    sandbox: FileSandbox, work: Path
) -> None:
    read: Call = ("read_file", {"path": "work/a.txt"}, "2")
    told = returns(await agent(sandbox, EDIT, read).run("go"))
    assert told["1"][0]["error"] == "failed"  # type: ignore[index]
    assert "Gated(gate)" in str(told["1"])
    assert "old" in str(told["2"])
    assert files_in(work) == {"a.txt": b"old\n"}


async def test_an_inner_agent_without_a_gate_asks_at_the_gate_around_it(sandbox: FileSandbox, work: Path) -> None:
    inner = agent(sandbox, EDIT)
    outer: Agent[None, Any] = Agent(script([("delegate", {}, "1")], "done"))

    @outer.tool_plain
    async def delegate() -> str:
        return str((await inner.run("go")).all_messages())

    allows = {"delegate": Fixed(Allow(reason="harmless"))}
    person = Person(Reject(note="not there"))
    result = await outer.run("go", capabilities=[Gated(gate(person), policies=allows)])
    assert [pending.call.tool_name for pending in person.asked] == ["edit_file"]
    assert "not there" in str(returns(result)["1"])
    assert files_in(work) == {"a.txt": b"old\n"}


class Veto(WrapperToolset[Any]):
    """What an operator wrapped around the tools."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:  # noqa: ANN401
        if name == "edit_file":
            return "vetoed"
        return await super().call_tool(name, tool_args | {"path": "work/b.txt"}, ctx, tool)


async def test_what_an_operator_wrapped_around_the_tools_still_counts_behind_the_gate(
    sandbox: FileSandbox, work: Path
) -> None:
    write: Call = ("write_file", {"path": "work/a.txt", "content": "x"}, "2")
    wrapped: Agent[None, Any] = Agent(
        script([EDIT, write], "done"), toolsets=[Veto(file_toolset(sandbox))], capabilities=[Gated(gate(Person()))]
    )
    told = returns(await wrapped.run("go"))
    assert told["1"][0] == "vetoed"
    # Arguments changed behind the gate are not what was permitted.
    assert "other arguments" in str(told["2"])
    assert files_in(work) == {"a.txt": b"old\n"}


async def test_errors_reach_the_model_with_their_code(sandbox: FileSandbox) -> None:
    outside: Call = ("read_file", {"path": "elsewhere/a.txt"}, "1")
    missing: Call = ("read_file", {"path": "work/none.txt"}, "2")
    told = returns(await agent(sandbox, outside, missing, capabilities=[Gated(gate(Person()))]).run("go"))
    assert [json.loads(str(told[each][0]))["error"] for each in "12"] == ["path_outside_workspace", "file_not_found"]


async def test_a_policy_given_for_a_file_tool_is_added_to_its_own(sandbox: FileSandbox, work: Path) -> None:
    asks = Fixed(ApprovalRequest(description="ours asks too"))
    read: Call = ("read_file", {"path": "work/a.txt"}, "2")
    person = Person()
    policies = {"edit_file": Fixed(Allow(reason="no")), "read_file": asks}
    told = returns(await agent(sandbox, EDIT, read, capabilities=[Gated(gate(person), policies=policies)]).run("go"))
    assert sorted(pending.call.tool_name for pending in person.asked) == ["edit_file", "read_file"]
    assert "changed_since_approval" not in str(told)
    assert files_in(work) == {"a.txt": b"new\n"}


async def test_a_tool_under_another_name_asks_once(sandbox: FileSandbox, work: Path) -> None:
    tools = file_toolset(sandbox)
    for renamed, name in ((tools.prefixed("fs"), "fs_edit_file"), (tools.renamed({"change": "edit_file"}), "change")):
        (work / "a.txt").write_text("old\n")
        person = Answers(Approve())
        behind = [Gated(gate(person))]
        result = await Agent(script([(name, *EDIT[1:])], "done"), toolsets=[renamed], capabilities=behind).run("go")
        assert returns(result)["1"][1] == "success"
        assert [each.call.tool_name for each in person.asked] == [name]
        assert files_in(work) == {"a.txt": b"new\n"}
