"""What a configuration would have decided on the calls of the journal."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent import Approve, Gate, Reject, Scope, SQLiteStore, ToolCall
from assent.config import Mode, read_settings
from assent.errors import AssentError
from assent.model import Policy
from assent.testing import Answers
from assent.tools.files import Dialect, FileSandbox, file_tools
from assent.tools.shell import CommandPolicy
from tests.cli.test_check import at_a_terminal
from tests.cli.within import Done, within

THEN = """\
store: state/assent.db
sandbox:
  paths:
    notes: {root: notes, mode: rw, edit_approval: false}
    letters: {root: letters}
shell:
  rules: [{pattern: ls, approval: false}, {pattern: rm, allowed: false}]
"""
Called = tuple[str, Mapping[str, object]]
LONG = "word " * 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("notes", "letters", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes" / "a.md").write_text("old\n")
    (tmp_path / "assent.yaml").write_text(THEN)
    return tmp_path


async def lived(
    folder: Path,
    *calls: Called,
    answers: Answers | None = None,
    at: float | None = None,
    mode: Mode = "interactive",
    dialect: Dialect = "assent",
) -> None:
    """Let a real gate decide these calls, so that they are on record."""
    settings = read_settings(folder / "assent.yaml")
    commands = CommandPolicy.from_settings(settings, cwd=folder)
    with closing(SQLiteStore(settings.store)) as store, FileSandbox.from_settings(settings) as sandbox:
        files = {tool.name: tool for tool in file_tools(sandbox, dialect)}
        now = time.time() if at is None else at
        gate = Gate(approver=answers or Answers(Approve(by="ana")), store=store, mode=mode, clock=lambda: now)
        for tool, args in calls:
            policy: Policy = files.get(tool, commands)
            call = ToolCall(run="r1", id=f"{store.version()}-{tool}-{len(str(args))}", tool_name=tool, args=args)
            with suppress(AssentError):
                await gate.admit(call, policy)


def replayed(folder: Path, *arguments: str) -> tuple[int, dict[str, object]]:
    done = within(folder, "policy", "test", "--replay", "30d", "--json", *arguments)
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    return done.returncode, json.loads(line)


def told(folder: Path, *arguments: str) -> Done:
    return within(folder, "policy", "test", "--replay", "30d", *arguments)


ORDINARY: tuple[Called, ...] = (
    ("run_command", {"command": "ls notes"}),
    ("run_command", {"command": "rm notes/a.md"}),
    ("run_command", {"command": "touch notes/b.md"}),
    ("read_file", {"path": "letters/l.md"}),
    ("write_file", {"path": "notes/new.md", "content": LONG}),
    ("edit_file", {"path": "notes/a.md", "old_string": "old", "new_string": LONG}),
    ("read_file", {"path": "../secret"}),
)


async def test_the_same_configuration_would_decide_the_same(folder: Path) -> None:
    await lived(folder, *ORDINARY, answers=Answers(Approve(), Reject()))
    code, found = replayed(folder)
    assert code == 0
    assert found["matrix"] == snapshot(
        {
            "allowed": {"allow": 3, "ask": 0, "deny": 0},
            "asked, approved": {"allow": 0, "ask": 1, "deny": 0},
            "asked, rejected": {"allow": 0, "ask": 1, "deny": 0},
            "denied": {"allow": 0, "ask": 0, "deny": 2},
        }
    )
    assert (found["calls"], found["replayed"], found["changed"], found["not_replayed"]) == (7, 7, [], [])


async def test_another_configuration_shows_each_call_it_would_decide_otherwise(folder: Path) -> None:
    await lived(folder, *ORDINARY, answers=Answers(Approve(), Reject()))
    (folder / "other.yaml").write_text(
        THEN.replace("edit_approval: false", "write_approval: false")
        .replace("{root: letters}", "{root: letters, suffixes: [.txt]}")
        .replace("pattern: ls, approval: false", "pattern: ls")
    )
    code, found = replayed(folder, "--config", "other.yaml")
    assert code == 1
    changed = found["changed"]
    assert isinstance(changed, list)
    assert [(each["tool"], each["about"], each["was"], each["now"]) for each in changed] == snapshot(
        [
            ("run_command", "ls notes", "allow", "ask"),
            ("read_file", "letters/l.md", "allow", "deny"),
            ("write_file", "notes/new.md", "ask", "allow"),
        ]
    )
    assert [each["then"] for each in changed] == ["allowed", "allowed", "asked, rejected"]
    assert "suffix" in changed[1]["reason"] or ".txt" in changed[1]["reason"]


async def test_people_read_a_table_the_changes_and_what_could_not_be_judged(folder: Path) -> None:
    at = 1_794_000_000.0
    await lived(folder, *ORDINARY, ("send_mail", {"to": "ana"}), at=at)
    (folder / "assent.yaml").write_text(THEN.replace("pattern: ls, approval: false", "pattern: ls"))
    done = within(folder, "policy", "test", "--replay", "all")
    assert (done.returncode, done.stderr) == (1, "")
    head, _, rest = done.stdout.partition("\n\n")
    # Without blanks: where lines break depends on how long the folder's name is.
    assert "".join(head.split()) == "".join(
        f"8 calls in {folder}/state/assent.db, judged in {folder} by {folder}/assent.yaml".split()
    )
    assert rest == snapshot("""\
  then              now allow   now ask  now deny
  allowed                   2         1         ·
  asked, approved           ·         2         ·
  denied                    ·         ·         2

