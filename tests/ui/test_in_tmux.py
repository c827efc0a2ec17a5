"""Every key and every screen, at a real terminal."""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from tests.cli.tmux import Tmux
from tests.ui.draw.screens import screens
from tests.ui.writer import LINES

ROOT = Path(__file__).parents[2]
WRITER = [sys.executable, "-m", "tests.ui.writer"]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("".join(f"{line}\n" for line in LINES))
    return tmp_path


def asks(
    terminal: Tmux,
    work: Path,
    *wanted: str,
    seconds: int = 300,
    columns: int = 80,
    lines: int = 40,
    piped: str | None = None,
    **environment: str,
) -> None:
    terminal.start(
        [*WRITER, str(work), str(seconds), *wanted],
        columns=columns,
        lines=lines,
        environment={"PYTHONPATH": str(ROOT), **environment},
        piped=piped,
    )


def editor_of(work: Path) -> Path:
    """An editor that reads a line from the terminal: it has it while it runs."""
    editor = work / "editor.sh"
    editor.write_text('#!/bin/sh\nprintf "EDITOR> "\nread -r text\nprintf "%s\\n" "$text" >"$1"\n')
    editor.chmod(0o700)
    return editor


def program_of(work: Path) -> Path:
    """The writer as a program with a short name, wherever the checkout lies."""
    program = work / "write"
    words = shlex.join(["env", f"PYTHONPATH={ROOT}", *map(str, WRITER), str(work), "300", "a.txt=2"])
    program.write_text(f"#!/bin/sh\nexec {words} 2>/dev/null\n")
    program.chmod(0o700)
    return program


def test_what_is_typed_before_the_question_can_be_read_decides_nothing(terminal: Tmux, work: Path) -> None:
    terminal.open(f"stty -echo; read -r line; {shlex.quote(str(program_of(work)))}; echo exit code $?; exec cat")
    terminal.presses("Enter", *"yyyY", "Enter", *"y1Ay")
    terminal.until(lambda screen: "[q] Stop the run" in screen)
    terminal.presses("y")
    terminal.is_asked("a.txt")
    assert "written" not in terminal.screen()
    terminal.pastes("y")
    terminal.may_answer("That was more than one key: nothing is decided.")
    terminal.presses("y")
    assert "a.txt: written" in terminal.sees_the_end()
    assert "line 2 changed" in (work / "a.txt").read_text()


