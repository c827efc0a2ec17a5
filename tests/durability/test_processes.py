"""A question outlives the process that asked it; what was approved runs once, wherever that is."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assent.errors import AlreadySpent
from assent.gate import Gate
from assent.model import Approve, Pending
from assent.store import SQLiteStore
from tests.durability.effects import AppendLine, lines, wanted
from tests.store.kit import until

ROOT = Path(__file__).resolve().parents[2]


def start(who: str, folder: Path, what: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.durability.actors", who, str(folder), what]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def heard(process: subprocess.Popen[str]) -> list[str]:
    """All that the process says until it ends by itself."""
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return said.splitlines()


def killed_while_it_waits(folder: Path, line: str) -> None:
    agent = start("agent", folder, line)
    store = SQLiteStore(folder / "store.db")
    until(store.desk)
    store.close()
    agent.kill()
    assert agent.communicate()[0] == ""
    assert agent.returncode == -signal.SIGKILL


def test_a_call_approved_after_its_process_was_killed_runs_exactly_once(tmp_path: Path) -> None:
    killed_while_it_waits(tmp_path, "hello")
    assert heard(start("approver", tmp_path, "ana")) == [
        "sees 1 append hello",
        "approved",
        "ben lost to ana approved True",
    ]
    assert heard(start("agent", tmp_path, "other")) == ["refused conflicting_call"]
    assert heard(start("agent", tmp_path, "hello")) == ["running", "ran", "result appended"]
    assert heard(start("agent", tmp_path, "hello")) == ["refused already_spent"]
    assert lines(tmp_path / "effects", "hello") == 1
    assert lines(tmp_path / "effects", "other") == 0
    store = SQLiteStore(tmp_path / "store.db")
    assert [entry.kind for entry in store.journal()] == [
        "asked",
        "approved",
        "refused",
        "started",
        "done",
        "refused",
    ]
    assert store.verify() is None
    store.close()


@pytest.mark.parametrize("racers", [3])
def test_of_many_processes_that_resume_at_once_one_runs(tmp_path: Path, racers: int) -> None:
    killed_while_it_waits(tmp_path, "hello")
    heard(start("approver", tmp_path, "ana"))
    racing = [start("agent", tmp_path, "hello") for _ in range(racers)]
    ends = sorted(heard(each)[-1] for each in racing)
    assert ends == ["refused already_spent"] * (racers - 1) + ["result appended"]
    assert lines(tmp_path / "effects", "hello") == 1


async def test_of_two_that_hold_a_permit_for_one_answer_one_runs(tmp_path: Path) -> None:
    call, tool = wanted("1", "hello"), AppendLine(tmp_path / "effects")
    gates = [Gate(store=SQLiteStore(tmp_path / "store.db")) for _ in range(2)]
    pending = await gates[0].judge(call, tool)
    assert isinstance(pending, Pending)
    gates[1].answer(pending.id, Approve(by="ana"))
    permits = [await gate.settle(pending, Approve(by="ana"), tool) for gate in gates]
    async with gates[1].spend(permits[1]) as permit:
        await tool.run(permit)
    with pytest.raises(AlreadySpent):
        await gates[0].spend(permits[0]).__aenter__()
    assert lines(tmp_path / "effects", "hello") == 1
    for gate in gates:
        gate.store.close()


def test_an_agent_that_waits_hears_the_answer_given_in_another_process(tmp_path: Path) -> None:
    waits = start("agent", tmp_path, "hello")
    store = SQLiteStore(tmp_path / "store.db")
    until(store.desk)
    assert heard(start("approver", tmp_path, "ana"))[1] == "approved"
    assert heard(waits) == ["running", "ran", "result appended"]
    store.close()
