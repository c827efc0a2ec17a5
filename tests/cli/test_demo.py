from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.os_sandbox import Landlock
from tests.cli.program import PROGRAM, assent
from tests.os_sandbox.kit import WITHOUT_LANDLOCK


@cache
def played(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The demo without a terminal, once in each mode: it is the same every time."""
    return assent("demo", *arguments, typed="y\n" * 20)


def table(output: str) -> str:
    """The summary's rows."""
    return re.split(r"─+ Summary ─+\n", output)[1].partition("\n\n")[0]


def fates(output: str) -> dict[str, str]:
    """What became of each file, as it is told."""
    lines = output.partition("The files, before they are removed:\n")[2].partition("\n\n")[0].splitlines()
    return {name: fate for name, _, fate in (re.split(r"(\s{2,})", line.strip()) for line in lines)}


def scratch_folder(output: str) -> Path:
    found = re.search(r"It works in\n  (.+)\n", output)
    assert found
    return Path(found[1])


def test_without_a_terminal_it_denies_what_would_ask_and_says_so_twice() -> None:
    done = played()
    assert (done.returncode, done.stderr) == (3, "")
    opening, _, rest = done.stdout.partition("1. list_files()")
    assert "There is no terminal to ask at" in opening
    assert "There was no terminal to ask at" in rest
    assert table(done.stdout) == snapshot("""\
call                                      answer   why
list_files()                              allowed  handbook: read_approval is
                                                   off
read_file(notes/meeting.md)               allowed  notes: read_approval is off
search_files(Thursday)                    allowed  handbook: read_approval is
                                                   off
run_command(wc -w plan.md todo.md)        allowed  every part of it is allowed
edit_file(notes/plan.md)                  denied   strict mode: it would ask
write_file(notes/todo.md)                 denied   strict mode: it would ask
edit_file(handbook/dates.md)              denied   path_not_writable
write_file(notes/news.md)                 denied   strict mode: it would ask
read_file(notes/../private/addresses.md)  denied   path_outside_workspace
run_command(cat ../private/addresses.md)  allowed  but blocked by the OS
send_email(ana@example.org)               denied   strict mode: it would ask\
""")


@pytest.mark.parametrize("arguments", [(), ("--strict",)])
def test_what_was_denied_for_want_of_an_answer_is_the_last_line_for_programs(arguments: tuple[str, ...]) -> None:
    assert json.loads(played(*arguments).stdout.splitlines()[-1]) == snapshot(
        {
            "nobody_asked": True,
            "denied": [
                {"call": "edit_file(notes/plan.md)", "why": "strict mode: it would ask"},
                {"call": "write_file(notes/todo.md)", "why": "strict mode: it would ask"},
                {"call": "write_file(notes/news.md)", "why": "strict mode: it would ask"},
                {"call": "send_email(ana@example.org)", "why": "strict mode: it would ask"},
            ],
        }
    )
    assert "nobody_asked" not in played("--approve-all").stdout


def test_plain_draws_no_lines_and_a_dumb_terminal_needs_no_option() -> None:
    plain = played("--approve-all", "--plain").stdout
    assert "─" in played("--approve-all").stdout
    assert "─" not in plain
    assert "\nSummary\ncall " in plain
    dumb = subprocess.run(
        [*PROGRAM, "demo", "--approve-all"],
        env={**os.environ, "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "─" not in dumb.stdout


def test_strict_denies_what_would_ask() -> None:
    done = played("--strict")
    assert (done.returncode, done.stderr) == (3, "")
    assert "Mode strict" in done.stdout
    assert "no terminal" not in done.stdout
    assert "approved" not in table(done.stdout)


def test_approve_all_warns_and_what_policy_denies_stays_denied() -> None:
    done = played("--approve-all")
    assert (done.returncode, done.stderr) == (0, "")
    assert "For trusted work only" in done.stdout
    assert table(done.stdout) == snapshot("""\
call                                      answer    why
list_files()                              allowed   handbook: read_approval is
                                                    off
read_file(notes/meeting.md)               allowed   notes: read_approval is off
search_files(Thursday)                    allowed   handbook: read_approval is
                                                    off
run_command(wc -w plan.md todo.md)        allowed   every part of it is allowed
edit_file(notes/plan.md)                  approved  approve-all mode: unseen
write_file(notes/todo.md)                 approved  approve-all mode: unseen
edit_file(handbook/dates.md)              denied    path_not_writable
write_file(notes/news.md)                 approved  approve-all mode: unseen
read_file(notes/../private/addresses.md)  denied    path_outside_workspace
run_command(cat ../private/addresses.md)  allowed   but blocked by the OS
send_email(ana@example.org)               approved  approve-all mode: unseen
send_email(ana@example.org)               approved  approve-all mode: unseen\
""")


def test_only_what_was_approved_happened_to_the_files() -> None:
    assert fates(played("--approve-all").stdout) == snapshot(
        {
            "handbook/dates.md": "as it was",
            "notes/meeting.md": "as it was",
            "notes/news.md": "new, 139 bytes",
            "notes/plan.md": "changed",
            "notes/todo.md": "changed",
            "private/addresses.md": "as it was",
        }
    )
    assert set(fates(played("--strict").stdout).values()) == {"as it was"}


def test_each_step_is_numbered_and_explained_in_a_line() -> None:
    steps = re.findall(r"^(\d+)\. .+\n   Agent: .+\n   Gate: ", played("--strict").stdout, re.MULTILINE)
    assert steps == [str(number) for number in range(1, 11)]


def test_a_path_that_leaves_its_root_is_answered_with_what_is_allowed() -> None:
    done = played("--approve-all")
    assert "allowed:\n           handbook (ro), notes (rw)" in done.stdout
    assert "with the code path_outside_workspace" in done.stdout
    assert "customers" not in done.stdout


def test_a_command_runs_in_the_sandbox_and_one_that_reaches_out_is_blocked_there() -> None:
    for arguments in [[], ["--approve-all"], ["--strict"]]:
        said = " ".join(played(*arguments).stdout.split())
        assert "Result: exit code 0: 11 plan.md / 6 todo.md / 17 total" in said
        assert "Gate: allowed: every part of it is allowed Result: exit code 1: cat: ../private/addresses.md: " in said
        assert "the OS blocked it" in said
        assert "customers" not in said


# What the demo does where bubblewrap cannot make a namespace: this is a machine within the machine.
NO_NAMESPACES = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns"]


def test_without_user_namespaces_the_weaker_sandbox_blocks_it_too() -> None:
    if shutil.which("bwrap") is None or Landlock().probe() is not None:
        pytest.skip("there is no bubblewrap, or no Landlock")
    done = subprocess.run([*NO_NAMESPACES, *PROGRAM, "demo", "--strict"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "")
    assert "cat: ../private/addresses.md: Permission denied" in " ".join(done.stdout.split())
    assert "hash chain is whole" in done.stdout


def test_without_any_sandbox_it_says_so_and_goes_on_to_its_end(tmp_path: Path) -> None:
    code = "from assent.cli import main; sys.exit(main(['demo', '--approve-all']))"
    # Without bash nothing would be missing but bash.
    (tmp_path / "bash").symlink_to("/bin/bash")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LANDLOCK + code],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = " ".join(done.stdout.split())
    assert "Gate: denied: There is no OS sandbox on this machine, so commands are refused." in said
    assert "Install it: `apt-get install bubblewrap`" in said
    assert "Note: A command runs behind the OS sandbox or not at all." in said
    assert "cat ../private" not in said
    assert fates(done.stdout)["notes/plan.md"] == "changed"
    assert "hash chain is whole" in said
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_it_says_where_it_works_and_leaves_nothing_behind() -> None:
    done = played("--approve-all")
    folder = scratch_folder(done.stdout)
    assert folder.name.startswith("assent-demo-")
    assert not folder.exists()


def test_it_ends_with_a_journal_that_holds() -> None:
    done = played("--approve-all")
    assert "journal: 12 entries, and its hash chain is whole" in done.stdout


def test_no_line_is_wider_than_a_terminal() -> None:
    for arguments in [[], ["--approve-all"], ["--strict"]]:
        for_people = [line for line in played(*arguments).stdout.splitlines() if not line.startswith("{")]
        assert max(map(len, for_people)) <= 80


def test_an_output_that_cannot_spell_a_character_gets_its_number() -> None:
    done = assent("demo", "--strict", encoding="ascii")
    assert (done.returncode, done.stderr) == (3, "")
    assert "\\u2500" in done.stdout


def test_it_runs_without_any_input_or_output() -> None:
    closed = ["sh", "-c", 'exec "$0" "$@" <&- >&-', *PROGRAM, "demo"]
    done = subprocess.run(closed, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (3, "")