def test_keys_come_from_the_terminal_and_not_from_what_is_piped_in(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2", piped="y\ny\ny\n")
    terminal.is_asked("a.txt")
    assert terminal.title().startswith("? ")
    terminal.presses("n")
    terminal.is_asked_why()
    terminal.types("not", "Space", "now")
    screen = terminal.sees_the_end()
    assert "not now" in screen.partition("a.txt: rejected")[2]
    assert not terminal.title().startswith("? ")


def test_a_long_file_opens_the_pager_and_the_person_comes_back(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "new.txt:150", lines=24)
    screen = terminal.sees("new line 1", "q = back to the question")
    assert "[y] Approve" not in screen
    # The pager is less, in its own place in front: what it must not do it cannot do, and its Ctrl-C is not ours.
    terminal.presses("!")
    terminal.sees("Command not available")
    terminal.presses("Enter")
    terminal.presses("C-c")
    while "(end)" not in terminal.screen():
        # Less drops a key that comes while it is still busy with an interrupt.
        terminal.presses("G")
    terminal.sees("new line 150", "(end)")
    terminal.presses("q")
    terminal.is_asked("new.txt")
    terminal.presses("?")
    terminal.sees("An approval binds these arguments:", "q = back to the question")
    terminal.presses("q")
    terminal.is_asked("new.txt")
    terminal.presses("y")
    assert "new.txt: written" in terminal.sees_the_end()


def test_a_pager_that_fails_has_shown_nothing_and_ours_does(terminal: Tmux, work: Path) -> None:
    less = work / "less"
    less.write_text("#!/bin/sh\nexit 1\n")
    less.chmod(0o700)
    asks(terminal, work, "new.txt:150", lines=24, PAGER=str(less))
    screen = terminal.until(lambda screen: "-- line 1 --" in screen)
    assert "[y] Approve" not in screen
    terminal.presses("q")
    terminal.is_asked("new.txt")


def test_what_was_not_seen_takes_a_second_key(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "new.txt:60", lines=24)
    assert "new line 60" not in terminal.is_asked("new.txt")
    terminal.presses("y")
    terminal.may_answer("You have not seen all of it. v = view, Y = approve anyway")
    terminal.presses("v")
    terminal.sees("new line 1", "q = back to the question")
    # Who has seen a page of it has not seen it.
    terminal.presses("q")
    terminal.may_answer("Approval needed", times=2)
    terminal.presses("y")
    terminal.may_answer("You have not seen all of it.", times=2)
    terminal.presses("v")
    terminal.sees("new line 1", "q = back to the question")
    terminal.presses("G")
    terminal.sees("new line 60", "(end)")
    terminal.presses("q")
    terminal.may_answer("Approval needed", times=3)
    terminal.presses("y")
    assert "new.txt: written" in terminal.sees_the_end()


def test_some_hunks_are_approved_and_only_those_are_written(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2,20,38", columns=130)
    first = terminal.is_asked("a.txt")
    terminal.presses("d")
    terminal.may_answer("Approval needed", times=2)
    assert terminal.is_asked("a.txt") != first
    terminal.presses("h")
    for at, key in enumerate("nyn", 1):
        terminal.may_answer("Apply this hunk [y,n,a,d,v,q,?]?", times=at)
        terminal.presses(key)
    terminal.is_asked_why()
    terminal.types("later")
    terminal.may_answer("Approve 1 of 3 hunks?")
    terminal.presses("y")
    assert "a.txt: written" in terminal.sees_the_end()
    changed = (work / "a.txt").read_text().splitlines()
    assert [line for line in changed if "changed" in line] == ["line 20 changed"]


def test_edited_content_is_judged_shown_and_written(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "new.txt:2", EDITOR=str(editor_of(work)))
    terminal.is_asked("new.txt")
    terminal.presses("e")
    terminal.sees("EDITOR>")
    terminal.types("my", "Space", "own", "Space", "line")
    question = terminal.is_asked("new.txt")
    assert "my own line" in question
    assert "Your edit of content:" in terminal.screen()
    terminal.presses("y")
    terminal.sees_the_end()
    assert (work / "new.txt").read_text() == "my own line\n"


def test_a_batch_of_three_is_answered_as_a_list(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2", "b.txt:3", "c.txt:3")
    terminal.is_asked("(1 of 3)")
    terminal.presses("b")
    terminal.may_answer("3 questions, 0 answered", "[b] Back")
    terminal.presses("y")
    terminal.may_answer("3 questions, 1 answered", "[b] Back")
    terminal.presses("Down")
    terminal.may_answer("> [ ] 2")
    terminal.presses("n")
    terminal.is_asked_why()
    terminal.presses("Enter")
    terminal.may_answer("3 questions, 2 answered", "[b] Back")
    terminal.presses("b")
    terminal.is_asked("(3 of 3")
    terminal.presses("s")
    terminal.may_answer("Remember: ", "Choose")
    terminal.presses("b")
    terminal.may_answer("(3 of 3", times=2)
    terminal.presses("A")
    terminal.may_answer("Approve the question that is not answered yet? Y = approve")
    terminal.presses("Y")
    screen = terminal.sees_the_end()
    assert (screen.count(".txt: written"), screen.count(".txt: rejected")) == (2, 1)


def has(line: str, screen: str) -> bool:
    return line in screen


def test_every_screen_is_shown_and_answered(terminal: Tmux) -> None:
    command = [sys.executable, "-m", "tests.ui.shower"]
    terminal.start(command, columns=100, lines=50, environment={"PYTHONPATH": str(ROOT)})
    seen: Counter[str] = Counter()
    for number, (name, pending) in enumerate(screens().items()):
        tool = f"Tool: {pending.call.tool_name}"
        seen[tool] += 1
        terminal.may_answer(tool, times=seen[tool])
        # Approved and rejected in turn: the same key would wait until nobody can hold it any more.
        terminal.presses("n" if number % 2 else "y")
        if number % 2:
            terminal.is_asked_why()
            terminal.presses("Enter")
        terminal.until(partial(has, f"{name}: {'reject' if number % 2 else 'approve'}"))
    assert "exit code 0" in terminal.sees_the_end()


def test_a_batch_is_rejected_as_a_whole_with_one_reason(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2", "b.txt:3", "c.txt:3")
    terminal.is_asked("(1 of 3)")
    terminal.presses("R")
    terminal.is_asked_why()
    terminal.types("not today")
    end = terminal.sees_the_end()
    assert end.count("rejected: User rejected: not today") == 3
    assert sorted(file.name for file in work.iterdir() if file.suffix == ".txt") == ["a.txt"]


def test_an_edit_is_dropped_and_the_original_approved(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "b.txt:3", EDITOR=str(editor_of(work)))
    terminal.is_asked("b.txt")
    terminal.presses("e")
    terminal.sees("EDITOR>")
    terminal.types("edited")
    terminal.may_answer("Your edit of content:", "[o] Original")
    terminal.presses("o")
    terminal.until(lambda screen: "[o] Original" not in screen.rpartition("Approval needed")[2])
    terminal.is_asked("b.txt")
    terminal.presses("y")
    assert "b.txt: written" in terminal.sees_the_end()
    assert (work / "b.txt").read_text() == "new line 1\nnew line 2\nnew line 3\n"


def test_an_answer_is_remembered_by_pattern_and_for_some_calls(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "b.txt:3")
    terminal.is_asked("b.txt")
    terminal.presses("s")
    terminal.may_answer("write work/**/*.txt", "[b] Back")
    terminal.presses("2")
    terminal.may_answer("for 15 minutes", "for 3 more calls", "always", "never allow")
    terminal.presses("3")
    assert "b.txt: written" in terminal.sees_the_end()


def test_the_window_may_have_another_size_meanwhile(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2")
    terminal.is_asked("a.txt")
    terminal.resize(40, 30)
    terminal.may_answer("Approval needed", times=2)
    narrow = terminal.is_asked("a.txt")
    assert max(map(len, narrow.splitlines())) <= 40
    terminal.presses("y")
    assert "a.txt: written" in terminal.sees_the_end()


def seconds_left(screen: str) -> int:
    """What the prompt says; nothing, where there is none."""
    found = re.search(r"(\d+) s left >$", screen)
    return int(found[1]) if found else 0


def test_the_time_runs_and_its_end_approves_nothing(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2", seconds=6)
    first = seconds_left(terminal.until(lambda screen: seconds_left(screen) > 0))
    terminal.until(lambda screen: seconds_left(screen) < first)
    screen = terminal.sees_the_end()
    assert "\nClosed: its time is over. Nothing was approved.\na.txt: expired" in screen
    assert screen.count("Approval needed") == 1


def test_an_answer_from_elsewhere_takes_the_question_from_the_screen_and_out_of_the_pager(
    terminal: Tmux, work: Path
) -> None:
    asks(terminal, work, "new.txt:150", lines=24)
    terminal.sees("new line 1", "q = back to the question")
    (work / "lee").touch()
    screen = terminal.sees_the_end()
    assert (work / "new.txt").exists()
    assert "new line 1\n" not in screen, "less has left its screen"
    assert "Answered: approved by lee\nnew.txt: written\nexit code 0" in screen
    # The terminal echoes again: it is as it was.
    terminal.types("echoed")
    terminal.until(lambda screen: screen.count("echoed") >= 2)


def test_ctrl_c_interrupts_the_program_and_leaves_the_terminal_as_it_was(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2")
    terminal.is_asked("a.txt")
    terminal.presses("C-c")
    screen = terminal.sees_the_end()
    assert "interrupted\nexit code 130" in screen
    assert "written" not in screen
    terminal.types("echoed")
    terminal.until(lambda screen: screen.count("echoed") >= 2)


def test_ctrl_d_rejects(terminal: Tmux, work: Path) -> None:
    asks(terminal, work, "a.txt=2")
    terminal.is_asked("a.txt")
    terminal.presses("C-d")
    assert "a.txt: rejected" in terminal.sees_the_end()


def shell(terminal: Tmux, work: Path) -> None:
    folder = program_of(work).parent
    terminal.open(f"cd {shlex.quote(str(folder))}; exec env PS1='shell> ' bash --norc --noprofile -i")
    terminal.sees("shell>")


def test_a_program_that_was_stopped_keeps_no_other_one_from_asking(terminal: Tmux, work: Path) -> None:
    shell(terminal, work)
    terminal.types("./write")
    terminal.is_asked("a.txt")
    terminal.presses("C-z")
    terminal.sees("Stopped", "shell>")
    terminal.types("./write")
    terminal.may_answer("Approval needed", times=2)
    terminal.presses("C-d")
    terminal.sees("a.txt: rejected", "shell>")
    terminal.types("fg")
    terminal.may_answer("Approval needed", times=3)
    terminal.presses("y")
    terminal.sees("a.txt: written", "shell>")


def test_a_program_in_the_background_keeps_no_other_one_from_asking(terminal: Tmux, work: Path) -> None:
    shell(terminal, work)
    terminal.types("./write", "Space", "&")
    while "Stopped" not in terminal.screen():
        # The shell tells of it when it is asked for something.
        terminal.presses("Enter")
        terminal.sees("shell>")
    terminal.types("./write")
    terminal.is_asked("a.txt")
    terminal.presses("C-d")
    terminal.sees("a.txt: rejected", "shell>")
    terminal.types("fg")
    terminal.may_answer("Approval needed", times=2)
    terminal.presses("y")
    terminal.sees("a.txt: written", "shell>")


def test_ctrl_z_gives_the_terminal_to_the_shell_and_asks_again_when_it_goes_on(terminal: Tmux, work: Path) -> None:
    folder, editor = program_of(work).parent, editor_of(work)
    terminal.open(f"cd {shlex.quote(str(folder))}; exec env PS1='shell> ' EDITOR={editor} bash --norc --noprofile -i")
    terminal.sees("shell>")
    terminal.types("./write")
    terminal.is_asked("a.txt")
    terminal.presses("C-z")
    terminal.sees("Stopped", "shell>")
    terminal.types("echo", "Space", "typed here")
    terminal.sees("\ntyped here", "shell>")
    terminal.types("fg")
    terminal.may_answer("Approval needed", times=2)
    terminal.is_asked("a.txt")
    # In the editor, too: both stop, and both go on.
    terminal.presses("e")
    terminal.sees("EDITOR>")
    terminal.presses("C-z")
    terminal.until(lambda screen: screen.count("Stopped") > 1 and screen.endswith("shell>"))
    terminal.types("fg")
    terminal.until(lambda screen: screen.rstrip().endswith("./write"))
    terminal.types("edited")
    terminal.may_answer("Your edit of content:", "edited")
    terminal.presses("y")
    terminal.sees("a.txt: written", "shell>")
