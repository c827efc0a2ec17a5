from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM
from tests.cli.tmux import Tmux

NOTE, SHORT, MAIL = "Write the note summary.md", "Write the note short.md", "Send an e-mail to ana@example.org"


@pytest.fixture
def terminal() -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        if os.environ.get("CI"):
            pytest.fail("tmux is missing; in CI it must be there: scripts/system-packages tmux")
        pytest.skip("tmux is not installed")
    # Not tmp_path: the name of a socket has little room.
    with tempfile.TemporaryDirectory(prefix="assent-tmux-") as folder:
        window = Tmux(Path(folder))
        try:
            yield window
            assert list(Path(folder).glob("assent-demo-*")) == [], "the demo left its folder behind"
        finally:
            window.stop()


def row(screen: str, call: str) -> list[str]:
    """What the summary says about a call, once for each time it was made."""
    rows = screen.rpartition(" Summary ─")[2].splitlines()
    return [" ".join(line.removeprefix(call).split()) for line in rows if line.startswith(call)]


def test_a_person_rejects_with_a_reason_approves_and_approves_for_the_session(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    terminal.is_asked(NOTE)
    terminal.types("n")
    terminal.is_asked_why()
    terminal.types("too", "Space", "long")
    terminal.is_asked(SHORT)
    terminal.types("y")
    terminal.is_asked(MAIL)
    terminal.types("s")
    screen = terminal.sees_the_end()
    assert row(screen, "list_notes()") == ["allowed reading changes nothing"]
    assert [answer.split()[0] for answer in row(screen, "write_note(summary.md)")] == ["rejected"]
    assert row(screen, "write_note(summary.md)")[0].endswith(": too long")
    assert [answer.split()[0] for answer in row(screen, "write_note(short.md)")] == ["approved"]
    assert row(screen, "delete_folder(archive)") == ["denied no agent deletes folders here"]
    assert [answer.split()[0] for answer in row(screen, "send_email(ana@example.org)")] == ["approved", "granted"]
    assert screen.count("── Approval needed ──") == 3
    assert "its hash chain is whole" in screen
    assert screen.endswith("exit code 0")


def test_a_person_who_approves_once_is_asked_again(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    for question in (NOTE, MAIL, "one more thing"):
        terminal.is_asked(question)
        terminal.types("y")
    screen = terminal.sees_the_end()
    assert [answer.split()[0] for answer in row(screen, "send_email(ana@example.org)")] == ["approved", "approved"]


def test_a_person_stops_the_run(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    terminal.is_asked(NOTE)
    terminal.types("q")
    screen = terminal.sees_the_end()
    assert "Stopped: you ended the run" in screen
    assert "delete_folder" not in screen
    assert screen.endswith("exit code 0")


def test_ctrl_c_ends_it_and_nothing_is_approved(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    terminal.is_asked(NOTE)
    terminal.presses("C-c")
    screen = terminal.sees_the_end()
    assert "Interrupted: " in screen
    assert "approved by" not in screen
    assert "Traceback" not in screen
    assert screen.endswith("exit code 130")


def test_the_end_of_input_rejects_and_the_demo_goes_on(terminal: Tmux) -> None:
    terminal.start([*PROGRAM, "demo"])
    for question in (NOTE, SHORT, MAIL):
        terminal.is_asked(question)
        terminal.presses("C-d")
    screen = terminal.sees_the_end()
    assert row(screen, "send_email(ana@example.org)")[0].startswith("rejected by end of input")
    assert screen.endswith("exit code 0")


def test_a_setting_cannot_trick_the_terminal_it_is_shown_on(terminal: Tmux, tmp_path: Path) -> None:
    settings = tmp_path / "assent.yaml"
    settings.write_text('store: "a\\u202eb"\n', encoding="utf-8")
    terminal.start([*PROGRAM, "config", "show", "--config", str(settings)])
    assert "⟨U+202E⟩" in terminal.sees_the_end()
