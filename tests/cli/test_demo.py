from __future__ import annotations

import re
import subprocess
from pathlib import Path

from inline_snapshot import snapshot

from tests.cli.program import PROGRAM, assent


def table(output: str) -> str:
    """The summary's rows."""
    return re.split(r"─+ Summary ─+\n", output)[1].partition("\n\n")[0]


def scratch_folder(output: str) -> Path:
    found = re.search(r"it works in\n  (.+)\n", output)
    assert found
    return Path(found[1])


def test_without_a_terminal_it_denies_what_would_ask_and_says_so_twice() -> None:
    done = assent("demo", typed="y\n" * 20)
    assert (done.returncode, done.stderr) == (3, "")
    opening, _, rest = done.stdout.partition("1. list_notes()")
    assert "There is no terminal to ask at" in opening
    assert "There was no terminal to ask at" in rest
    assert table(done.stdout) == snapshot("""\
call                         answer   why
list_notes()                 allowed  reading changes nothing
write_note(summary.md)       denied   strict mode: it would ask
delete_folder(archive)       denied   no agent deletes folders here
send_email(ana@example.org)  denied   strict mode: it would ask\
""")


def test_strict_denies_what_would_ask() -> None:
    done = assent("demo", "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Mode strict" in done.stdout
    assert "no terminal" not in done.stdout
    assert "approved" not in table(done.stdout)


def test_approve_all_warns_and_what_policy_denies_stays_denied() -> None:
    done = assent("demo", "--approve-all")
    assert (done.returncode, done.stderr) == (0, "")
    assert "For trusted work only" in done.stdout
    assert table(done.stdout) == snapshot("""\
call                         answer    why
list_notes()                 allowed   reading changes nothing
write_note(summary.md)       approved  approve-all mode: unseen
delete_folder(archive)       denied    no agent deletes folders here
send_email(ana@example.org)  approved  approve-all mode: unseen
send_email(ana@example.org)  approved  approve-all mode: unseen\
""")


def test_it_says_where_it_works_and_leaves_nothing_behind() -> None:
    done = assent("demo", "--approve-all")
    folder = scratch_folder(done.stdout)
    assert folder.name.startswith("assent-demo-")
    assert not folder.exists()


def test_it_ends_with_a_journal_that_holds() -> None:
    done = assent("demo", "--approve-all")
    assert "journal: 5 entries, and its hash chain is whole" in done.stdout


def test_no_line_is_wider_than_a_terminal() -> None:
    for arguments in [[], ["--approve-all"], ["--strict"]]:
        assert max(map(len, assent("demo", *arguments).stdout.splitlines())) <= 80


def test_an_output_that_cannot_spell_a_character_gets_its_number() -> None:
    done = assent("demo", "--strict", encoding="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2500" in done.stdout


def test_it_runs_without_any_input_or_output() -> None:
    closed = ["sh", "-c", 'exec "$0" "$@" <&- >&-', *PROGRAM, "demo"]
    done = subprocess.run(closed, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (3, "")
