from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.program import PROGRAM
from tests.cli.within import within

SETTINGS = """\
sandbox:
  paths:
    notes: {root: notes, mode: rw}
    letters: {root: letters}
shell:
  preset: read-only
  rules:
    - pattern: rm
      allowed: false
      description: nothing is deleted here
    - pattern: git commit
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("notes", "letters", "deep"):
        (tmp_path / name).mkdir()
    (tmp_path / "assent.yaml").write_text(SETTINGS)
    return tmp_path


def checked(folder: Path, *arguments: str, typed: str = "") -> tuple[int, dict[str, object]]:
    done = within(folder, "check", "--json", *arguments, typed=typed)
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    return done.returncode, json.loads(line)


def printed(folder: Path, *arguments: str) -> str:
    """What a person reads, with the folder's name taken out."""
    done = within(folder, "check", *arguments)
    assert done.stderr == ""
    return done.stdout.split("\n\n", 1)[1].replace(str(folder), "FOLDER")


def at_a_terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """What the program writes to a terminal."""
    terminal, inside = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdin=inside, stdout=inside, stderr=inside, cwd=folder, env=env | environment
    ) as running:
        os.close(inside)
        seen = b""
        while True:
            try:
                chunk = os.read(terminal, 65536)
            except OSError:  # the program ended, and its terminal with it
                break
            if not chunk:
                break
            seen += chunk
        running.wait(timeout=60)
    os.close(terminal)
    return seen.decode()


# For people


def test_every_part_is_shown_with_its_verdict_its_rule_and_why(folder: Path) -> None:
    assert printed(folder, "--", "git status && rm -rf build | tee log") == snapshot("""\
  git status && rm -rf build | tee log
  ──────────    ✗✗✗✗✗✗✗✗✗✗✗✗   ???????

  allow  git status    git status (preset read-only) is allowed
  deny   rm -rf build  a rule denies rm: nothing is deleted here · assent.yaml:8
                       ⚠ recursive delete: it deletes folders with all they hold
  ask    tee log       no rule names tee · default

deny: it never runs, whatever a person or a mode says
""")


def test_what_asks_says_what_a_remembered_answer_could_cover_and_what_happens(folder: Path) -> None:
    # Where lines break depends on the folder's name.
    assert " ".join(printed(folder, "--", "git commit -m x").split()) == snapshot(
        "git commit -m x ??????????????? ask git commit -m x a rule asks for git commit · assent.yaml:11 "
        "A remembered answer could cover - exactly this command, in FOLDER "
        "- git commit with any arguments, in FOLDER; not options that run or write "
        "ask: a person is asked before it runs"
    )


def test_the_mode_in_force_says_what_becomes_of_what_asks(folder: Path) -> None:
    last = {}
    for mode in ("interactive", "approve_all", "strict"):
        (folder / "assent.yaml").write_text(f"approvals: {{mode: {mode}}}\n")
        last[mode] = printed(folder, "--", "touch x").splitlines()[-1]
    assert last == snapshot(
        {
            "interactive": "ask: a person is asked before it runs",
            "approve_all": "ask: approvals.mode is approve_all, so it runs unseen",
            "strict": "ask: approvals.mode is strict, so it is denied",
        }
    )


def test_nothing_in_a_command_acts_on_the_terminal_or_hides(folder: Path) -> None:
    done = within(folder, "check", "--", "ls 'a\u202eb\x1b[2K'\n\tallow\r\u200b")
    assert done.returncode == 3
    assert {char for char in done.stdout if not char.isprintable()} == {"\n"}
    assert "⟨U+202E⟩" in done.stdout


