"""Whatever switches Claude Code's hooks off, or runs before them or without them, does not get past the gate."""

import asyncio
import json
from pathlib import Path
from shlex import quote
from typing import Any

import claude_agent_sdk
import pytest
from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

from assent import Approve, Gate, Reject
from assent.adapters.claude_agent import Gated
from assent.errors import GateFailed
from assent.model import Allow, Deny, Fixed
from assent.testing import Answers, Call, FakeAnthropic, Say, Turn, memory_store
from tests.adapters.claude_agent_kit import DONE, asking, bash, effects, ran, run, session, settings, told

SIMPLE = {"CLAUDE_CODE_SIMPLE": "1"}
LENIENT: dict[str, Any] = {"env": SIMPLE, "permissions": {"allow": ["Bash"]}}


def user_settings(folder: Path) -> None:
    (folder / "home" / ".claude").mkdir(parents=True)
    (folder / "home" / ".claude" / "settings.json").write_text(json.dumps(LENIENT))


@pytest.mark.parametrize("place", ["environment", "options", "inline settings", "user settings"])
async def test_the_mode_without_hooks_is_switched_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    options: dict[str, Any] = {"permission_mode": "acceptEdits"}
    if place == "environment":
        monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
    elif place == "inline settings":
        options["settings"] = json.dumps(LENIENT)
    elif place == "user settings":
        user_settings(tmp_path)
        options["setting_sources"] = ["user"]
    behind, person, _ = asking(Reject())
    with FakeAnthropic(bash(), DONE) as server:
        made = session(server, tmp_path, **options)
        made.env.update(SIMPLE if place == "options" else {})
        async for _ in behind.query(prompt="go", options=made):
            pass
    assert len(person.asked) == 1
    assert not ran(tmp_path)


@pytest.mark.parametrize("flag", ["bare", "settings", "settings={}", "permission-prompt-tool"])
def test_flags_that_would_go_past_the_gate_are_refused(flag: str) -> None:
    with pytest.raises(ValueError, match=f"leave out --{flag}"):
        asking()[0].options(ClaudeAgentOptions(extra_args={flag: None}))


async def talk(behind: Gated, options: ClaudeAgentOptions) -> None:
    async with behind.client(options) as client:
        await client.query("go")
        async for _ in client.receive_response():
            pass


async def test_in_a_mode_without_hooks_nothing_runs_and_the_session_ends(tmp_path: Path) -> None:
    behind, person, _ = asking(Approve())
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "secret").write_text("SECRET")
    read = Turn(Call("Read", {"file_path": str(tmp_path / "work" / "secret")}, id="toolu_1"))
    with FakeAnthropic(read, bash(), DONE) as server:
        # Claude Code looks for the flag among all of its arguments, this one as well.
        options = session(server, tmp_path, system_prompt="--bare", permission_mode="acceptEdits")
        with pytest.raises(GateFailed, match="does not call the gate's hooks"):
            await talk(behind, options)
        assert len(server.requests) == 1
    assert "SECRET" not in str([request.body for request in server.requests])
    assert person.asked == []


async def test_a_query_that_calls_no_hooks_fails_even_where_claude_code_asks_nothing(tmp_path: Path) -> None:
    real = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
    wrapper = tmp_path / "claude"
    wrapper.write_text(f"""#!/bin/sh\nexec {quote(str(real))} --bare "$@" --settings {quote(json.dumps(LENIENT))}\n""")
    wrapper.chmod(0o755)
    behind, _, _ = asking(Approve())
    with FakeAnthropic(bash(), DONE) as server, pytest.raises(GateFailed, match="does not call the gate's hooks"):
        async for _ in behind.query(prompt="go", options=session(server, tmp_path, cli_path=wrapper)):
            pass


