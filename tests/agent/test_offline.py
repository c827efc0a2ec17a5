"""The embedded model: simple requests, real tools, and an honest no to the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.agent import AgentConfig, AgentRunner, RunResult
from assent.agent.offline._requests import steps
from assent.model import ApprovalDecision, Approve, Reject
from assent.testing import Answers
from tests.agent.kit import settings_at

YES = Approve(by="ana")


async def asked(folder: Path, *prompts: str, answers: tuple[ApprovalDecision, ...] = (YES,)) -> RunResult:
    (folder / "work").mkdir(exist_ok=True)
    config = AgentConfig(cwd=folder / "work", model="offline")
    with AgentRunner(config, settings=settings_at(folder), approver=Answers(*answers)) as runner:
        results = [await runner.run(prompt) for prompt in prompts]
    return results[-1]


async def test_the_manual_test_of_the_document(tmp_path: Path) -> None:
    prompt = 'Create a new file called test_sdk.txt with the content "Hello from SDK mode!"'
    result = await asked(tmp_path, prompt)
    assert result.status == "success"
    assert (tmp_path / "work" / "test_sdk.txt").read_text() == "Hello from SDK mode!"
    assert "test_sdk.txt" in result.text


async def test_a_rejection_stops_it_and_what_the_person_said_is_repeated(tmp_path: Path) -> None:
    result = await asked(tmp_path, "Create a file called a.txt with 'x'", answers=(Reject(note="not now", by="ana"),))
    assert "You said: not now" in result.text
    assert not (tmp_path / "work" / "a.txt").exists()


async def test_a_rejection_that_names_another_file_is_followed_once(tmp_path: Path) -> None:
    answers = Reject(note="Use b.txt instead", by="ana"), YES
    await asked(tmp_path, "Create a file called a.txt with 'x'", answers=answers)
    assert not (tmp_path / "work" / "a.txt").exists()
    assert (tmp_path / "work" / "b.txt").read_text() == "x"
    no = Reject(note="Use c.txt instead", by="ana")
    result = await asked(tmp_path, "Create a file called d.txt with 'x'", answers=(no,))
    assert "Tell me what to do instead" in result.text
    assert not (tmp_path / "work" / "c.txt").exists()


async def test_it_reads_edits_searches_lists_and_runs(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "plan.md"
    file.write_text("Release on Thursday\n")
    assert "Release on Thursday" in (await asked(tmp_path, "Read plan.md")).text
    await asked(tmp_path, 'Replace "Thursday" with "Friday" in plan.md')
    assert file.read_text() == "Release on Friday\n"
    assert "plan.md" in (await asked(tmp_path, 'Search for "Friday"')).text
    assert "plan.md" in (await asked(tmp_path, "List the files")).text
    assert "plan.md" in (await asked(tmp_path, "Run `ls`")).text


async def test_steps_follow_each_other_and_a_conversation_goes_on(tmp_path: Path) -> None:
    result = await asked(
        tmp_path,
        "Create a file called a.txt with 'one two' and then replace 'one' with 'three' in a.txt, then read a.txt",
    )
    assert "three two" in result.text
    again = await asked(tmp_path, "Create a file called b.txt with 'x'", "Read b.txt")
    assert "x" in again.text.splitlines()[-1]


async def test_what_it_cannot_do_it_says(tmp_path: Path) -> None:
    result = await asked(tmp_path, "Refactor the whole code base")
    assert "offline model" in result.text
    assert "ANTHROPIC_API_KEY" in result.text
    result = await asked(tmp_path, "Create a file called a.txt with 'x', then sing a song")
    assert "left it out: sing a song" in result.text
    assert (tmp_path / "work" / "a.txt").exists()


async def test_what_fails_is_told(tmp_path: Path) -> None:
    assert "That did not work" in (await asked(tmp_path, "Read nothing.txt")).text
    assert "That did not work" in (await asked(tmp_path, "Read /etc/hostname")).text


@pytest.mark.parametrize(
    ("prompt", "tool", "args"),
    [
        (
            "Create a file called test.txt with 'hello world'",
            "Write",
            {"file_path": "/w/test.txt", "content": "hello world"},
        ),
        ('write "a, then b" to notes/x.md', "Write", {"file_path": "/w/notes/x.md", "content": "a, then b"}),
        ("Please show me the file a.txt.", "Read", {"file_path": "/w/a.txt"}),
        ("Read the file /etc/hostname", "Read", {"file_path": "/etc/hostname"}),
        ("What is in a.txt?", "Read", {"file_path": "/w/a.txt"}),
        (
            "In a.py, change all 'x' to 'y'",
            "Edit",
            {"file_path": "/w/a.py", "old_string": "x", "new_string": "y", "replace_all": True},
        ),
        ("find 'a.b' in src", "Grep", {"pattern": r"a\.b", "output_mode": "content", "path": "/w/src"}),
        ("list all the files matching *.py in src", "Glob", {"pattern": "*.py", "path": "/w/src"}),
        ("run the command git status", "Bash", {"command": "git status"}),
        ("Execute `make test`", "Bash", {"command": "make test"}),
    ],
)
def test_what_a_sentence_asks_for(prompt: str, tool: str, args: dict[str, object]) -> None:
    ((step,), unclear) = steps(prompt, Path("/w"))
    assert (step.tool, step.args, unclear) == (tool, args, [])


@pytest.mark.parametrize("prompt", ["", "hello", "delete everything", "Create a file", "run"])
def test_what_it_does_not_understand_it_does_not_do(prompt: str) -> None:
    found, _ = steps(prompt, Path("/w"))
    assert found == []
