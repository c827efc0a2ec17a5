from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from assent.cli.inbox._wanted import listed
from assent.errors import AlreadyDecided
from assent.gate import Gate
from assent.model import Approve, Pending, Permit, Reject, ToolCall, pending_id, wire
from tests.cli import asker
from tests.cli.program import PROGRAM, assent
from tests.cli.recorded import Project
from tests.cli.tmux import Tmux
from tests.cli.within import Done, within


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def inbox(project: Project, *arguments: str) -> Done:
    return within(project.folder, "inbox", *arguments)


def waiting(project: Project, *arguments: str) -> list[str]:
    """The files that questions wait about, by the list for programs."""
    done = inbox(project, "--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line)["call"]["args"]["path"] for line in done.stdout.splitlines()]


# Without a terminal


def test_without_a_terminal_it_prints_what_waits_and_ends(project: Project) -> None:
    assert assent("inbox", cwd=project.folder).stdout == "Nothing waits for an answer.\n"
    first = project.asks("work/a.md", agents=("main", "helper"), waited=120)
    project.asks("work/b.md", run="run-two", timeout=600)
    done = assent("inbox", cwd=project.folder)
    assert (done.returncode, done.stderr) == (0, "")
    head, one, two = done.stdout.splitlines()
    assert head.split() == ["id", "age", "left", "tool", "what", "agents", "run"]
    assert one.split() == (f"{first.id[:8]} 2 min write_file Write 1 line to work/a.md main › helper run-one".split())
    assert "Write 1 line to work/b.md" in two
    assert "9 min" in two or "10 min" in two


def test_json_is_the_question_itself(project: Project) -> None:
    pending = project.asks()
    (line,) = inbox(project, "--json").stdout.splitlines()
    assert wire.load(Pending, line) == pending


def test_filters_choose_by_agent_tool_run_and_age(project: Project) -> None:
    project.asks("work/old.md", run="run-one", agents=("main",), waited=600)
    project.asks("work/new.md", run="run-two", agents=("main", "helper"))
    assert waiting(project) == ["work/old.md", "work/new.md"]
    assert waiting(project, "--agent", "helper") == ["work/new.md"]
    assert waiting(project, "--run", "run-o") == ["work/old.md"]
    assert waiting(project, "--older", "5m") == ["work/old.md"]
    assert waiting(project, "--tool", "write_file", "--next") == ["work/old.md"]
    assert waiting(project, "--tool", "run_command") == []
    assert inbox(project, "--tool", "run_command").stdout == "Nothing that fits waits for an answer.\n"


def test_a_question_whose_time_is_over_does_not_wait(project: Project) -> None:
    pending = project.asks(waited=60, timeout=30)
    assert waiting(project) == []
    with project.store() as store:
        ruling = store.ruling(pending.id)
        assert ruling is not None
        assert ruling.outcome == "expired"


def test_a_program_approves_by_the_beginning_of_an_id(project: Project) -> None:
    pending = project.asks()
    done = inbox(project, "approve", pending.id[:6], "--note", "as agreed", "--by", "ana")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Approved: Write 1 line to work/a.md; it runs when the program that asked takes it up\n"
    with project.store() as store:
        ruling = store.ruling(pending.id)
        assert ruling is not None
        assert ruling.decision == Approve(by="ana", note="as agreed")
    assert isinstance(project.write("work/a.md", run="run-one"), Permit)


def test_a_program_rejects_and_the_note_is_what_the_agent_reads(project: Project) -> None:
    pending = project.asks()
    assert inbox(project, "reject", pending.id, "--note", "use staging", "--by", "ana").returncode == 0
    with project.store() as store:
        ruling = store.ruling(pending.id)
        assert ruling is not None
        assert ruling.decision == Reject(by="ana", note="use staging")


def test_a_program_stops_the_whole_run(project: Project) -> None:
    pending = project.asks("work/a.md")
    project.asks("work/b.md")
    project.asks("work/c.md", run="run-two")
    assert "Stopped the run" in inbox(project, "reject", pending.id, "--stop").stdout
    assert waiting(project) == ["work/c.md"]


def test_an_answer_may_be_remembered_for_what_the_question_offers(project: Project) -> None:
    pending = project.asks("work/notes/a.md", agents=("main",))
    done = inbox(
        project,
        "approve",
        pending.id,
        "--scope",
        "always",
        "--for",
        "2h",
        "--calls",
        "2",
        "--covers",
        "write work/notes/**",
    )
    assert (done.returncode, "`assent grants` lists it" in done.stdout) == (0, True)
    assert isinstance(project.write("work/notes/b.md", run="other"), Permit)
    assert isinstance(project.write("work/c.md", run="other"), Pending)
    # The answer was about a call of this chain of agents.
    assert isinstance(project.write("work/notes/d.md", run="other", agents=("somebody",)), Pending)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scope", "always", "--covers", "everything"], "may be remembered for itself or for: 'write work/**/*.md'"),
        (["--covers", "write work/**"], "it needs --scope session or always"),
        (["--for", "2h"], "its scope may be session or always"),
        (["--scope", "forever"], "invalid choice"),
        (["--sco", "always"], "unrecognized arguments"),
    ],
)
def test_an_answer_that_makes_no_sense_is_none(project: Project, arguments: list[str], said: str) -> None:
    pending = project.asks()
    done = inbox(project, "approve", pending.id, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert waiting(project) == ["work/a.md"]


def test_an_answer_with_filters_is_an_error(project: Project) -> None:
    pending = project.asks()
    done = inbox(project, "--tool", "write_file", "approve", pending.id)
    assert (done.returncode, "filters are for the list" in done.stderr) == (2, True)
    assert waiting(project) == ["work/a.md"]


def test_whoever_answers_second_is_told_who_was_first_and_when(project: Project) -> None:
    pending = project.asks()
    inbox(project, "reject", pending.id, "--by", "ana")
    for spelled in (pending.id, pending.id[:8]):
        done = inbox(project, "approve", spelled, "--by", "bob")
        assert (done.returncode, done.stdout) == (1, "")
        assert "This question was already rejected by ana on 20" in done.stderr
        assert "the first answer stands" in done.stderr


@pytest.mark.parametrize("spelled", ["", "nothing", "zz"])
def test_a_question_nobody_asked_cannot_be_answered(project: Project, spelled: str) -> None:
    project.asks()
    done = inbox(project, "approve", spelled)
    assert (done.returncode, "`assent inbox` lists them" in done.stderr) == (1, True)
    assert waiting(project) == ["work/a.md"]


@pytest.mark.parametrize("given", ["1", "{id[0]}", "{id[0]}{id[1]}{id[2]}"])
def test_a_number_or_a_short_beginning_answers_nothing(project: Project, given: str) -> None:
    pending = project.asks()
    done = inbox(project, "approve", given.format(id=pending.id))
    assert (done.returncode, done.stdout) == (1, "")
    assert "give the first 4 characters of an id or more; `assent inbox` lists them" in done.stderr
    assert waiting(project) == ["work/a.md"]


def test_a_beginning_that_another_question_had_answers_nothing(project: Project) -> None:
    # An agent chooses the ids of its calls: it may look for one that begins as the one a person has in mind.
    ended = project.asks(call="0")
    inbox(project, "reject", ended.id)
    alike = next(
        call
        for call in map(str, range(1, 10**7))
        if pending_id(ToolCall(run="run-one", id=call, tool_name="write_file", args={})).startswith(ended.id[:4])
    )
    project.asks("work/other.md", call=alike)
    done = inbox(project, "approve", ended.id[:4])
    assert (done.returncode, done.stdout) == (1, "")
    assert "begins the ids of 2 questions" in done.stderr
    assert waiting(project) == ["work/other.md"]


@pytest.mark.parametrize("width", [1000, 120, 80, 60, 40, 20])
def test_at_every_width_the_list_shows_ids_and_no_number_that_could_be_taken_for_one(
    project: Project, width: int
) -> None:
    asked = [project.asks(f"work/{number}.md", agents=("main", "a helper" * 9)) for number in range(3)]
    head, *rows = listed(asked, 0.0, width=width)
    assert head.startswith("id ")
    assert [row.split()[0] for row in rows] == [each.id[:8] for each in asked]


def test_nothing_of_a_question_acts_on_the_terminal_or_begins_a_line(project: Project) -> None:
    project.asks("work/a\x1b[31m\u202e\n2 b.md", run="r\x1b[2J", agents=("a\x1b]52;c;eA==\x07",))
    found = inbox(project).stdout
    assert len(found.splitlines()) == 2
    assert "⟨U+001B⟩" in found
    assert not {"\x1b", "\x07", "\u202e"} & set(found)


# At a terminal


def start(terminal: Tmux, project: Project, *arguments: str, columns: int = 80, lines: int = 40) -> None:
    config = ["--config", str(project.folder / "assent.yaml"), "--by", "ana"]
    terminal.start([*PROGRAM, "inbox", *config, *arguments], columns=columns, lines=lines)


def test_one_process_asks_and_the_inbox_answers(project: Project, terminal: Tmux) -> None:
    start(terminal, project)
    terminal.sees("Nothing waits for an answer", "[q] leave")
    files = ["work/a.md", "work/b.md", "work/c.md"]
    command = [sys.executable, asker.__file__, str(project.folder), "run-one", *files]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        screen = terminal.sees("3 questions in 1 run", "[q] leave")
        assert "› 1" in screen
        terminal.presses("Down")
        terminal.sees("› 2", "[q] leave")
        terminal.presses("Enter")
        second = terminal.is_asked("Write 1 line to work/")
        terminal.presses("y")
        terminal.sees("2 questions in 1 run", "Approved: Write 1 line to work/", "[q] leave")
        written = asking.stdout.readline().strip()
        assert written.endswith(": written")
        assert written.partition(":")[0] in second
        terminal.presses("1")
        terminal.is_asked("Write 1 line to work/")
        terminal.presses("n")
        terminal.is_asked_why()
        terminal.types("not this one")
        terminal.sees("1 question in 1 run", "[q] leave")
        assert asking.stdout.readline().strip().endswith(": rejected")
        terminal.presses("a")
        terminal.is_asked("Write 1 line to work/")
        terminal.presses("y")
        terminal.sees("Nothing waits for an answer", "[q] leave")
        assert asking.stdout.readline().strip().endswith(": written")
        assert asking.wait(timeout=60) == 0
    terminal.presses("q")
    assert terminal.sees_the_end().endswith("exit code 0")
    with project.store() as store:
        assert {entry.body["by"] for entry in store.journal() if entry.kind in ("approved", "rejected")} == {"ana"}


def test_an_open_question_that_somebody_else_answers_closes_and_says_who(project: Project, terminal: Tmux) -> None:
    pending = project.asks()
    start(terminal, project)
    terminal.sees("1 question in 1 run", "[q] leave")
    terminal.presses("Enter")
    terminal.is_asked("Write 1 line to work/a.md")
    assert inbox(project, "reject", pending.id, "--by", "bob").returncode == 0
    terminal.sees("This question was already rejected by bob on", "the first answer stands.", "[q] leave")
    terminal.presses("q")
    assert "work/a.md: This question was already rejected by bob on" in terminal.sees_the_end()


def test_what_is_answered_elsewhere_leaves_the_list_by_itself(project: Project, terminal: Tmux) -> None:
    pending = project.asks("work/a.md")
    project.asks("work/b.md")
    start(terminal, project)
    terminal.sees("2 questions in 1 run", "[q] leave")
    terminal.presses("j")
    terminal.until(lambda screen: "› 2" in screen)
    inbox(project, "approve", pending.id, "--by", "bob")
    # The chosen one stays chosen, whatever its number is now.
    assert "work/b.md" in terminal.until(lambda screen: "1 question in 1 run" in screen and "› 1" in screen)


def test_a_new_question_rings(project: Project, terminal: Tmux) -> None:
    def rang(_screen: str = "") -> bool:
        return terminal._tmux("display-message", "-p", "#{window_bell_flag}").strip() == "1"

    project.asks("work/a.md")
    start(terminal, project)
    terminal.sees("1 question in 1 run", "[q] leave")
    assert not rang()
    project.asks("work/b.md")
    terminal.sees("2 questions in 1 run", "[q] leave")
    terminal.until(rang)


def test_ctrl_d_leaves_a_question_for_somebody_else(project: Project, terminal: Tmux) -> None:
    project.asks()
    start(terminal, project)
    terminal.sees("1 question in 1 run", "[q] leave")
    terminal.presses("Enter")
    terminal.is_asked("Write 1 line to work/a.md")
    terminal.presses("C-d")
    terminal.sees("Left unanswered: Write 1 line to work/a.md", "[q] leave")
    terminal.presses("C-d")
    assert terminal.sees_the_end().endswith("exit code 0")
    assert waiting(project) == ["work/a.md"]


@pytest.mark.parametrize("opened", [True, False], ids=["a question", "the list"])
def test_ctrl_c_leaves_without_an_answer(project: Project, terminal: Tmux, opened: bool) -> None:  # noqa: FBT001 (a column)
    project.asks()
    start(terminal, project)
    terminal.sees("1 question in 1 run", "[q] leave")
    if opened:
        terminal.presses("Enter")
        terminal.is_asked("Write 1 line to work/a.md")
    terminal.presses("C-c")
    screen = terminal.until(lambda screen: "exit code" in screen)
    assert screen.endswith("exit code 130")
    assert ("no answer was given, and the question still waits." in screen) == opened
    assert "elsewhere" not in screen
    assert waiting(project) == ["work/a.md"]


def test_the_terminal_is_left_as_it_was(project: Project, terminal: Tmux) -> None:
    project.asks()
    config = str(project.folder / "assent.yaml")
    program = shlex.join([PROGRAM[0], "-m", "assent", "inbox", "--config", config])
    before, after = (shlex.quote(str(project.folder / name)) for name in ("before", "after"))
    terminal.open(f"stty -a > {before}; {program}; stty -a > {after}; echo left; exec cat")
    terminal.sees("1 question in 1 run", "[q] leave")
    terminal.presses("q")
    terminal.sees("left")
    assert (project.folder / "after").read_text() == (project.folder / "before").read_text()


def test_all_in_turn_keeps_runs_apart(project: Project, terminal: Tmux) -> None:
    project.asks("work/a.md", run="run-one")
    project.asks("work/b.md", run="run-two")
    project.asks("work/c.md", run="run-one")
    start(terminal, project)
    terminal.sees("3 questions in 2 runs", "[q] leave")
    terminal.presses("a")
    terminal.is_asked("Write 1 line to work/a.md")
    terminal.presses("q")
    terminal.sees("q = stop", ">")
    terminal.presses("q")
    terminal.is_asked("Write 1 line to work/b.md")
    terminal.presses("y")
    terminal.sees("Ended with its run: Write 1 line to work/c.md", "Nothing waits for an answer", "[q] leave")
    with project.store() as store:
        kinds = [entry.kind for entry in store.journal() if entry.kind != "asked"]
    assert kinds == ["stopped", "cancelled", "approved"]


def test_leaving_one_of_all_goes_back_to_the_list(project: Project, terminal: Tmux) -> None:
    project.asks("work/a.md", run="run-one")
    project.asks("work/b.md", run="run-two")
    start(terminal, project)
    terminal.sees("2 questions in 2 runs", "[q] leave")
    terminal.presses("a")
    terminal.is_asked("Write 1 line to work/a.md")
    terminal.presses("C-d")
    terminal.sees("Left unanswered: Write 1 line to work/a.md", "[q] leave")
    assert waiting(project) == ["work/a.md", "work/b.md"]


def test_next_asks_about_the_oldest_question_and_leaves(project: Project, terminal: Tmux) -> None:
    project.asks("work/old.md", waited=60)
    project.asks("work/new.md")
    start(terminal, project, "--next")
    terminal.is_asked("Write 1 line to work/old.md")
    terminal.presses("y")
    end = terminal.sees_the_end()
    assert "Approved: Write 1 line to work/old.md; it runs when the program" in end
    assert end.endswith("exit code 0")
    assert waiting(project) == ["work/new.md"]


def test_next_says_that_nothing_waits(project: Project, terminal: Tmux) -> None:
    start(terminal, project, "--next")
    assert "Nothing waits for an answer.\nexit code 1" in terminal.sees_the_end()


def test_a_list_longer_than_the_screen_says_how_much_is_not_on_it(project: Project, terminal: Tmux) -> None:
    asked = [project.asks(f"work/{number}.md").id[:8] for number in range(20)]
    start(terminal, project, columns=40, lines=12)
    screen = terminal.sees("20 questions in 1 run", "[q] leave")
    assert "0 before, " in screen
    assert max(map(len, screen.splitlines())) <= 40
    assert len(screen.splitlines()) <= 12
    terminal.presses("NPage")
    # Behind the last digit a row has no number: no key would choose it.
    terminal.until(lambda screen: f"›    {asked[10]}" in screen)
    terminal.presses("G")
    assert ", 0 after these" in terminal.until(lambda screen: f"› {asked[19]}" in screen)
    terminal.resize(70, 30)
    terminal.until(lambda screen: "before" not in screen and f"›    {asked[19]}" in screen)


def test_the_first_answer_wins_also_between_the_last_look_and_the_key(project: Project) -> None:
    pending = project.asks()
    with project.store() as one, project.store() as other:
        Gate(store=one).answer(pending.id, Reject(by="bob"))
        with pytest.raises(AlreadyDecided, match="rejected by bob"):
            Gate(store=other).answer(pending.id, Approve(by="ana"))
