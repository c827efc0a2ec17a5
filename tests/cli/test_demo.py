from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

from inline_snapshot import snapshot

from tests.cli.program import PROGRAM, assent


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
edit_file(notes/plan.md)                  denied   strict mode: it would ask
write_file(notes/todo.md)                 denied   strict mode: it would ask
edit_file(handbook/dates.md)              denied   path_not_writable
write_file(notes/news.md)                 denied   strict mode: it would ask
read_file(notes/../private/addresses.md)  denied   path_outside_workspace
send_email(ana@example.org)               denied   strict mode: it would ask\
""")


def test_strict_denies_what_would_ask() -> None:
    done = played("--strict")
    assert (done.returncode, done.stderr) == (0, "")
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
edit_file(notes/plan.md)                  approved  approve-all mode: unseen
write_file(notes/todo.md)                 approved  approve-all mode: unseen
edit_file(handbook/dates.md)              denied    path_not_writable
write_file(notes/news.md)                 approved  approve-all mode: unseen
read_file(notes/../private/addresses.md)  denied    path_outside_workspace
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
    assert steps == [str(number) for number in range(1, 10)]


def test_a_path_that_leaves_its_root_is_answered_with_what_is_allowed() -> None:
    done = played("--approve-all")
    assert "allowed:\n           handbook (ro), notes (rw)" in done.stdout
    assert "with the code path_outside_workspace" in done.stdout
    assert "customers" not in done.stdout


def test_it_says_where_it_works_and_leaves_nothing_behind() -> None:
    done = played("--approve-all")
    folder = scratch_folder(done.stdout)
    assert folder.name.startswith("assent-demo-")
    assert not folder.exists()


def test_it_ends_with_a_journal_that_holds() -> None:
    done = played("--approve-all")
    assert "journal: 10 entries, and its hash chain is whole" in done.stdout


def test_no_line_is_wider_than_a_terminal() -> None:
    for arguments in [[], ["--approve-all"], ["--strict"]]:
        assert max(map(len, played(*arguments).stdout.splitlines())) <= 80


def test_an_output_that_cannot_spell_a_character_gets_its_number() -> None:
    done = assent("demo", "--strict", encoding="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2500" in done.stdout


def test_it_runs_without_any_input_or_output() -> None:
    closed = ["sh", "-c", 'exec "$0" "$@" <&- >&-', *PROGRAM, "demo"]
    done = subprocess.run(closed, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (3, "")
