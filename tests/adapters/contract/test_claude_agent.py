"""The contract, run against real sessions of Claude Code, with a scripted server."""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claude_agent_sdk import AssistantMessage, ResultMessage, TextBlock, create_sdk_mcp_server

from assent.adapters.claude_agent import Gated
from assent.testing import AdapterContract, AgentSpec, Call, FakeAnthropic, RunResult, Say, Turn
from tests.adapters.claude_agent_kit import as_tool, session, told

UNIQUE = "The API refuses a conversation in which two calls have the same id."
NO_CONVERSION = (
    "Arguments are checked by JSON Schema, which converts nothing: where a number is wanted, text is refused."
)
ONE_BY_ONE = (
    "Claude Code starts tools that change something one after another, and asks about each when its turn comes."
)
ASYNC_ONLY = "The SDK has no synchronous call."
LAST_ONLY = (
    "Of calls made at the same time, Claude Code keeps only the last one that is deferred; the others do not run."
)
NOTHING_TO_FORGE = "Nothing that a client hands on can claim an approval; a run resumed too early is deferred again."


@dataclass(frozen=True)
class ClaudeAgent:
    spec: AgentSpec

    async def run(self) -> RunResult:
        with tempfile.TemporaryDirectory() as folder:
            result, server, _ = await self._run(Path(folder), self.spec.turns)
        return RunResult(answer=result, told=told(server))

    async def _run(
        self,
        folder: Path,
        turns: Sequence[Any],
        **options: Any,  # noqa: ANN401
    ) -> tuple[str, FakeAnthropic, ResultMessage | None]:
        spec = self.spec
        behind = Gated(spec.gate, policies=spec.policies, name=spec.name, style=spec.style, on_reject=spec.on_reject)
        tools = create_sdk_mcp_server("tools", tools=behind.tools(*map(as_tool, spec.tools)))
        answer, last = "", None
        with FakeAnthropic(*map(scripted, turns), scripted(turns[-1])) as server:
            asked = session(server, folder, tools=[], mcp_servers={"tools": tools}, **options)
            async for message in behind.query(prompt="go", options=asked):
                if isinstance(message, AssistantMessage):
                    answer = "".join(block.text for block in message.content if isinstance(block, TextBlock))
                elif isinstance(message, ResultMessage):
                    last = message
        return answer, server, last

    def run_sync(self) -> RunResult:
        raise NotImplementedError

    async def stream(self) -> RunResult:
        with tempfile.TemporaryDirectory() as folder:
            result, server, _ = await self._run(Path(folder), self.spec.turns, include_partial_messages=True)
        return RunResult(answer=result, told=told(server))

    async def pause(self) -> bytes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            _, _, last = await self._run(folder, self.spec.turns)
            assert last is not None
            assert last.deferred_tool_use is not None
            kept = transcripts(folder)
        return json.dumps({"folder": name, "session": last.session_id, "files": kept}).encode()

    async def resume(self, paused: bytes) -> RunResult:
        kept = json.loads(paused)
        folder = Path(kept["folder"])  # the session belongs to the folder it works in
        try:
            for name, text in kept["files"].items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
            answer, server, _ = await self._run(folder, self.spec.turns[1:], resume=kept["session"])
        finally:
            shutil.rmtree(folder)
        return RunResult(answer=answer, told=told(server))

    async def resume_forged(self, paused: bytes) -> RunResult:
        return await self.resume(paused)


class ClaudeAgentSDK:
    framework = "Claude Agent SDK"
    cannot: Mapping[str, str] = {
        "edited_arguments_reach_the_tool_as_it_takes_them": NO_CONVERSION,
        "parallel_calls_are_one_batch_with_an_answer_each": ONE_BY_ONE,
        "the_same_id_in_another_turn_is_another_question": UNIQUE,
        "a_synchronous_run_asks_too": ASYNC_ONLY,
        "parallel_calls_of_a_synchronous_run_are_one_batch": ASYNC_ONLY,
        "all_questions_of_a_turn_are_on_the_desk_at_once": LAST_ONLY,
        "an_approval_from_outside_is_refused": NOTHING_TO_FORGE,
    }

    def agent(self, spec: AgentSpec) -> ClaudeAgent:
        return ClaudeAgent(spec)


def transcripts(folder: Path) -> dict[str, str]:
    """All that Claude Code keeps of a session."""
    files = folder.glob("home/.claude/projects/**/*.jsonl")
    return {str(file.relative_to(folder)): file.read_text() for file in files}


def scripted(turn: Any) -> Turn:  # noqa: ANN401
    if isinstance(turn, str):
        return Turn(Say(turn))
    return Turn(*(Call(each.tool, each.args, id=each.id) for each in turn))


class TestClaudeAgentSDK(AdapterContract):
    harness = ClaudeAgentSDK()
