"""Tools of this process in sessions of Claude Code: their permits, names and numbers."""

from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import (
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    SdkMcpTool,
    create_sdk_mcp_server,
    query,
    tool,
)

from assent import Approve
from assent.model import EffectState
from assent.testing import Call, FakeAnthropic, Turn
from tests.adapters.claude_agent_kit import DONE, asking, bash, effects, ran, run, session, told

PAY = Turn(Call("pay", {"sum": 5}, id="toolu_1"))


def paying(schema: Any = None, name: str = "pay") -> tuple[SdkMcpTool[Any], list[Any]]:  # noqa: ANN401 — as the SDK has it
    paid: list[Any] = []

    @tool(name, "Pay a sum", schema or {"sum": int})
    async def pay(args: dict[str, Any]) -> dict[str, Any]:
        paid.append(args["sum"])
        return {"content": [{"type": "text", "text": "paid"}]}

    return pay, paid


async def refuse(*_: object) -> Any:  # noqa: ANN401 — a hook's output
    words = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not me"}
    return {"hookSpecificOutput": words}


REFUSING: dict[str, Any] = {"hooks": {"PreToolUse": [HookMatcher(hooks=[refuse])]}}


# Permits


async def test_a_permit_that_is_not_used_helps_no_other_session(tmp_path: Path) -> None:
    async def yes(*_: object) -> PermissionResultAllow:
        return PermissionResultAllow()

    behind, person, gate = asking(Approve())
    pay, paid = paying()
    server = create_sdk_mcp_server("bank", tools=behind.tools(pay))
    with FakeAnthropic(PAY, DONE) as first, FakeAnthropic(PAY, DONE) as second:
        options = session(first, tmp_path, tools=[], mcp_servers={"bank": server}, **REFUSING)
        async with behind.client(options) as client:
            await client.query("go")
            async for _ in client.receive_response():
                pass
            # While the first session is still open, one that has no gate:
            bare = session(second, tmp_path, tools=[], mcp_servers={"bank": server}, can_use_tool=yes)
            async for _ in query(prompt="go", options=bare):
                pass
    assert "not me" in told(first)["toolu_1"]
    assert "No approval for this call" in told(second)["toolu_1"]
    assert (len(person.asked), paid, effects(gate)) == (1, [], [None])


async def test_a_client_runs_tools_of_this_process_with_its_own_permits(tmp_path: Path) -> None:
    behind, _, gate = asking(Approve())
    pay, paid = paying()
    server = create_sdk_mcp_server("bank", tools=behind.tools(pay))
    with FakeAnthropic(PAY, DONE) as model:
        async with behind.client(session(model, tmp_path, tools=[], mcp_servers={"bank": server})) as client:
            await client.query("go")
            async for _ in client.receive_response():
                pass
    assert (paid, effects(gate)) == ([5], [EffectState.DONE])


async def test_a_client_leaves_a_closed_record(tmp_path: Path) -> None:
    behind, _, gate = asking(Approve())
    with FakeAnthropic(bash(), DONE) as model:
        async with behind.client(session(model, tmp_path, **REFUSING)) as client:
            await client.query("go")
            async for _ in client.receive_response():
                pass
            assert effects(gate) == [EffectState.STARTED]
    assert effects(gate) == [EffectState.UNKNOWN]
    assert [entry.kind for entry in gate.store.journal()][-1] == "ended"
    assert not ran(tmp_path)


async def test_with_a_client_of_ones_own_tools_of_this_process_bother_nobody(tmp_path: Path) -> None:
    behind, person, _ = asking(Approve())
    pay, paid = paying()
    server = create_sdk_mcp_server("bank", tools=behind.tools(pay))
    with FakeAnthropic(PAY, DONE) as model:
        options = behind.options(session(model, tmp_path, tools=[], mcp_servers={"bank": server}))
        async with ClaudeSDKClient(options) as client:
            await client.query("go")
            async for _ in client.receive_response():
                pass
    assert "Gated.client" in told(model)["toolu_1"]
    assert (person.asked, paid) == ([], [])


# Names


async def test_names_that_claude_code_spells_otherwise_are_found(tmp_path: Path) -> None:
    behind, _, gate = asking(Approve())
    pay, paid = paying(name="pay.now please")
    server = create_sdk_mcp_server("my bank", tools=behind.tools(pay))
    with FakeAnthropic(Turn(Call("mcp__my_bank__pay_now_please", {"sum": 5}, id="toolu_1")), DONE) as model:
        options = session(model, tmp_path, tools=[], mcp_servers={"my bank": server})
        del options.env["CLAUDE_AGENT_SDK_MCP_NO_PREFIX"]
        async for _ in behind.query(prompt="go", options=options):
            pass
    assert (paid, effects(gate)) == ([5], [EffectState.DONE])


def test_two_names_that_claude_code_spells_alike_are_refused() -> None:
    behind, _, _ = asking()
    behind.tools(paying(name="pay.now")[0])
    with pytest.raises(ValueError, match="two tools are named 'pay now'"):
        behind.tools(paying(name="pay now")[0])


# Numbers


@pytest.mark.parametrize(
    ("args", "answer", "asked", "paid"),
    [
        ({}, Approve(), 1, [1]),
        ({"sum": 3}, Approve(override_args={"sum": 2.0}), 1, [2]),
        (
            {"sum": {"parts": [1.5, 2.0]}},
            Approve(override_args={"sum": {"parts": [3.0, -0.0]}}),
            1,
            [{"parts": [3, 0]}],
        ),
        ({"sum": 2**53}, Approve(), 0, []),
        ({"sum": 3}, Approve(override_args={"sum": [2**53 + 1]}), 1, []),
    ],
    ids=["default", "edited", "nested", "too large", "edited to what is too large"],
)
async def test_numbers_reach_the_tool_as_they_were_approved(
    tmp_path: Path, args: dict[str, Any], answer: Approve, asked: int, paid: list[Any]
) -> None:
    behind, person, _ = asking(answer)
    pay, seen = paying({"type": "object", "properties": {"sum": {"default": 1.0}}})
    server = create_sdk_mcp_server("bank", tools=behind.tools(pay))
    call = Turn(Call("pay", args, id="toolu_1"))
    model = await run(behind, tmp_path, call, tools=[], mcp_servers={"bank": server})
    assert (len(person.asked), repr(seen)) == (asked, repr(paid))
    assert paid or "keeps exactly" in told(model)["toolu_1"]
