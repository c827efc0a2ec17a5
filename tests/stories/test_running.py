"""What an operator lives through while an agent works: stories 1 to 7, and 14."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assent.errors import Stopped
from tests.cli.program import PROGRAM, assent
from tests.cli.tmux import Tmux
from tests.stories.operator import CONFIGURATION, PLAN, Operator

NOTE = {"path": "work/note.md", "content": "hello\n"}
WRITE = "Write 1 line to work/note.md"


def test_story_01_a_guarded_call_stops_the_run_before_anything_happens(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    asked = terminal.is_asked("Edit notes/plan.md: replace 1 line")
    assert "Tool: edit_file\n" in asked
    assert "Where: notes/plan.md (line 2)\n" in asked
    assert "Why: editing in notes asks first (edit_approval)\n" in asked
    assert "- Release on Thursday\n" in asked
    assert "+ Release on Friday\n" in asked
    # What the program said before is still there, and the file is as it was.
    assert "1. list_files()" in terminal.screen()
    (plan,) = terminal.folder.glob("assent-demo-*/notes/plan.md")
    assert "Release on Thursday" in plan.read_text()
    terminal.presses("C-c")
    terminal.sees_the_end()


async def test_story_02_approving_runs_the_call_at_once_and_the_run_goes_on_in_place(operator: Operator) -> None:
    with operator.run() as agent:
        wanted = agent.wants("write_file", **NOTE)
        await operator.person.is_asked(WRITE)
        operator.person.types("y")
        assert await wanted == {"success": True, "bytes_written": 6}
        # The same run goes on: what was done is there, and a later call stops it again.
        assert "hello" in str((await agent.hears("read_file", path="work/note.md"))["content"])
        again = agent.wants("edit_file", path="work/note.md", old_string="hello", new_string="bye")
        await operator.person.is_asked("Edit work/note.md")
        assert (operator.work / "note.md").read_text() == "hello\n"
        operator.person.types("y")
        await again
        assert (operator.work / "note.md").read_text() == "bye\n"
    started = operator.assent("log", "--kind", "started").stdout.splitlines()
    assert [line.split()[3] for line in started] == ["write_file", "edit_file"], "nothing is repeated"


async def test_story_03_a_rejection_reaches_the_agent_and_the_record_and_may_end_the_run(operator: Operator) -> None:
    with operator.run() as agent:
        for reason in ("", "too short"):
            wanted = agent.wants("write_file", **NOTE)
            await operator.person.is_asked(WRITE)
            operator.person.types("n")
            await operator.person.may_answer()
            operator.person.types(f"{reason}\r")
            heard = await wanted
            assert isinstance(heard, dict)
            assert heard["error"] == "rejected"
            assert reason in str(heard["message"])
        wanted = agent.wants("write_file", **NOTE)
        await operator.person.is_asked(WRITE)
        operator.person.types("q")
        await operator.person.sees("Stop the run? q = stop it")
        await operator.person.may_answer()
        operator.person.types("q")
        with pytest.raises(Stopped):
            await wanted
    assert "too short" in operator.assent("log", "--kind", "rejected").stdout
    assert "write_file" in operator.assent("log", "--kind", "stopped").stdout
    assert not (operator.work / "note.md").exists()
    with operator.run() as agent:
        wanted = agent.wants("write_file", **NOTE)
        await operator.person.is_asked(WRITE)
        operator.person.types("y")
        assert await wanted == {"success": True, "bytes_written": 6}


@pytest.mark.usefixtures("walls")
async def test_story_04_known_safe_work_is_approved_in_the_configuration(operator: Operator) -> None:
    safe = {"path": "drafts/idea.md", "content": "hello\n"}
    with operator.run(commands=True) as agent:
        assert await agent.hears("write_file", **safe) == {"success": True, "bytes_written": 6}
        assert "content" in await agent.hears("read_file", path="work/plan.md")
        assert "exit_code" in await agent.hears("run_command", command="git status")
        assert operator.person.seen == "", "nobody was asked"
        wanted = agent.wants("write_file", **NOTE)
        await operator.person.is_asked(WRITE)
        operator.person.types("y")
        await wanted
    operator.configures(CONFIGURATION.replace("write_approval: false", "write_approval: true"))
    with operator.run() as agent:
        wanted = agent.wants("write_file", **safe)
        await operator.person.is_asked("Write 1 line to drafts/idea.md")
        operator.person.types("y")
        await wanted


async def test_story_05_an_approval_for_the_session_ends_with_the_run_and_can_be_revoked(operator: Operator) -> None:
    for ending in (None, KeyboardInterrupt):
        try:
            with operator.run() as agent:
                wanted = agent.wants("write_file", **NOTE)
                await operator.person.is_asked(WRITE)
                await operator.remembers("1", "1")
                await wanted
                assert await agent.hears("write_file", **NOTE) == {"success": True, "bytes_written": 6}
                other = agent.wants("write_file", path="work/other.md", content="hello\n")
                await operator.person.is_asked("Write 1 line to work/other.md")
                operator.person.types("y")
                await other
                listed = operator.assent("grants").stdout
                assert "work/note.md" in listed
                assert "kim" in listed
                if ending:
                    raise ending
        except KeyboardInterrupt:
            pass
        # However it ended, nothing is left of it.
        assert "work/note.md" not in operator.assent("grants").stdout
    with operator.run() as agent:
        wanted = agent.wants("write_file", **NOTE)
        await operator.person.is_asked(WRITE)
        await operator.remembers("1", "1")
        await wanted
        assert "Revoked" in operator.assent("grants", "revoke", "--all").stdout
        wanted = agent.wants("write_file", **NOTE)
        await operator.person.is_asked(WRITE)
        operator.person.types("y")
        await wanted


def test_story_06_approve_all_runs_what_would_ask_and_says_what_it_is_for(tmp_path: Path) -> None:
    done = assent("demo", "--approve-all", cwd=tmp_path)
    assert done.returncode == 0
    assert "For trusted work only." in done.stdout
    assert "notes/plan.md           changed" in done.stdout
    assert "notes/news.md           new" in done.stdout
    # What policy denies stays denied.
    assert "handbook/dates.md       as it was" in done.stdout
    assert "path_not_writable" in done.stdout
    for command in ("demo", "run"):
        assert "for trusted work only" in " ".join(assent(command, "--help").stdout.split())


async def test_story_07_strict_fails_what_would_ask_and_names_the_tool_and_the_mode(operator: Operator) -> None:
    done = assent("demo", "--strict", cwd=operator.folder)
    assert done.returncode == 3
    words = " ".join(done.stdout.split())
    assert "Approval needed" not in words
    assert "read_file(notes/meeting.md) allowed" in words
    assert "edit_file was denied by policy: Strict mode: approval required." in words
    assert "notes/plan.md as it was" in words
    # The same as a setting.
    operator.configures(f"{CONFIGURATION}approvals: {{mode: strict}}\n")
    with operator.run() as agent:
        heard = await agent.hears("write_file", **NOTE)
        assert heard["error"] == "denied"
        assert str(heard["message"]).startswith("write_file was denied by policy: Strict mode: approval required.")
        assert await agent.hears("write_file", path="drafts/idea.md", content="") == {
            "success": True,
            "bytes_written": 0,
        }
    assert operator.person.seen == "", "nobody was asked"


async def test_story_14_what_is_active_what_would_ask_and_what_was_decided_can_be_seen(operator: Operator) -> None:
    with operator.run() as agent:
        wanted = agent.wants("write_file", **NOTE)
        await operator.person.is_asked(WRITE)
        # While the question waits, in another terminal:
        assert WRITE in operator.assent("inbox").stdout
        assert "waiting" in operator.assent("runs").stdout
        await operator.remembers("1", "1")
        await wanted
        (grant,) = map(json.loads, operator.assent("grants", "--json").stdout.splitlines())
        assert grant["by"] == "kim"
        assert "write_approval: false  # assent.yaml" in operator.assent("config", "show").stdout
        for command, verdict in (("git status", "allow"), ("make", "ask"), ("rm plan.md", "deny")):
            judged = json.loads(operator.assent("check", "--cwd", "work", "--json", "--", command).stdout)
            assert judged["verdict"] == verdict
        asks = operator.assent("check", "--tool", "read_file", "--args", '{"path": "letters/ana.txt"}')
        assert "ask: a person is asked before it runs" in asks.stdout
        decided = operator.assent("log", "--kind", "asked", "--kind", "approved").stdout
        assert WRITE in decided or "work/note.md" in decided
    assert (operator.work / "plan.md").read_text() == PLAN
