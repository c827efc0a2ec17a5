"""`assent run`: from a prompt to a file on disk, with a person or without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assent.testing import Call, ErrorEvent, FakeAnthropic, Say, Turn
from tests.cli.program import PROGRAM
from tests.cli.tmux import Tmux
from tests.cli.within import Done, within

PROMPT = 'Create a new file called test_sdk.txt with the content "Hello from SDK mode!"'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def messages(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_without_a_terminal_what_asks_is_denied_and_reported_as_json(project: Path) -> None:
    done = within(project, "run", PROMPT)
    assert done.returncode == 3
    kinds = [(each["type"], each["subtype"]) for each in messages(done)]
    assert kinds == [
        ("assistant", "text"),
        ("assistant", "tool_use"),
        ("user", "tool_result"),
        ("assistant", "text"),
        ("system", "usage"),
        ("result", "success"),
    ]
    assert messages(done)[2]["content"]["is_error"]
    assert not (project / "test_sdk.txt").exists()
    banner, notice, end = done.stderr.splitlines()
    assert "offline model answers" in banner
    assert "there is no terminal to ask at, so what would ask is denied" in notice
    assert "use `assent serve` to be asked in a browser" in notice
    assert "there was no terminal to ask at: the exit code is 3" in end


def test_what_nobody_need_be_asked_about_is_done_without_a_terminal(project: Path) -> None:
    (project / "a.txt").write_text("hello\n")
    done = within(project, "run", "Read a.txt")
    assert done.returncode == 0
    assert "hello" in messages(done)[2]["content"]["content"]
    assert "a call was refused" not in done.stderr


def test_who_chose_strict_is_not_told_of_a_terminal(project: Path) -> None:
    done = within(project, "run", "--strict", PROMPT)
    assert (done.returncode, "terminal" in done.stderr) == (3, False)


def test_approve_all_does_it_unseen_and_continue_goes_on(project: Path) -> None:
    done = within(project, "run", "--approve-all", PROMPT)
    assert (done.returncode, (project / "test_sdk.txt").read_text()) == (0, "Hello from SDK mode!")
    assert f"● Write {project / 'test_sdk.txt'}" in done.stdout
    again = within(project, "run", "--strict", "--json", "--continue", "Read test_sdk.txt")
    assert again.returncode == 0
    first, second = (messages(each)[-2]["content"]["conversation"] for each in (json_of(project), again))
    assert first == second


def json_of(project: Path) -> Done:
    return within(project, "run", "--strict", "--json", "--continue", "List the files")


def test_it_warns_of_approving_all_wherever_that_comes_from_and_only_then(project: Path) -> None:
    assert "For trusted work only" not in within(project, "run", "--strict", "List the files").stderr
    (project / "assent.yaml").write_text("approvals: {mode: approve_all}\n")
    assert "For trusted work only" in within(project, "run", "List the files").stderr


@pytest.mark.parametrize("plain", ["option", "terminal"])
def test_plain_has_words_where_others_have_signs(
    plain: str, project: Path, terminal: Tmux, monkeypatch: pytest.MonkeyPatch
) -> None:
    if plain == "terminal":
        monkeypatch.setenv("TERM", "dumb")
    options = ["--plain"] if plain == "option" else []
    done = within(project, "run", "--approve-all", *options, PROMPT)
    assert f"Call: Write {project / 'test_sdk.txt'}" in done.stdout
    assert "●" not in done.stdout
    other = PROMPT.replace("test_sdk", "other")
    env = ["env", "TERM=dumb"] if plain == "terminal" else []
    terminal.start([*env, *PROGRAM, "run", *options, "--cwd", str(project), other])
    question = terminal.is_asked("other.txt")
    assert not {"─", "│", "●"} & set(question)
    terminal.presses("n")
    terminal.is_asked_why()
    terminal.types("no")
    terminal.sees_the_end()


def test_another_folder_and_another_configuration_are_used(project: Path, tmp_path: Path) -> None:
    (project / "a.txt").write_text("hello\n")
    config = tmp_path / "other.yaml"
    config.write_text(f"agent: {{auto_approve_read: false}}\nsandbox: {{paths: {{here: {{root: {project}}}}}}}\n")
    assert within(tmp_path, "run", "--cwd", str(project), "--strict", "Read a.txt").returncode == 0
    done = within(tmp_path, "run", "--cwd", str(project), "--config", str(config), "--strict", "Read a.txt")
    assert done.returncode == 3


@pytest.mark.parametrize("by", ["option", "file"])
def test_a_model_that_was_chosen_needs_its_key(by: str, project: Path) -> None:
    options = ["--model", "claude-sonnet-5-5"] if by == "option" else []
    if by == "file":
        (project / "assent.yaml").write_text("agent: {model: claude-sonnet-5-5}\n")
    done = within(project, "run", *options, "hi")
    assert done.returncode == 2
    assert "ANTHROPIC_API_KEY is not set" in done.stderr


def test_with_a_key_the_real_sdk_is_used(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project / "a.txt"
    script = Turn(Say("Writing."), Call("Write", {"file_path": str(file), "content": "x"})), Turn(Say("Done!"))
    with FakeAnthropic(*script) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        done = within(project, "run", "--approve-all", "Write it.")
    assert done.returncode == 0
    assert done.stderr.startswith("assent: mode approve-all: what would ask is approved, unseen. For trusted work only")
    assert file.read_text() == "x"
    assert done.stdout.splitlines()[-2:] == ["Done!", "20 tokens read, 10 written"]


def test_the_output_of_a_command_is_shown_line_by_line_and_not_twice(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "assent.yaml").write_text("shell: {default: {approval: false}}\n")
    many = "seq 1 300; printf 'no\\x1b[2J end'; exit 3"
    script = Turn(Call("Bash", {"command": many})), Turn(Say("Done!"))
    with FakeAnthropic(*script) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        done = within(project, "run", "--approve-all", "Count.")
    lines = done.stdout.splitlines()
    assert lines[1:202] == [*(f"  {number}" for number in range(1, 201)), "  … 101 more lines"]
    assert lines[202:] == ["  Exit code 3", "Done!", "20 tokens read, 10 written"]
    assert "\x1b" not in done.stdout


def test_a_run_that_fails_says_why(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "assent.yaml").write_text("agent: {attempts: 1}\n")
    with FakeAnthropic(Turn(Say("Hm\x1b[2J"), ErrorEvent())) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        done = within(project, "run", "--strict", "Hello")
    assert done.returncode == 1
    assert "overloaded_error" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_manual_test_at_a_terminal_approved(terminal: Tmux, project: Path) -> None:
    terminal.start([*PROGRAM, "run", "--cwd", str(project), PROMPT])
    question = terminal.is_asked("test_sdk.txt")
    assert "Hello from SDK mode!" in question
    terminal.presses("y")
    screen = terminal.sees_the_end()
    assert "exit code 0" in screen
    assert (project / "test_sdk.txt").read_text() == "Hello from SDK mode!"


def test_the_manual_test_at_a_terminal_rejected_with_feedback(terminal: Tmux, project: Path) -> None:
    terminal.start([*PROGRAM, "run", "--cwd", str(project), PROMPT])
    terminal.is_asked("test_sdk.txt")
    terminal.presses("n")
    terminal.is_asked_why()
    terminal.types("Use", "Space", "b.txt")
    terminal.is_asked("b.txt")
    terminal.presses("y")
    terminal.sees_the_end()
    assert not (project / "test_sdk.txt").exists()
    assert (project / "b.txt").read_text() == "Hello from SDK mode!"


def test_at_a_terminal_the_real_sdk_is_told_of_a_rejection_and_adapts(terminal: Tmux, project: Path) -> None:
    def write(name: str) -> Call:
        return Call("Write", {"file_path": str(project / name), "content": "Hello from SDK mode!"})

    turns = Turn(Say("I will."), write("test_sdk.txt")), Turn(Say("Then so."), write("b.txt")), Turn(Say("All done."))
    with FakeAnthropic(*turns) as server:
        terminal.start(
            [*PROGRAM, "run", "--cwd", str(project), PROMPT],
            environment={"ANTHROPIC_API_KEY": "a key", "ANTHROPIC_BASE_URL": server.url},
        )
        assert "Hello from SDK mode!" in terminal.is_asked("test_sdk.txt")
        terminal.presses("n")
        terminal.is_asked_why()
        terminal.types("Use", "Space", "b.txt")
        terminal.is_asked("b.txt")
        terminal.presses("y")
        screen = terminal.sees_the_end()
    assert "All done." in screen
    assert [each.name for each in project.iterdir()] == ["b.txt"]
    assert (project / "b.txt").read_text() == "Hello from SDK mode!"
    told = str(server.requests[1].body["messages"])
    assert "'User rejected: Use b.txt'" in told
    assert "'is_error': True" in told


def test_a_conversation_with_the_real_sdk_goes_on_in_another_process(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeAnthropic(Turn(Say("Noted: blue.")), Turn(Say("It was blue.")), Turn(Say("Who are you?"))) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        for options in ([], ["--continue"], []):
            assert within(project, "run", "--strict", *options, "The colour is blue.").returncode == 0
    said = [str(each.body["messages"]) for each in server.requests]
    assert ["Noted: blue." in each for each in said] == [False, True, False]
