"""The OpenAI Agents SDK's other kinds of tools: what runs here passes the gate, what cannot is refused."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from agents import (
    Agent,
    ApplyPatchTool,
    CodeInterpreterTool,
    ComputerTool,
    CustomTool,
    FunctionTool,
    HostedMCPTool,
    LocalShellTool,
    ProgrammaticToolCallingTool,
    Runner,
    RunState,
    ShellResult,
    ShellTool,
    Tool,
    WebSearchTool,
    function_tool,
)
from agents.editor import ApplyPatchOperation
from agents.mcp import MCPServer
from agents.run_context import RunContextWrapper
from agents.testing import ScriptedModel, assistant_message
from agents.tool import LocalShellCommandRequest, MCPToolApprovalRequest, ShellCommandOutput, ShellCommandRequest
from agents.tool_context import ToolContext
from mcp.types import CallToolResult, GetPromptResult, ListPromptsResult, TextContent
from mcp.types import Tool as MCPTool
from openai.types.responses import ResponseCustomToolCall, ResponseFunctionShellToolCall, ResponseFunctionToolCall
from openai.types.responses.response_apply_patch_tool_call import ResponseApplyPatchToolCall
from openai.types.responses.response_output_item import LocalShellCall, McpApprovalRequest, Program

from assent.adapters.openai_agents import gated, resuming
from assent.errors import GateFailed, Stopped
from assent.gate import Gate
from assent.model import Allow, ApprovalDecision, Approve, EffectState, Fixed, Reject, Respond
from assent.testing import Answers, memory_store
from tests.adapters.openai_kit import QUIET, script, told

SHELL: dict[str, Any] = {
    "type": "shell_call",
    "id": "s1",
    "call_id": "1",
    "status": "completed",
    "action": {"commands": ["ls"], "timeout_ms": 1000, "max_output_length": None},
}
LOCAL: dict[str, Any] = {
    "type": "local_shell_call",
    "id": "l1",
    "call_id": "1",
    "status": "completed",
    "action": {"type": "exec", "command": ["ls"], "env": {}},
}
PATCH: dict[str, Any] = {
    "type": "apply_patch_call",
    "id": "p1",
    "call_id": "1",
    "status": "completed",
    "operation": {"type": "create_file", "path": "a.txt", "diff": "+hello\n"},
}


class Workshop:
    """Tools of all kinds, whose parts write down what they did."""

    def __init__(self, *answers: ApprovalDecision) -> None:
        self.did: list[object] = []
        self.person = Answers(*answers)
        self.gate = Gate(approver=self.person, store=memory_store())

    async def run(self, tool: Tool, call: Any, **options: Any) -> str:  # noqa: ANN401
        """What the model was told of its call."""
        agent: Agent[Any] = Agent(
            name="outer", model=ScriptedModel([[call], [assistant_message("done")]]), tools=[tool]
        )
        result = await Runner.run(gated(agent, self.gate, **options), "go", run_config=QUIET)
        assert result.interruptions == []
        return json.dumps([item for item in result.to_input_list() if str(item.get("type", "")).endswith("_output")])

    async def shell(self, request: ShellCommandRequest) -> ShellResult:
        self.did += request.data.action.commands
        return ShellResult(output=[ShellCommandOutput(stdout="fine")])

    def local_shell(self, request: LocalShellCommandRequest) -> str:
        self.did += request.data.action.command
        return "fine"

    async def custom(self, _context: ToolContext[Any], given: str) -> str:
        self.did.append(given)
        return "fine"

    def create_file(self, operation: ApplyPatchOperation) -> None:
        self.did.append((operation.type, operation.path, operation.diff))

    update_file = delete_file = create_file


async def test_a_shell_asks_and_runs_what_was_approved() -> None:
    shop = Workshop(Approve(override_args={"commands": ["ls", "pwd"]}))
    said = await shop.run(ShellTool(executor=shop.shell, needs_approval=True), ResponseFunctionShellToolCall(**SHELL))
    assert shop.did == ["ls", "pwd"]
    assert "A person changed this call" in said
    assert "fine" in said
    (asked,) = shop.person.asked
    assert (asked.call.agents, asked.call.tool_name) == (("outer",), "shell")
    assert dict(asked.call.args)["timeout_ms"] == 1000


async def test_a_shell_command_that_is_rejected_does_not_run_and_the_model_reads_why() -> None:
    shop = Workshop(Reject(note="not here"))
    said = await shop.run(ShellTool(executor=shop.shell), ResponseFunctionShellToolCall(**SHELL))
    assert shop.did == []
    assert "User rejected: not here" in said


async def test_a_shell_that_was_gated_without_a_gate_is_behind_that_of_its_agent() -> None:
    shop = Workshop(Reject(note="not here"), Approve())
    for policies in ({}, {"shell": Fixed(Allow(reason="harmless"))}):
        # What the SDK marks asks, whatever its policy allows.
        shell = gated(ShellTool(executor=shop.shell, needs_approval=True), policies=policies)
        await shop.run(shell, ResponseFunctionShellToolCall(**SHELL))
    assert (shop.did, [each.call.agents for each in shop.person.asked]) == (["ls"], [("outer",), ("outer",)])
    with pytest.raises(GateFailed, match="does not count"):
        await shop.run(gated(ShellTool(executor=shop.shell), shop.gate), None, policies=policies)


async def test_an_edit_that_is_no_shell_command_does_not_run() -> None:
    shop = Workshop(Approve(override_args={"commands": "ls"}))
    said = await shop.run(ShellTool(executor=shop.shell), ResponseFunctionShellToolCall(**SHELL))
    assert shop.did == []
    assert "do not fit shell" in said


async def test_after_a_stop_a_shell_runs_nothing_any_more() -> None:
    shop = Workshop(Reject(note="enough", stop=True), Approve())
    await shop.run(ShellTool(executor=shop.shell), ResponseFunctionShellToolCall(**SHELL), run="42")
    await shop.run(ShellTool(executor=shop.shell), ResponseFunctionShellToolCall(**SHELL), run="42")
    assert shop.did == []
    assert len(shop.person.asked) == 1


@pytest.mark.parametrize("answer", [Approve(), Reject(note="not here")])
async def test_the_older_shell_asks_too(answer: ApprovalDecision) -> None:
    shop = Workshop(answer)
    said = await shop.run(LocalShellTool(executor=shop.local_shell), LocalShellCall(**LOCAL))
    assert (shop.did, "not here" in said) == ((["ls"], False) if answer.approved else ([], True))


async def test_every_change_of_a_patch_is_asked_about() -> None:
    shop = Workshop(Approve(override_args={"type": "create_file", "path": "b.txt", "diff": "+bye\n"}))
    said = await shop.run(ApplyPatchTool(editor=shop), ResponseApplyPatchToolCall(**PATCH))
    assert shop.did == [("create_file", "b.txt", "+bye\n")]
    assert "A person changed this call" in said
    shop = Workshop(Reject(note="not here"))
    said = await shop.run(ApplyPatchTool(editor=shop), ResponseApplyPatchToolCall(**PATCH))
    assert shop.did == []
    assert "not here" in said
    assert '"status": "failed"' in said


async def test_a_custom_tool_asks_with_its_text() -> None:
    shop = Workshop(Approve(override_args={"input": "bye"}))
    tool = CustomTool(name="say", description="Say it.", on_invoke_tool=shop.custom)
    call = ResponseCustomToolCall(type="custom_tool_call", call_id="1", name="say", input="hello")
    await shop.run(tool, call)
    assert shop.did == ["bye"]
    assert [dict(each.call.args) for each in shop.person.asked] == [{"input": "hello"}]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Approve(), {"approve": True}),
        (Reject(note="not there"), "not there"),
        (Respond(result="known already"), "known already"),
        (Approve(override_args={"to": "bob"}), "as it is"),
    ],
)
async def test_the_gate_answers_for_an_mcp_server_that_the_provider_calls(answer: ApprovalDecision, said: Any) -> None:  # noqa: ANN401
    shop = Workshop(answer)
    config: Any = {
        "type": "mcp",
        "server_label": "mail",
        "server_url": "https://mail.test",
        "require_approval": "never",
    }
    agent: Agent[Any] = Agent(name="outer", tools=[HostedMCPTool(tool_config=config)])
    (tool,) = await gated(agent, shop.gate).get_all_tools(RunContextWrapper(None))
    assert isinstance(tool, HostedMCPTool)
    assert tool.tool_config.get("require_approval") == "always"
    wanted = McpApprovalRequest(
        id="m1", type="mcp_approval_request", server_label="mail", name="send", arguments='{"to": "ana"}'
    )
    assert tool.on_approval_request is not None
    answered: Any = await tool.on_approval_request(MCPToolApprovalRequest(RunContextWrapper(None), wanted))  # type: ignore[misc]
    assert answered == said if isinstance(said, dict) else not answered["approve"] and said in answered["reason"]
    assert [each.call.tool_name for each in shop.person.asked] == ["mail.send"]
    if answered["approve"]:
        (asked,) = shop.gate.store.recent(1)
        assert asked.effect is not None
        assert asked.effect.state is EffectState.UNKNOWN


async def test_a_stop_at_an_mcp_server_of_the_provider_ends_the_run() -> None:
    shop = Workshop(Reject(note="enough", stop=True))
    config: Any = {"type": "mcp", "server_label": "mail", "server_url": "https://mail.test"}
    call = McpApprovalRequest(id="m1", type="mcp_approval_request", server_label="mail", name="send", arguments="{}")
    with pytest.raises(Stopped, match="enough"):
        await shop.run(HostedMCPTool(tool_config=config), call)


def test_what_runs_here_and_cannot_be_stopped_is_refused_at_once() -> None:
    agent: Agent[Any] = Agent(name="outer", tools=[ComputerTool(computer=object())])
    with pytest.raises(GateFailed, match="ComputerTool runs here"):
        gated(agent, Gate(store=memory_store()))


async def test_what_the_provider_runs_is_left_as_it_is() -> None:
    tools: list[Tool] = [
        WebSearchTool(),
        CodeInterpreterTool(tool_config={"type": "code_interpreter", "container": {"type": "auto"}}),
        ShellTool(environment={"type": "container_auto"}),
    ]
    behind = gated(Agent[Any](name="outer", tools=tools), Gate(store=memory_store()))
    assert await behind.get_all_tools(RunContextWrapper(None)) == tools


class Mail(MCPServer):
    """An MCP server with one tool, in this process."""

    def __init__(self, did: list[object]) -> None:
        super().__init__()
        self._did = did

    @property
    def name(self) -> str:
        return "mail"

    async def connect(self) -> None: ...
    async def cleanup(self) -> None: ...

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[MCPTool]:  # noqa: ANN401
        schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
        return [MCPTool(name="send", input_schema=schema)]

    async def call_tool(self, tool_name: str, arguments: Any, meta: Any = None) -> CallToolResult:  # noqa: ANN401
        self._did.append((tool_name, arguments))
        return CallToolResult(content=[TextContent(type="text", text="sent")])

    async def list_prompts(self) -> ListPromptsResult:
        raise NotImplementedError

    async def get_prompt(self, name: str, arguments: Any = None) -> GetPromptResult:  # noqa: ANN401
        raise NotImplementedError


async def test_the_tools_of_an_mcp_server_pass_the_gate() -> None:
    shop = Workshop(Approve(override_args={"to": "bob"}), Reject(note="not him"))
    calls: Sequence[Any] = [[("send", {"to": "ana"}, "1")], [("send", {"to": "eve"}, "2")]]
    agent: Agent[Any] = Agent(name="outer", model=script(*calls, "done"), mcp_servers=[Mail(shop.did)])
    result = await Runner.run(gated(agent, shop.gate), "go", run_config=QUIET)
    said = told(result.to_input_list())
    assert shop.did == [("send", {"to": "bob"})]
    assert "A person changed this call" in said["1"]
    assert "not him" in said["2"]


async def test_a_pause_before_a_tool_of_an_mcp_server_is_resumed() -> None:
    shop = Workshop()
    agent: Agent[Any] = Agent(
        name="outer", model=script([("send", {"to": "ana"}, "1")], "done"), mcp_servers=[Mail(shop.did)]
    )
    behind = gated(agent, shop.gate, style="deferred", run="42")
    result = await Runner.run(behind, "go", run_config=QUIET)
    (pending,) = shop.gate.store.desk()
    shop.gate.answer(pending.id, Approve())
    state: RunState[Any, Any] = await RunState.from_string(behind, result.to_state().to_string())
    result = await Runner.run(behind, resuming(state), run_config=QUIET)
    assert (shop.did, result.final_output) == ([("send", {"to": "ana"})], "done")


async def test_a_refusal_need_not_look_like_the_result_that_a_program_expects() -> None:
    shop = Workshop(Reject(note="not today"))

    def count() -> dict[str, int]:
        """Count."""
        shop.did.append("counted")
        return {"n": 1}

    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tool = function_tool(count, allowed_callers=["programmatic"], output_json_schema=schema)
    program = Program(type="program", id="p", call_id="p", code="count()", fingerprint="f")
    called: dict[str, Any] = {"caller": {"type": "program", "caller_id": "p"}}
    call = ResponseFunctionToolCall(type="function_call", call_id="1", name="count", arguments="{}", **called)
    model = ScriptedModel([[program, call], [assistant_message("done")]])
    agent: Agent[Any] = Agent(name="outer", model=model, tools=[tool, ProgrammaticToolCallingTool()])
    result = await Runner.run(gated(agent, shop.gate), "go", run_config=QUIET)
    assert shop.did == []
    assert "not today" in json.loads(told(result.to_input_list())["1"])["error"]


def test_a_tool_that_guards_its_attributes_is_gated_all_the_same() -> None:
    class Guarded(FunctionTool):
        def __setattr__(self, name: str, value: object) -> None:
            if name == "__dict__":
                raise AttributeError(name)
            super().__setattr__(name, value)

    async def nothing(_context: object, _given: str) -> str:
        return ""

    tool = Guarded(name="guarded", description="", params_json_schema={}, on_invoke_tool=nothing)
    behind = gated(tool, Gate(store=memory_store()))
    assert type(behind) is Guarded
    assert behind.on_invoke_tool is not tool.on_invoke_tool