def test_on_a_terminal_each_part_has_the_colour_of_its_verdict(folder: Path) -> None:
    seen = at_a_terminal(folder, "check", "--", "ls; rm x; touch y")
    assert "\x1b[4;32mls\x1b[0m; \x1b[4;1;31mrm x\x1b[0m; \x1b[4;33mtouch y\x1b[0m" in seen


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_colours_gets_marks(environment: dict[str, str], folder: Path) -> None:
    seen = at_a_terminal(folder, "check", "--", "ls; rm x; touch y", **environment)
    assert "\x1b" not in seen
    assert "  ls; rm x; touch y\r\n  ──  ✗✗✗✗  ???????\r\n" in seen


def test_no_line_is_wider_than_the_screen(folder: Path) -> None:
    long = " && ".join(["touch " + "a" * 200, "ls " + "b " * 90, "echo " + "漢" * 60])
    done = within(folder, "check", "--", long)
    assert max(map(cells, done.stdout.splitlines())) <= 80


def cells(line: str) -> int:
    return sum(2 if char == "漢" else 1 for char in line)


def test_a_command_of_thousands_of_parts_is_counted_and_its_verdict_stands(folder: Path) -> None:
    done = within(folder, "check", "--", "; ".join(["ls"] * 3000 + ["rm x"]))
    assert done.returncode == 3
    assert "… and 2940 more parts; --json lists them all" in done.stdout
    assert "deny   rm x" in done.stdout


# For programs


def test_programs_get_one_object_with_everything(folder: Path) -> None:
    code, said = checked(folder, "--", "ls && rm -r x")
    assert code == 3
    assert said | {"cwd": "", "config": ""} == snapshot(
        {
            "verdict": "deny",
            "reason": "rm -r x: a rule denies rm: nothing is deleted here",
            "mode": "interactive",
            "command": "ls && rm -r x",
            "cwd": "",
            "config": "",
            "parts": [
                {
                    "text": "ls",
                    "start": 0,
                    "end": 2,
                    "words": ["ls"],
                    "verdict": "allow",
                    "rule": "ls (preset read-only)",
                    "why": "ls (preset read-only) is allowed",
                    "where": None,
                },
                {
                    "text": "rm -r x",
                    "start": 6,
                    "end": 13,
                    "words": ["rm", "-r", "x"],
                    "verdict": "deny",
                    "rule": "rm",
                    "why": "a rule denies rm: nothing is deleted here",
                    "where": "assent.yaml:8",
                },
            ],
            "warnings": [
                {"kind": "recursive delete", "why": "it deletes folders with all they hold", "start": 6, "end": 13}
            ],
            "remember": [],
            "argv": None,
        }
    )
    assert said["cwd"] == str(folder)
    assert said["config"] == str(folder / "assent.yaml")


@pytest.mark.parametrize(
    ("command", "code", "verdict"), [("ls", 0, "allow"), ("touch x", 3, "ask"), ("rm x", 3, "deny")]
)
def test_the_exit_code_is_the_verdict(command: str, code: int, verdict: str, folder: Path) -> None:
    got, said = checked(folder, "--", command)
    assert (got, said["verdict"]) == (code, verdict)


def test_one_word_is_the_text_several_are_quoted_and_a_dash_reads_it(folder: Path) -> None:
    assert checked(folder, "--", "ls | rm x")[1]["command"] == "ls | rm x"
    code, said = checked(folder, "--", "ls", "|", "rm x", "--", "-l")
    assert (code, said["command"], said["argv"]) == (0, "ls '|' 'rm x' -- -l", ["ls", "|", "rm x", "--", "-l"])
    assert checked(folder, "-", typed="ls |\nrm x\n")[1]["command"] == "ls |\nrm x"
    assert checked(folder, "--", "-", typed="rm x")[0] == 3


def test_nothing_is_run(folder: Path) -> None:
    within(folder, "check", "--", "touch made; echo x > made")
    within(folder, "check", "--tool", "write_file", "--args", '{"path": "notes/made", "content": ""}')
    assert list(folder.rglob("made")) == []


# Which configuration, and where


