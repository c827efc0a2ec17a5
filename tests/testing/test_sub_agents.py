"""Sub-agents are made, handed work and handed files only with somebody's agreement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from assent import Approve, Gate, Reject, Scope, Session
from assent.config import load_settings
from assent.model import Pending
from assent.testing import Answers, SubAgent, SubAgents, memory_store
from assent.tools.files import FileSandbox, file_tools

MADE = {"name": "researcher", "instructions": "find out", "tools": ["read_file"], "permissions": ["read work"]}


class Office:
    """A session with sub-agents, whose work is written down."""

    def __init__(self, folder: Path, *answers: Approve | Reject) -> None:
        (folder / "work").mkdir()
        (folder / "work/a.txt").write_text("alpha\n")
        (folder / "work/b.txt").write_text("beta\nbeta\n")
        (folder / "assent.yaml").write_text("sandbox: {paths: {work: {root: work, read_approval: true}}}\n")
        self.done: list[tuple[str, str, dict[str, object]]] = []
        self.answers = Answers(*answers)
        read_file = next(
            tool
            for tool in file_tools(FileSandbox.from_settings(load_settings(folder / "assent.yaml")))
            if tool.name == "read_file"
        )
        self.agents = SubAgents(read_file, self.work)
        gate = Gate(approver=self.answers, store=memory_store())
        self.session = Session(gate, self.agents.tools, agents=("main",))

    async def work(self, agent: SubAgent, wanted: str, files: Mapping[str, object]) -> object:
        self.done.append((agent.name, wanted, dict(files)))
        return "found"

    async def hand_over(self, wanted: str, *files: str) -> object:
        return await self.session.call(
            "call_agent", {"agent": "researcher", "input": wanted, "attachments": list(files)}
        )

    @property
    def asked(self) -> list[Pending]:
        return self.answers.asked


async def test_an_agent_does_not_exist_before_somebody_agreed(tmp_path: Path) -> None:
    office = Office(tmp_path, Reject(note="no more agents"), Approve())
    refused = await office.session.call("create_agent", MADE)
    assert isinstance(refused, dict)
    assert office.agents.agents == {}
    assert await office.session.call("create_agent", MADE) == "researcher is ready"
    shown = office.asked[0].preview.presentation.content  # type: ignore[union-attr]
    assert all(word in shown for word in ("researcher", "find out", "read_file", "read work"))


async def test_nobody_is_asked_about_an_agent_that_is_not_there(tmp_path: Path) -> None:
    office = Office(tmp_path, Approve())
    told = await office.hand_over("look")
    assert isinstance(told, dict)
    assert "create_agent makes one" in str(told["message"])
    assert office.asked == []


async def test_each_attachment_passes_its_own_read_approval_with_its_size_and_its_receiver(tmp_path: Path) -> None:
    office = Office(tmp_path, Approve())
    await office.session.call("create_agent", MADE)
    assert await office.hand_over("look", "work/a.txt", "work/b.txt") == "found"
    # One batch, drawn side by side.
    files = sorted(office.asked[2:], key=lambda each: each.preview.presentation.description)
    assert [each.preview.presentation.description for each in files] == [
        "Read work/a.txt, to hand it to researcher",
        "Read work/b.txt, to hand it to researcher",
    ]
    assert [each.preview.presentation.file_bytes for each in files] == [6, 10]  # type: ignore[union-attr]
    assert [each.call.agents for each in files] == [("main", "researcher")] * 2
    assert len(office.answers.batches) == 3
    ((name, wanted, handed),) = office.done
    assert (name, wanted, list(handed)) == ("researcher", "look", ["work/a.txt", "work/b.txt"])


async def test_refusing_one_attachment_refuses_the_hand_over(tmp_path: Path) -> None:
    office = Office(tmp_path, Approve(), Approve(), Approve(), Reject(note="not that one"))
    await office.session.call("create_agent", MADE)
    told = await office.hand_over("look", "work/a.txt", "work/b.txt")
    assert isinstance(told, dict)
    assert "not that one" in str(told["message"])
    assert office.done == []


async def test_a_session_approval_covers_the_same_agent_input_and_attachments_only(tmp_path: Path) -> None:
    office = Office(tmp_path, Approve(), Approve(scope=Scope.SESSION), Approve(scope=Scope.SESSION), Reject())
    await office.session.call("create_agent", MADE)
    await office.hand_over("look", "work/a.txt")
    assert len(office.asked) == 3
    await office.hand_over("look", "work/a.txt")
    assert len(office.asked) == 3
    for wanted, files in (("look twice", ["work/a.txt"]), ("look", ["work/b.txt"]), ("look", [])):
        assert isinstance(await office.hand_over(wanted, *files), dict)
    assert len(office.asked) == 6


@pytest.mark.parametrize(
    "wrong", [{}, {"name": ""}, {"name": 3}, {"name": "x", "tools": "read"}, {"name": "x", "tools": [1]}]
)
async def test_an_agent_that_cannot_be_read_is_not_made(tmp_path: Path, wrong: dict[str, object]) -> None:
    office = Office(tmp_path, Approve())
    told = await office.session.call("create_agent", wrong)
    assert isinstance(told, dict)
    assert told["error"] == "invalid_arguments"
    assert office.asked == []
