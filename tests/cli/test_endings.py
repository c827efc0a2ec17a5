"""How a command ends where the system does not play along: one line and a code, and nothing left behind."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM
from tests.cli.recorded import Project
from tests.cli.tmux import Tmux

EVERY = [
    ["init", "--yes"],
    ["check", "--", "ls"],
    ["policy", "test", "--replay", "all"],
    ["inbox"],
    ["runs"],
    ["grants"],
    ["log"],
    ["config", "show"],
]
PATIENCE = 60.0


def shell(line: str, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command by a line of shell, in which it is `"$@"`."""
    return subprocess.run(
        ["sh", "-c", line, "sh", *PROGRAM, *command],
        cwd=cwd,
        # Beside the folder: a record must not lie where an agent may write.
        env={**os.environ, "XDG_STATE_HOME": f"{cwd}-state"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_in_a_folder_that_was_deleted_it_says_so(command: list[str], tmp_path: Path) -> None:
    done = shell('mkdir gone && cd gone && rmdir ../gone && "$@"', *command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "assent: the folder you are in was deleted; go to one that exists, such as `cd ~`, and try again\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("command", [["--version"], ["log", "--help"], ["config", "show"], ["inbox"]], ids=" ".join)
def test_an_output_that_is_full_is_one_message(command: list[str], tmp_path: Path, buffered: bool) -> None:  # noqa: FBT001 (a column)
    done = shell(f'PYTHONUNBUFFERED={"" if buffered else "1"} "$@" > /dev/full', *command, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("assent: the ")
    assert "written: No space left on device" in done.stderr


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", [["config", "show"], ["init"], ["inbox"]], ids=" ".join)
def test_a_stream_that_is_closed_leads_nowhere(command: list[str], closed: str, tmp_path: Path) -> None:
    done = shell(f'"$@" {closed}', *command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_goes_wrong_is_not_said_where_the_output_is_read(tmp_path: Path) -> None:
    done = shell('"$@" 2>&-', "config", "show", "--config", "nowhere.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("opened", [True, False], ids=["a question", "the list"])
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(
    number: signal.Signals,
    opened: bool,  # noqa: FBT001 (a column)
    tmp_path: Path,
    terminal: Tmux,
) -> None:
    project = Project(tmp_path)
    project.asks()
    before, after, pid = (tmp_path / name for name in ("before", "after", "pid"))
    program = shlex.join([*PROGRAM, "inbox", "--config", str(project.folder / "assent.yaml")])
    started = shlex.quote(f"echo $$ > {shlex.quote(str(pid))}; exec {program}")
    keep = " ".join(shlex.quote(str(each)) for each in (before, after))
    terminal.open(f"set -- {keep}; stty -a > $1; sh -c {started}; echo code $?; stty -a > $2; echo left; exec cat")
    terminal.sees("1 question in 1 run", "[q] leave")
    if opened:
        terminal.presses("Enter")
        terminal.is_asked("Write 1 line to work/a.md")
    os.kill(int(pid.read_text()), number)
    screen = terminal.sees(f"code {128 + number}", "left")
    assert ("no answer was given, and the question still waits." in screen) == opened
    assert after.read_text() == before.read_text()


def test_a_signal_that_is_ignored_stays_ignored_and_the_others_do_not(tmp_path: Path) -> None:
    project = Project(tmp_path)
    # As `nohup` does it, and a shell that starts something in the background.
    line = "trap '' HUP INT; exec \"$@\""
    with subprocess.Popen(
        ["sh", "-c", line, "sh", *PROGRAM, "log", "--follow"],
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        project.asks("work/a.md")
        assert running.stdout is not None
        assert b"work/a.md" in running.stdout.readline()
        running.send_signal(signal.SIGHUP)
        project.asks("work/b.md")
        assert b"work/b.md" in running.stdout.readline()
        running.terminate()
        assert running.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
        assert running.stderr is not None
        assert running.stderr.read() == b""