@pytest.mark.parametrize("kind", ["none", "text", "file"])
def test_the_gates_settings_are_added_to_those_that_are_given(tmp_path: Path, kind: str) -> None:
    given = {"model": "x", "env": {"A": "1", **SIMPLE}, "permissions": {"ask": ["Read"], "deny": ["WebFetch"]}}
    (tmp_path / "mine.json").write_text(json.dumps(given), encoding="utf-8-sig")
    text = {"none": None, "text": f" {json.dumps(given)}\n", "file": "mine.json"}[kind]
    made = json.loads(asking()[0].options(ClaudeAgentOptions(settings=text, cwd=tmp_path)).settings or "")
    expected = {"model": "x", "env": {"A": "1"}, "permissions": {"ask": ["Read"], "deny": ["WebFetch"]}}
    before: dict[str, Any] = {"env": {}, "permissions": {"ask": []}} if kind == "none" else expected
    assert made == {
        **before,
        "disableSkillShellExecution": True,
        "env": {**before["env"], "CLAUDE_CODE_SIMPLE": "0"},
        "permissions": {**before["permissions"], "ask": [*before["permissions"]["ask"], "*"]},
    }


@pytest.mark.parametrize("text", ["nowhere.json", "{broken}", '{"env": 3}', '{"permissions": ["Bash"]}'])
def test_settings_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="settings"):
        asking()[0].options(ClaudeAgentOptions(settings=text))


@pytest.mark.parametrize("by", ["model", "prompt"])
async def test_the_commands_of_a_skill_do_not_run(tmp_path: Path, by: str) -> None:
    settings(tmp_path, {})
    skill = tmp_path / "work" / ".claude" / "skills" / "greet"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: greet\ndescription: d\nallowed-tools: Bash(touch:*)\n---\nSay hello. !`touch ran`\n"
    )
    person = Answers(Approve())
    policies = {"Bash": Fixed(Deny(reason="no commands"))}
    behind = Gated(Gate(approver=person, store=memory_store()), policies=policies)
    turns = [Turn(Call("Skill", {"skill": "greet"}, id="toolu_1"))] if by == "model" else []
    with FakeAnthropic(*turns, DONE, DONE) as server:
        options = session(server, tmp_path, setting_sources=["project"])
        async for _ in behind.query(prompt="go" if turns else "/greet", options=options):
            pass
    assert "Say hello." in str(server.requests[-1].body)
    assert not ran(tmp_path)


# Calls that come back


async def test_a_call_that_is_resumed_does_not_overtake_the_hooks(tmp_path: Path) -> None:
    async def one(folder: Path) -> str:
        (folder / "work").mkdir(parents=True)
        (folder / "work" / "secret").write_text("SECRET")
        gate = Gate(store=memory_store())
        behind, last = Gated(gate, style="deferred"), None
        read = Turn(Call("Read", {"file_path": str(folder / "work" / "secret")}, id="toolu_1"))
        with FakeAnthropic(read, DONE, DONE) as server:
            async for message in behind.query(prompt="go", options=session(server, folder)):
                last = message
            (pending,) = gate.store.desk()
            gate.answer(pending.id, Reject(note="never"))
            again = session(server, folder, resume=getattr(last, "session_id", None))
            async for _ in behind.query(prompt="go on", options=again):
                pass
        return told(server)["toolu_1"]

    # More than once: without the gate's options it is a matter of milliseconds who is first.
    for words in await asyncio.gather(*(one(tmp_path / name) for name in "abc")):
        assert "User rejected: never" in words


async def test_a_sub_agents_question_waits_for_its_answer_in_a_deferred_run(tmp_path: Path) -> None:
    person = Answers(Approve())
    gate = Gate(approver=person, store=memory_store())
    behind = Gated(gate, style="deferred", policies={"Agent": Fixed(Allow(reason="free"))})
    task = {"description": "d", "prompt": "do it", "subagent_type": "scribe", "run_in_background": False}
    turns = (Turn(Call("Agent", task, id="toolu_1")), bash("touch ran", "toolu_2"), Turn(Say("it is done")))
    await run(behind, tmp_path, *turns, agents={"scribe": AgentDefinition(description="writes", prompt="You write.")})
    assert ran(tmp_path)
    assert len(effects(gate)) == 1