1 call would be decided otherwise:
  2026-11-06 21:20Z run_command ls notes (allowed)
    allow → ask: ls notes: a rule asks for ls

1 call could not be judged again:
  1: this configuration describes no such tool (send_mail)

A verdict depends on the disk: these are of now, not of then. A command is
judged where the journal says it ran, else in this folder.
""")


async def test_what_a_grant_or_a_mode_answered_is_judged_by_its_fingerprint(folder: Path) -> None:
    always = Answers(Approve(scope=Scope.ALWAYS))
    write: Called = ("write_file", {"path": "notes/new.md", "content": "1"})
    touch: Called = ("run_command", {"command": "touch notes/b.md"})
    await lived(folder, write, touch, answers=always)
    await lived(folder, ("write_file", {"path": "notes/new.md", "content": LONG}), touch)
    await lived(folder, ("delete_file", {"path": "notes/a.md"}), mode="approve_all")
    await lived(folder, ("delete_file", {"path": "notes/a.md"}), mode="strict")
    assert replayed(folder)[0] == 0
    strict = THEN.replace("mode: rw", "mode: ro").replace("pattern: ls, approval: false", "pattern: touch")
    (folder / "other.yaml").write_text(strict)
    _, found = replayed(folder, "--config", "other.yaml")
    assert found["matrix"] == snapshot(
        {
            "approved by mode": {"allow": 0, "ask": 0, "deny": 1},
            "asked, approved": {"allow": 0, "ask": 1, "deny": 1},
            "denied unasked": {"allow": 0, "ask": 0, "deny": 1},
            "granted": {"allow": 0, "ask": 1, "deny": 1},
        }
    )
    assert found["not_replayed"] == []


async def test_calls_of_the_claude_dialect_are_judged_too(folder: Path) -> None:
    path = str(folder / "notes" / "a.md")
    calls: tuple[Called, ...] = (
        ("Write", {"file_path": path, "content": LONG}),
        ("Read", {"file_path": path}),
        ("MultiEdit", {"file_path": path, "edits": [{"old_string": "old", "new_string": LONG}]}),
        ("Bash", {"command": "ls"}),
    )
    await lived(folder, *calls, mode="approve_all", dialect="claude")
    code, found = replayed(folder)
    assert (code, found["replayed"], found["not_replayed"]) == (0, 4, [])


async def test_what_the_journal_cannot_tell_is_counted_with_the_reason(folder: Path) -> None:
    (folder / "assent.yaml").write_text(THEN + "  default: {approval: false}\n")
    await lived(
        folder,
        ("run_command", {"command": f"ls {LONG}"}),
        ("move_file", {"path": "notes/a.md", "destination": "notes/b.md"}),
        ("send_mail", {"command": "ls"}),
        ("read_file", {"path": "letters/l.md"}),
        mode="approve_all",
    )
    (folder / "assent.yaml").write_text(THEN.replace("    letters: {root: letters}\n", ""))
    code, found = replayed(folder)
    assert (code, found["replayed"]) == (0, 0)
    assert found["not_replayed"] == snapshot(
        [
            {
                "why": "the journal has only the length and the hash of its arguments",
                "calls": 1,
                "tools": ["run_command"],
            },
            {"why": "the journal has only the fingerprint of the call", "calls": 1, "tools": ["move_file"]},
            {"why": "this configuration describes no such tool", "calls": 1, "tools": ["send_mail"]},
            {"why": "it is about a folder that this configuration does not name", "calls": 1, "tools": ["read_file"]},
        ]
    )


async def test_a_folder_of_the_same_name_in_another_project_is_not_this_one(folder: Path) -> None:
    await lived(folder, ("write_file", {"path": "notes/new.md", "content": ""}))
    (folder / "elsewhere").mkdir()
    (folder / "assent.yaml").write_text(THEN.replace("root: notes", "root: elsewhere"))
    code, found = replayed(folder)
    assert (code, found["replayed"]) == (0, 0)
    assert found["not_replayed"] == [
        {"why": "it is about a folder that this configuration does not name", "calls": 1, "tools": ["write_file"]}
    ]


async def test_a_command_is_judged_in_the_folder_where_it_was_asked_about(folder: Path) -> None:
    rule = "\n    - {pattern: cat, approval: false, sandbox_paths: [letters]}\n"
    await lived(folder, ("run_command", {"command": "cat l.md", "cwd": "letters"}))
    (folder / "letters" / "l.md").write_text("dear\n")
    (folder / "assent.yaml").write_text(THEN.split("  rules:", maxsplit=1)[0] + "  rules:" + rule)
    _, found = replayed(folder, "--cwd", "notes", "--config", "assent.yaml")
    assert found["matrix"] == {"asked, approved": {"allow": 1, "ask": 0, "deny": 0}}


async def test_only_calls_of_the_span_count(folder: Path) -> None:
    await lived(folder, ("run_command", {"command": "ls old"}), at=time.time() - 31 * 86400)
    await lived(folder, ("run_command", {"command": "ls new"}))
    assert replayed(folder)[1]["calls"] == 1
    assert json.loads(within(folder, "policy", "test", "--replay", "all", "--json").stdout)["calls"] == 2


async def test_the_first_twenty_changes_are_listed_and_all_of_them_on_demand(folder: Path) -> None:
    await lived(folder, *(("run_command", {"command": f"ls {'x' * number}"}) for number in range(23)))
    (folder / "assent.yaml").write_text(THEN.replace("pattern: ls, approval: false", "pattern: ls"))
    assert told(folder).stdout.count("allow → ask") == 20
    assert "… and 3 more; --all lists them" in told(folder).stdout
    assert told(folder, "--all").stdout.count("allow → ask") == 23


async def test_nothing_in_the_journal_acts_on_the_terminal(folder: Path) -> None:
    await lived(folder, ("run_command", {"command": "touch '\x1b]52;c;eA==\x07\u202e'"}), ("tool\x1b[2K", {"a": 1}))
    (folder / "assent.yaml").write_text(THEN.replace("pattern: rm, allowed", "pattern: touch, allowed"))
    done = told(folder)
    assert done.returncode == 1
    assert {char for char in done.stdout if not char.isprintable()} == {"\n"}
    # Spelled out once: the brackets of a spelling are none of the journal's.
    assert "U+27E8" not in done.stdout


def test_without_a_record_it_says_so_and_makes_none(folder: Path) -> None:
    done = told(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no record at" in done.stderr
    assert not (folder / "state" / "assent.db").exists()


@pytest.mark.parametrize("span", ["", "30", "d", "0d", "-1d", "1y", "1e9d", "30 d", "9" * 40 + "d"])
def test_a_span_that_is_none_is_an_error_that_shows_one(span: str, folder: Path) -> None:
    done = within(folder, "policy", "test", f"--replay={span}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no span of time; write a number above 0 and s, m, h, d or w" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["cases.jsonl", "--replay", "30d"]])
def test_it_takes_a_file_or_a_span(arguments: list[str], folder: Path) -> None:
    done = within(folder, "policy", "test", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "give a FILE of cases, or --replay SPAN" in done.stderr


async def test_on_a_terminal_a_long_replay_says_how_far_it_is(folder: Path) -> None:
    await lived(folder, *(("run_command", {"command": f"bash -c 'ls {number}' | ls"}) for number in range(150)))
    seen = at_a_terminal(folder, "policy", "test", "--replay", "30d")
    assert "of 150 …" in seen
    assert "Nothing would be decided otherwise." in seen.rpartition("\r\x1b[K")[2]
