"""A conversation outlives its process, and stays whole whatever happens to it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from assent.agent import LATEST, Shelf
from assent.errors import ConfigError, StoreFailed
from assent.model import Approve
from assent.testing import Answers, Call, FakeAnthropic, Say, Turn
from tests.agent.kit import an_agent

YES = Approve(by="ana")


async def test_a_conversation_goes_on_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    first = Turn(Call("Write", {"file_path": str(file), "content": "x"}, id="toolu_1"))
    with an_agent(tmp_path, first, Turn(Say("Written.")), approver=Answers(YES)) as desk:
        before = await desk.run("Write it.")
    with an_agent(tmp_path, Turn(Say("A file.")), conversation=LATEST) as desk:
        after = await desk.run("What did you do?")
        assert desk.sent(0) == [
            {"role": "user", "content": "Write it."},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "toolu_1",
                        "name": "Write",
                        "input": {"file_path": str(file), "content": "x"},
                    }
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": f"Wrote 1 characters to {file}",
                        "is_error": False,
                    }
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Written."}]},
            {"role": "user", "content": "What did you do?"},
        ]
    assert before.conversation == after.conversation
    with an_agent(tmp_path, Turn(Say(".")), conversation=before.conversation) as desk:
        assert len(desk.runner.conversation.messages) == 6


async def test_the_latest_conversation_is_the_latest_of_this_folder(tmp_path: Path) -> None:
    shelf = Shelf(folder=tmp_path / "conversations")
    here, there = tmp_path / "here", tmp_path / "there"
    first, second, silent = shelf.new(cwd=here), shelf.new(cwd=there), shelf.new(cwd=here)
    for each in (first, second):
        each.add({"role": "user", "content": "hello"})
        each.close()
    silent.close()
    assert shelf.latest(cwd=here) == first.id
    assert shelf.latest(cwd=there) == second.id
    assert shelf.latest(cwd=tmp_path) is None


async def test_only_its_user_can_read_a_conversation(tmp_path: Path) -> None:
    with an_agent(tmp_path, Turn(Say("."))) as desk:
        await desk.run("a secret")
    folder = tmp_path / "state" / "conversations"
    (file,) = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_two_cannot_go_on_with_one_conversation_at_once(tmp_path: Path) -> None:
    shelf = Shelf(folder=tmp_path)
    first = shelf.new(cwd=tmp_path)
    first.add({"role": "user", "content": "hello"})
    with pytest.raises(StoreFailed, match="another process"):
        shelf.open(first.id, cwd=tmp_path)
    first.close()
    shelf.open(first.id, cwd=tmp_path).close()


@pytest.mark.parametrize("name", ["no-such", "../../etc/passwd", ""])
def test_a_conversation_that_is_not_there_is_said(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no conversation"):
        Shelf(folder=tmp_path).open(name, cwd=tmp_path)


def test_a_line_that_was_cut_by_a_crash_never_counted(tmp_path: Path) -> None:
    shelf = Shelf(folder=tmp_path)
    said = shelf.new(cwd=tmp_path)
    said.add({"role": "user", "content": "one"})
    said.close()
    file = tmp_path / f"{said.id}.jsonl"
    with file.open("ab") as half:
        half.write(b'{"message": {"role": "assi')
    again = shelf.open(said.id, cwd=tmp_path)
    assert again.messages == [{"role": "user", "content": "one"}]
    again.add({"role": "user", "content": "two"})
    again.close()
    assert [json.loads(line) for line in file.read_bytes().splitlines()][-1] == {
        "message": {"role": "user", "content": "two"}
    }


def test_a_conversation_that_a_crash_kept_from_beginning_is_in_nobodys_way(tmp_path: Path) -> None:
    shelf = Shelf(folder=tmp_path)
    said = shelf.new(cwd=tmp_path)
    said.add({"role": "user", "content": "one"})
    said.close()
    (tmp_path / "deadbeef.jsonl").write_bytes(b'{"conversation": "deadb')
    assert shelf.latest(cwd=tmp_path) == said.id
    assert shelf.latest(cwd=tmp_path / "elsewhere") is None


def test_what_could_not_be_written_down_was_not_said(tmp_path: Path) -> None:
    shelf = Shelf(folder=tmp_path)
    said = shelf.new(cwd=tmp_path)
    said.add({"role": "user", "content": "one"})
    with pytest.raises(TypeError):
        said.add({"role": "user", "content": object()})
    assert said.messages == [{"role": "user", "content": "one"}]
    said.add({"role": "user", "content": "two"})
    said.close()
    again = shelf.open(said.id, cwd=tmp_path)
    again.close()
    assert again.messages == said.messages


def test_a_line_that_somebody_changed_is_not_guessed_at(tmp_path: Path) -> None:
    said = Shelf(folder=tmp_path).new(cwd=tmp_path)
    said.add({"role": "user", "content": "hello"})
    said.close()
    (tmp_path / f"{said.id}.jsonl").write_bytes(b"nonsense\n")
    with pytest.raises(StoreFailed, match="line 1"):
        Shelf(folder=tmp_path).open(said.id, cwd=tmp_path)


def test_what_was_taken_back_stays_taken_back(tmp_path: Path) -> None:
    shelf = Shelf(folder=tmp_path)
    said = shelf.new(cwd=tmp_path)
    for text in ("one", "two", "three"):
        said.add({"role": "user", "content": text})
    said.back_to(1)
    said.add({"role": "user", "content": "four"})
    said.close()
    again = shelf.open(said.id, cwd=tmp_path)
    again.close()
    assert [each["content"] for each in again.messages] == ["one", "four"]


KILLED = """
    import asyncio, os, signal, sys
    from pathlib import Path
    from assent.agent import AgentConfig, AgentRunner, AnthropicModel, ToolResult
    from assent.config import Settings
    from assent.functions import requires_approval

    folder, url, when = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

    @requires_approval()
    def mark() -> str:
        (folder / "marks").open("a").write("x")
        if when == "running":
            os.kill(os.getpid(), signal.SIGKILL)
        return "marked"

    first_ran = asyncio.Event()

    async def ask(pending):
        if pending.call.id == "toolu_2":
            await first_ran.wait()
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def on_event(event):
        if isinstance(event, ToolResult):
            first_ran.set()

    config = AgentConfig(cwd=folder / "work", model=AnthropicModel("claude-sonnet-5-5", api_key="k", base_url=url))
    runner = AgentRunner(config, settings=Settings(store=folder / "state" / "assent.db"), tools=[mark])
    asyncio.run(runner.run("Go.", on_event, ask))
"""


@pytest.mark.parametrize(
    ("when", "first"), [("running", "its end was not seen: it may have taken effect"), ("asked", "mark ran to its end")]
)
async def test_after_a_crash_the_conversation_goes_on_and_nothing_runs_again(
    when: str, first: str, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    with FakeAnthropic(Turn(Call("mark", id="toolu_1"), Call("mark", id="toolu_2"))) as server:
        program = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path), server.url, when]
        done = await asyncio.to_thread(subprocess.run, program, check=False, timeout=30)
    assert done.returncode == -signal.SIGKILL
    with an_agent(tmp_path, Turn(Say("I see.")), conversation=LATEST) as desk:
        result = await desk.run("What happened?")
        assert result.status == "success"
        one, two = desk.sent(0)[2]["content"]
    assert first in one["content"]
    assert two["content"] == "Not executed: the process ended before it"
    assert (tmp_path / "marks").read_text() == "x"
