from __future__ import annotations

import re
from pathlib import Path

from tests.cli.program import PROGRAM
from tests.cli.tmux import Tmux

PLAN, TODO = "Edit notes/plan.md: replace 1 line", "Write 2 lines to notes/todo.md"
NEWS, SHORT, MAIL = (
    "Write 4 lines to notes/news.md",
    "Write 1 line to notes/news.md",
    "Send an e-mail to ana@example.org",
)


def row(screen: str, call: str) -> list[str]:
    """What the summary says about a call, once for each time it was made."""
    rows = screen.rpartition(" Summary ─")[2].splitlines()
    return [" ".join(line.removeprefix(call).split()) for line in rows if line.startswith(call)]


def answers(screen: str, call: str) -> list[str]:
    """The same in one word each."""
    return [answer.split()[0] for answer in row(screen, call)]


def fate(screen: str, name: str) -> str:
    """What the demo says became of a file."""
    found = re.search(rf"^  {re.escape(name)} +(.+)$", screen, re.MULTILINE)
    assert found, screen
    return found[1].strip()


def stop(terminal: Tmux) -> None:
    """Stop the run, and mean it."""
    terminal.presses("q")
    terminal.sees("Stop the run? q = stop it", ">")
    terminal.presses("q")


def test_a_person_rejects_with_a_reason_approves_and_approves_for_the_session(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    for question in (PLAN, TODO):
        terminal.is_asked(question)
        terminal.presses("y")
    terminal.is_asked(NEWS)
    terminal.presses("n")
    terminal.is_asked_why()
    terminal.types("too", "Space", "long")
    terminal.is_asked(SHORT)
    terminal.presses("y")
    terminal.is_asked(MAIL)
    terminal.presses("s")
    terminal.sees("this session", "[1-6] Choose", ">")
    terminal.presses("1")
    screen = terminal.sees_the_end()
    assert "in another window while\nyou are asked" in screen  # no line of the opening is wider than the window
    assert row(screen, "read_file(notes/meeting.md)") == ["allowed notes: read_approval is off"]
    assert answers(screen, "edit_file(notes/plan.md)") == ["approved"]
    assert answers(screen, "write_file(notes/todo.md)") == ["approved"]
    assert answers(screen, "write_file(notes/news.md)") == ["rejected", "approved"]
    assert row(screen, "write_file(notes/news.md)")[0].endswith(": too long")
    assert row(screen, "edit_file(handbook/dates.md)") == ["denied path_not_writable"]
    assert row(screen, "read_file(notes/../private/addresses.md)") == ["denied path_outside_workspace"]
    assert answers(screen, "send_email(ana@example.org)") == ["approved", "granted"]
    assert screen.count("── Approval needed ──") == 5
    assert fate(screen, "notes/news.md") == "new, 29 bytes"
    assert "its hash chain is whole" in screen
    assert screen.endswith("exit code 0")


def test_a_person_sees_the_diff_of_an_edit_and_of_what_is_overwritten(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    edit = terminal.is_asked(PLAN)
    assert "2     │ - Release on Thursday\n       2 │ + Release on Friday\n" in edit
    assert "content can vary" in edit
    terminal.presses("y")
    overwriting = terminal.is_asked(TODO)
    assert "⚠ This will overwrite existing file (was 2 lines, now 2 lines)" in overwriting
    assert "│ - water the plants\n" in overwriting
    stop(terminal)
    terminal.sees_the_end()


def test_an_approval_does_not_cover_a_file_that_changed_while_the_person_thought(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    terminal.is_asked(PLAN)
    (plan,) = terminal.folder.glob("assent-demo-*/notes/plan.md")
    plan.write_text("Release on Thursday, or never\n", encoding="utf-8")
    terminal.presses("y")
    terminal.is_asked("- Release on Thursday, or never")
    assert plan.read_text(encoding="utf-8") == "Release on Thursday, or never\n"
    terminal.presses("y")
    terminal.is_asked(TODO)
    assert plan.read_text(encoding="utf-8") == "Release on Friday, or never\n"
    stop(terminal)
    screen = terminal.sees_the_end()
    assert "Result: changed_since_approval: notes/plan.md" in screen
    assert answers(screen, "edit_file(notes/plan.md)") == ["approved", "approved"]


def test_a_person_who_approves_once_is_asked_again(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    for question in (PLAN, TODO, NEWS, MAIL, "one more thing"):
        terminal.is_asked(question)
        terminal.presses("y")
    screen = terminal.sees_the_end()
    assert answers(screen, "send_email(ana@example.org)") == ["approved", "approved"]


def test_a_person_stops_the_run(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    terminal.is_asked(PLAN)
    stop(terminal)
    screen = terminal.sees_the_end()
    assert "Stopped: you ended the run" in screen
    assert "write_file" not in screen.partition("Next:")[0]
    assert fate(screen, "notes/plan.md") == "as it was"
    assert screen.endswith("exit code 0")


def test_ctrl_c_ends_it_and_nothing_is_approved(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    terminal.is_asked(PLAN)
    terminal.presses("C-c")
    screen = terminal.sees_the_end()
    assert "Interrupted: " in screen
    assert "approved by" not in screen
    assert "Traceback" not in screen
    assert screen.endswith("exit code 130")


def test_the_end_of_input_rejects_and_the_demo_goes_on(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    for question in (PLAN, TODO, NEWS, SHORT, MAIL):
        terminal.is_asked(question)
        terminal.presses("C-d")
    screen = terminal.sees_the_end()
    assert row(screen, "send_email(ana@example.org)")[0].startswith("rejected by end of input")
    assert "changed" not in {fate(screen, name) for name in ("notes/plan.md", "notes/todo.md")}
    assert screen.endswith("exit code 0")


def test_a_setting_cannot_trick_the_terminal_it_is_shown_on(terminal: Tmux, tmp_path: Path) -> None:
    settings = tmp_path / "assent.yaml"
    settings.write_text('store: "a\\u202eb"\n', encoding="utf-8")
    terminal.start([*PROGRAM, "config", "show", "--config", str(settings)])
    said = terminal.sees_the_end().replace("\n", "")
    assert r"a\u202eb" in said.lower()
    assert "\u202e" not in said
