"""What an operator decides about commands and about other agents: stories 8 to 13."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from assent.errors import Stopped
from assent.model import Tool
from assent.testing import SubAgent, SubAgents
from tests.stories.operator import CONFIGURATION, Agent, More, Operator

COMMAND = "for name in a b; do\n  echo $name\ndone"
MADE = {"name": "scout", "instructions": "find out", "tools": ["read_file"], "permissions": ["read letters"]}


async def answered(operator: Operator, wanted: asyncio.Task[object], text: str, *keys: str) -> str:
    """The question, once it is answered with these keys."""
    asked = await operator.person.is_asked(text)
    for number, key in enumerate(keys):
        if number:
            await operator.person.may_answer()
        operator.person.types(key)
    await asyncio.wait([wanted])
    return asked


@pytest.mark.usefixtures("walls")
async def test_story_08_a_command_is_shown_whole_and_every_answer_to_it_is_possible(operator: Operator) -> None:
    with operator.run(commands=True) as agent:
        wanted = agent.wants("run_command", command=COMMAND)
        asked = await answered(operator, wanted, "Run for name", "n", "two at a time\r")
        assert all(f"│ {line}\n" in asked for line in COMMAND.splitlines())
        heard = await wanted
        assert isinstance(heard, dict)
        assert heard["error"] == "rejected"
        assert "two at a time" in str(heard["message"])
        # The agent reacts to it; this time it may.
        wanted = agent.wants("run_command", command=COMMAND)
        await answered(operator, wanted, "Run for name", "y")
        heard = await wanted
        assert isinstance(heard, dict)
        assert (heard["exit_code"], heard["output"]) == (0, "a\nb\n")
        wanted = agent.wants("run_command", command="echo again")
        await answered(operator, wanted, "Run echo again", "s", "1")
        assert (await agent.hears("run_command", command="echo again"))["output"] == "again\n"
        wanted = agent.wants("run_command", command="echo enough")
        await answered(operator, wanted, "Run echo enough", "q", "q")
        with pytest.raises(Stopped):
            await wanted


@pytest.mark.usefixtures("walls")
async def test_story_09_rules_approve_by_words_and_the_rest_follows_the_default(operator: Operator) -> None:
    with operator.run(commands=True) as agent:
        for command in ("git status", "git status --short"):
            assert "exit_code" in await agent.hears("run_command", command=command)
        assert operator.person.seen == "", "nobody was asked"
        # Another word, and more than the rule names.
        for command in ("git stash", "git status && git stash"):
            wanted = agent.wants("run_command", command=command)
            asked = await answered(operator, wanted, f"Run {command}", "n", "\r")
            assert "git stash — no rule names git\n" in asked
    operator.configures(CONFIGURATION.replace("shell:\n", "shell:\n  default: {allowed: false}\n"))
    with operator.run(commands=True) as agent:
        assert (await agent.hears("run_command", command="git stash"))["error"] == "denied"
        assert "exit_code" in await agent.hears("run_command", command="git status")


@pytest.mark.usefixtures("walls")
async def test_story_10_a_forbidden_command_fails_at_once_and_the_agent_can_adjust(operator: Operator) -> None:
    with operator.run(commands=True) as agent:
        heard = await agent.hears("run_command", command="rm -rf plan.md")
        assert heard["error"] == "denied"
        assert "denied by policy" in str(heard["message"])
        assert "nothing is deleted here" in str(heard["message"])
        assert operator.person.seen == "", "nobody was asked"
        assert (operator.work / "plan.md").exists()
        assert "exit_code" in await agent.hears("run_command", command="git status")
    assert "rm -rf plan.md" in operator.assent("log", "--kind", "denied").stdout


class Office:
    """Sub-agents, and what they were given."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str, list[str]]] = []
        self.made: SubAgents | None = None

    @property
    def tools(self) -> More:
        def made(tools: dict[str, Tool]) -> tuple[Tool, ...]:
            self.made = SubAgents(tools["read_file"], self._work)
            return self.made.tools

        return made

    @property
    def names(self) -> list[str]:
        assert self.made
        return list(self.made.agents)

    async def _work(self, agent: SubAgent, wanted: str, files: Mapping[str, object]) -> object:
        self.done.append((agent.name, wanted, list(files)))
        return "found"


async def make(operator: Operator, agent: Agent) -> None:
    await answered(operator, agent.wants("create_agent", **MADE), "Create agent scout", "y")


async def test_story_11_a_sub_agent_is_shown_before_it_exists(operator: Operator) -> None:
    office = Office()
    with operator.run(more=office.tools) as agent:
        wanted = agent.wants("create_agent", **MADE)
        asked = await answered(operator, wanted, "Create agent scout", "n", "\r")
        assert "Tool: create_agent\n" in asked
        assert all(f'"{word}"' in asked for word in ("scout", "find out", "read_file", "read letters"))
        assert office.names == []
        await make(operator, agent)
        assert office.names == ["scout"]


async def test_story_12_a_hand_over_names_the_agent_its_input_and_its_attachments(operator: Operator) -> None:
    office = Office()
    first = {"agent": "scout", "input": "who wrote?", "attachments": ["work/plan.md"]}
    with operator.run(more=office.tools) as agent:
        await make(operator, agent)
        wanted = agent.wants("call_agent", **first)
        asked = await answered(operator, wanted, "Hand work to scout, with work/plan.md", "s", "1")
        assert all(f'"{word}"' in asked for word in ("scout", "who wrote?", "work/plan.md"))
        # The same again is covered; another input, or another attachment, is not.
        assert await agent.wants("call_agent", **first) == "found"
        for other in ({**first, "input": "who answered?"}, {**first, "attachments": []}):
            wanted = agent.wants("call_agent", **other)
            await answered(operator, wanted, "Hand work to scout", "n", "\r")
    assert office.done == [("scout", "who wrote?", ["work/plan.md"])] * 2


async def test_story_13_each_file_handed_over_passes_its_own_read_approval(operator: Operator) -> None:
    office = Office()
    (operator.folder / "letters/ben.txt").write_text("Dear Ben,\nno.\n")
    sizes = {"letters/ana.txt": "1 line, 9 bytes", "letters/ben.txt": "2 lines, 14 bytes"}
    person = operator.person

    async def hand_over(agent: Agent, *refused: str) -> object:
        wanted = agent.wants("call_agent", agent="scout", input="sum up", attachments=list(sizes))
        await person.is_asked("Hand work to scout, with letters/ana.txt, letters/ben.txt")
        person.types("y")
        for _ in sizes:
            asked = await person.is_asked("to hand it to scout")
            (path,) = (path for path in sizes if f"What: Read {path}, to hand it to scout\n" in asked)
            assert f"Where: {path} ({sizes[path]})\n" in asked
            assert "Agent: main › scout\n" in asked
            person.types("n" if path in refused else "y")
            if path in refused:
                await person.may_answer()
                person.types("private\r")
        return await wanted

    with operator.run(more=office.tools) as agent:
        await make(operator, agent)
        # Refusing one refuses the hand-over.
        assert "private" in str(await hand_over(agent, "letters/ben.txt"))
        assert office.done == []
        assert await hand_over(agent) == "found"
    assert office.done == [("scout", "sum up", list(sizes))]