def test_the_nearest_configuration_from_the_commands_folder_counts(folder: Path) -> None:
    assert checked(folder.parent, "--cwd", str(folder / "deep"), "--", "rm x")[0] == 3
    (folder / "deep" / "assent.yaml").write_text("shell: {rules: [{pattern: rm, approval: false}]}\n")
    assert checked(folder / "deep", "--", "rm x")[0] == 0
    assert checked(folder / "deep", "--config", "../assent.yaml", "--", "rm x")[0] == 3


def test_an_example_that_fails_is_an_error_with_file_and_line(folder: Path) -> None:
    (folder / "assent.yaml").write_text(f"{SETTINGS}      match: [git push]\n")
    done = within(folder, "check", "--", "ls")
    assert (done.returncode, done.stdout) == (2, "")
    assert "assent.yaml:12: " in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--args", "{}"],
        ["--tool", "read_file", "--", "ls"],
        ["--tool", "frobnicate"],
        ["--tool", "read_file", "--args", "{"],
        ["--tool", "read_file", "--args", "[]"],
        ["--cwd", "nowhere", "--", "ls"],
        ["--config", "nowhere.yaml", "--", "ls"],
        ["ls", "-l"],
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(arguments: list[str], folder: Path) -> None:
    done = within(folder, "check", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert "assent" in done.stderr


# Tools


def test_a_tool_call_is_judged_by_the_tool_itself(folder: Path) -> None:
    arguments = '{"path": "notes/a.md", "content": "x"}'
    assert printed(folder, "--tool", "write_file", "--args", arguments) == snapshot("""\
  tool     write_file
  about    Write 1 line to notes/a.md
  why      writing in notes asks first (write_approval)
  covers   every write of notes/a.md by this tool; content can vary
           all writes of *.md files in notes; content can vary
           all writes in notes; content can vary
           all writes anywhere; content can vary

ask: a person is asked before it runs
""")


@pytest.mark.parametrize(
    ("tool", "args", "code", "said"),
    [
        ("read_file", '{"path": "letters/a"}', 0, None),
        ("write_file", '{"path": "notes/a", "content": ""}', 3, None),
        ("write_file", '{"path": "letters/a", "content": ""}', 3, "path_not_writable"),
        ("read_file", '{"path": "letters/../../a"}', 3, "path_outside_workspace"),
        ("read_file", '{"paht": "letters/a"}', 3, "invalid_arguments"),
        ("run_command", '{"command": 3}', 3, "invalid_arguments"),
    ],
)
def test_a_tool_call_has_a_verdict_and_a_denied_one_its_code(
    tool: str, args: str, code: int, said: str | None, folder: Path
) -> None:
    got, answer = checked(folder, "--tool", tool, "--args", args)
    assert (got, answer["code"]) == (code, said)
    assert answer["reason"]
    assert checked(folder, "--tool", tool, "--args", "-", typed=args) == (got, answer)


def test_a_command_is_judged_as_a_tool_call_too(folder: Path) -> None:
    code, said = checked(folder, "--tool", "run_command", "--args", '{"command": "rm x", "cwd": "deep"}')
    assert (code, said["verdict"], said["cwd"]) == (3, "deny", str(folder / "deep"))
    assert checked(folder, "--tool", "run_command", "--args", '{"command": "ls", "env": {"A": "b"}}')[0] == 3


def test_a_tool_there_is_not_is_named_as_such_also_without_a_configuration(tmp_path: Path) -> None:
    done = within(tmp_path, "check", "--tool", "nosuch")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no tool named 'nosuch'; the tools are: read_file, write_file, " in done.stderr
    assert "run_command" in done.stderr
    assert "name one under sandbox.paths" in within(tmp_path, "check", "--tool", "write_file").stderr


def test_arguments_nested_too_deeply_are_an_error_that_says_so(folder: Path) -> None:
    done = within(folder, "check", "--tool", "run_command", "--args", "[" * 20_000)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assent: --args is nested too deeply; give one, such as ")
