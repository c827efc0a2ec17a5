from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

import assent
from assent import Approve, Gate, Tool, ToolCall, execute
from assent.cli.log import KINDS
from assent.cli.log._lines import Subject, line, subject
from assent.model import EffectState, JournalEntry, Outcome
from assent.testing import Answers
from assent.tools.files import FileSandbox, file_tools
from tests.cli.program import PROGRAM
from tests.cli.recorded import Project
from tests.cli.within import within


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def lines(project: Project, *arguments: str) -> list[str]:
    done = within(project.folder, "log", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_each_entry_is_a_line_with_time_kind_tool_what_who_and_why(project: Project) -> None:
    pending = project.asks(agents=("main", "helper"))
    within(project.folder, "inbox", "approve", pending.id, "--by", "ana", "--note", "as agreed", "--scope", "session")
    project.command("git status")
    found = lines(project)
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  ", line) for line in found)
    assert [line[21:] for line in found] == snapshot(
        [
            "asked        write_file  work/a.md  for main › helper  (writing in work asks first (write_approval))",
            "approved     write_file  work/a.md  by ana  (as agreed; scope session)",
            "allowed      run_command  git status  (every part of it is allowed)",
        ]
    )


async def edited(project: Path, answer: Approve, tool: str, args: dict[str, object]) -> list[str]:
    """What the log says of a call that a person changed and that then ran."""
    made = Project(project)
    with made.store() as store, FileSandbox.from_settings(made.settings) as sandbox:
        tools: dict[str, Tool] = {each.name: each for each in file_tools(sandbox)}
        gate = Gate(store=store, approver=Answers(answer))
        await execute(ToolCall(run="r", id="1", tool_name=tool, args=args), tools[tool], gate)
    return [line[21:] for line in lines(made)]


async def test_a_call_that_a_person_edited_is_shown_as_what_ran(tmp_path: Path) -> None:
    answer = Approve(override_args={"path": "work/b.md", "content": "other\n"}, by="ana")
    found = await edited(tmp_path, answer, "write_file", {"path": "work/a.md", "content": "new\n"})
    assert found == snapshot(
        [
            "asked        write_file  work/a.md  (writing in work asks first (write_approval))",
            "approved     write_file  work/a.md  changed by ana",
            "started      write_file  work/b.md  changed by ana",
            "done         write_file  work/b.md  changed by ana",
        ]
    )


async def test_a_call_of_which_only_some_hunks_were_approved_says_which(tmp_path: Path) -> None:
    answer = Approve(hunks=(1,), by="ana")
    content = "ONE\ntwo\nTHREE\n"
    found = await edited(tmp_path, answer, "write_file", {"path": "work/notes/plan.md", "content": content})
    assert found == snapshot(
        [
            "asked        write_file  work/notes/plan.md  (writing in work asks first (write_approval))",
            "approved     write_file  work/notes/plan.md  by ana  hunk 2 only",
            "started      write_file  work/notes/plan.md  hunk 2 only",
            "done         write_file  work/notes/plan.md  hunk 2 only",
        ]
    )


def test_an_edit_whose_journal_has_not_what_ran_is_never_shown_as_proposed() -> None:
    def entry(kind: str, **body: object) -> JournalEntry:
        return JournalEntry(seq=1, kind=kind, at=0.0, run="r", body={"pending": "p", **body}, previous="", hash="")

    known: dict[str, Subject] = {}
    entries = [
        entry("asked", tool="run_command", fingerprint={"command": "make release"}, why="asks"),
        entry("approved", tool="run_command", by="ana", proposed="one", approved="two"),
        entry("started", executed="two"),
        entry("done", detail=""),
    ]
    assert [line(each, subject(each, known))[21:] for each in entries] == snapshot(
        [
            "asked        run_command  make release  (asks)",
            "approved     run_command  make release  changed by ana",
            "started      run_command  changed by ana",
            "done         run_command  changed by ana",
        ]
    )


def test_json_is_exactly_the_entry(project: Project) -> None:
    pending = project.asks()
    within(project.folder, "inbox", "reject", pending.id)
    with project.store() as store:
        entries = [
            {
                "seq": each.seq,
                "kind": each.kind,
                "at": each.at,
                "run": each.run,
                "body": json.loads(json.dumps(each.body)),
                "previous": each.previous,
                "hash": each.hash,
            }
            for each in store.journal()
        ]
    assert [json.loads(line) for line in lines(project, "--json")] == entries


def test_filters_choose_by_run_tool_agent_kind_and_time(project: Project) -> None:
    old = project.asks("work/old.md", run="run-one", agents=("main",), waited=3 * 3600)
    project.asks("work/new.md", run="run-two", agents=("main", "helper"))
    project.command("git status", run="run-three")
    within(project.folder, "inbox", "reject", old.id)

    def seen(*arguments: str) -> list[str]:
        return [f"{entry['kind']} {entry['run']}" for entry in map(json.loads, lines(project, "--json", *arguments))]

    assert seen("--run", "run-one") == ["asked run-one", "rejected run-one"]
    assert seen("--run", "run-t") == ["asked run-two", "allowed run-three"]
    assert seen("--tool", "run_command") == ["allowed run-three"]
    assert seen("--tool", "write_file") == ["asked run-one", "asked run-two", "rejected run-one"]
    assert seen("--agent", "helper") == ["asked run-two"]
    assert seen("--agent", "main", "--kind", "rejected") == ["rejected run-one"]
    assert seen("--kind", "rejected", "--kind", "allowed") == ["allowed run-three", "rejected run-one"]
    assert seen("--since", "2h") == ["asked run-two", "allowed run-three", "rejected run-one"]
    assert seen("--limit", "1") == ["rejected run-one"]
    assert seen("--limit", "1", "--tool", "run_command") == ["allowed run-three"]


@pytest.mark.parametrize("since", ["2", "0h", "h", "2 h", "-2h", "2y", "１h"])
def test_what_is_no_span_of_time_is_an_error_that_says_what_is(project: Project, since: str) -> None:
    done = within(project.folder, "log", f"--since={since}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "such as 15m, 2h or 30d" in done.stderr


def test_a_kind_there_is_not_is_an_error_that_names_the_nearest_and_all(project: Project) -> None:
    done = within(project.folder, "log", "--kind", "aproved")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no kind 'aproved'; did you mean approved? the kinds are asked, approved, " in done.stderr
    assert "the kinds are asked, " in within(project.folder, "log", "--kind", "nosuch").stderr


def test_every_kind_that_is_written_can_be_asked_for(project: Project) -> None:
    # Words in the code of the gate and the store are all that is ever written.
    source = Path(assent.__file__).parent
    files = [*source.glob("gate/*.py"), *source.glob("store/*.py")]
    written = {
        kind
        for file in files
        for kind in re.findall(r'(?:note|entry|of_grant)\(\s*"(\w+)"', file.read_text(encoding="utf-8"))
    }
    assert len(written) > 10
    assert written | {*Outcome, *EffectState} == set(KINDS)
    told = " ".join(
        within(project.folder, "log", "--help").stdout.partition("Kinds: ")[2].partition("commands:")[0].split()
    )
    assert set(re.findall(r"\w+", re.sub(r"\([^)]*\)", "", told))) == set(KINDS)


def test_a_limit_beyond_every_journal_is_all_of_it(project: Project) -> None:
    project.asks()
    assert len(lines(project, "--limit", "9" * 40)) == 1


def test_verify_says_that_the_journal_is_whole(project: Project) -> None:
    project.asks()
    done = within(project.folder, "log", "verify")
    assert (done.returncode, done.stdout) == (0, "The journal is whole: 1 entry, each as it was written.\n")
    assert json.loads(within(project.folder, "log", "verify", "--json").stdout) == {"whole": True, "entries": 1}


def test_verify_names_the_first_entry_that_was_edited(project: Project) -> None:
    for name in ("a", "b", "c"):
        project.asks(f"work/{name}.md")
    with sqlite3.connect(project.settings.store) as connection:
        connection.execute("UPDATE journal SET body = replace(body, 'b.md', 'x.md') WHERE seq = 2")
    connection.close()
    done = within(project.folder, "log", "verify")
    assert done.returncode == 1
    assert "NOT whole, from entry 2 on" in done.stdout
    told = within(project.folder, "log", "--json", "verify")
    assert (told.returncode, json.loads(told.stdout)["seq"]) == (1, 2)


def test_verify_with_a_filter_is_an_error(project: Project) -> None:
    done = within(project.folder, "log", "--tool", "write_file", "verify")
    assert done.returncode == 2
    assert "verify looks at the whole journal" in done.stderr


def test_follow_prints_what_is_written_from_now_on(project: Project) -> None:
    project.asks("work/before.md")
    with subprocess.Popen(
        [*PROGRAM, "log", "--follow", "--kind", "asked"], cwd=project.folder, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert "work/before.md" in running.stdout.readline()
        pending = project.asks("work/after.md")
        assert "work/after.md" in running.stdout.readline()
        within(project.folder, "inbox", "reject", pending.id)
        project.asks("work/last.md")
        assert "work/last.md" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130


def test_nothing_in_a_line_acts_on_the_terminal_or_begins_a_line_of_its_own(project: Project) -> None:
    pending = project.asks("work/a\x1b[31m\u202e.md", run="r\x1b[2J")
    note = "no\n2026-01-01 00:00:00  approved\x9b31m"
    within(project.folder, "inbox", "reject", pending.id, "--note", note, "--by", "a\rb")
    project.command("echo '\x1b]52;c;eA==\x07'\nrm -rf /")
    found = within(project.folder, "log").stdout
    assert len(found.splitlines()) == found.count("\n") == 3
    assert not {"\x1b", "\x07", "\x9b", "\r", "\u202e"} & set(found)
    assert "⟨U+001B⟩" in found
