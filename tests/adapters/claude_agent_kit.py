"""Real sessions of Claude Code in a folder of their own, which talk to a scripted server and nobody else."""

import inspect
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, SdkMcpTool, tool
from pydantic import TypeAdapter, validate_call

from assent import Gate
from assent.adapters.claude_agent import Gated
from assent.model import ApprovalDecision, EffectState
from assent.testing import Answers, Call, FakeAnthropic, Say, Turn, memory_store

QUIET = {
    "ANTHROPIC_API_KEY": "any",
    "CLAUDE_AGENT_SDK_MCP_NO_PREFIX": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    # It refuses to skip its own questions for root, unless it is told that this is a sandbox.
    "IS_SANDBOX": "1",
}


DONE = Turn(Say("done"))


def bash(command: str = "touch ran", call_id: str = "toolu_1") -> Turn:
    return Turn(Call("Bash", {"command": command}, id=call_id))


async def run(behind: Gated, folder: Path, *turns: Turn, **options: Any) -> FakeAnthropic:  # noqa: ANN401 — as the SDK has them
    """A whole session, to its end."""
    with FakeAnthropic(*turns, DONE, DONE) as server:
        async for _ in behind.query(prompt="go", options=session(server, folder, **options)):
            pass
    return server


def asking(*answers: ApprovalDecision) -> tuple[Gated, Answers, Gate]:
    person = Answers(*answers)
    gate = Gate(approver=person, store=memory_store())
    return Gated(gate, name="main"), person, gate


def ran(folder: Path) -> bool:
    return (folder / "work" / "ran").exists()


def effects(gate: Gate) -> list[EffectState | None]:
    return [asked.effect.state if asked.effect else None for asked in gate.store.recent(9)]


def session(server: FakeAnthropic, folder: Path, **options: Any) -> ClaudeAgentOptions:  # noqa: ANN401 — as the SDK has them
    """Options for a session that works in `folder/work` and keeps all it knows in `folder/home`."""
    home, work = folder / "home", folder / "work"
    home.mkdir(exist_ok=True)
    work.mkdir(exist_ok=True)
    own = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude"), "ANTHROPIC_BASE_URL": server.url}
    made = ClaudeAgentOptions(
        cwd=work,
        env={**proxyless(), **QUIET, **own},
        model="claude-sonnet-4-5",
        system_prompt="You are an agent.",
        strict_mcp_config=True,
    )
    return replace(made, **options)


def proxyless() -> dict[str, str]:
    """The server is this machine: no proxy of the surroundings has a part in it."""
    return {name: "" for name in os.environ if name.lower().endswith("_proxy")}


def as_tool(function: Callable[..., Any]) -> SdkMcpTool[Any]:
    """A function as users of the SDK would write it down: a schema, and a handler of one dictionary."""
    kind: Any = function
    schema = TypeAdapter(kind).json_schema()
    checked = validate_call(function)

    @tool(function.__name__, function.__doc__ or "", schema)
    async def handler(args: dict[str, Any]) -> dict[str, Any]:
        result: Any = checked(**args)
        result = await result if inspect.isawaitable(result) else result
        return {"content": [{"type": "text", "text": str(result)}]}

    return handler


def told(server: FakeAnthropic) -> dict[str, str]:
    """What the model read of each call, as it was said last."""
    found: dict[str, str] = {}
    for request in server.requests:
        messages: Any = request.body["messages"]
        for message in messages:
            for block in [] if isinstance(message["content"], str) else message["content"]:
                if block["type"] == "tool_result":
                    found[block["tool_use_id"]] = said(block["content"])
    return found


def said(content: Any) -> str:  # noqa: ANN401
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def settings(folder: Path, content: object, *, trusted: bool = True) -> None:
    """A settings file in the project, as an agent that may write there could leave it."""
    (folder / "work" / ".claude").mkdir(parents=True, exist_ok=True)
    (folder / "work" / ".claude" / "settings.json").write_text(json.dumps(content))
    home = folder / "home" / ".claude"
    home.mkdir(parents=True, exist_ok=True)
    if trusted:
        known = {"projects": {str(folder / "work"): {"hasTrustDialogAccepted": True}}}
        (home / ".claude.json").write_text(json.dumps(known))
