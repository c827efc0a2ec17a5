"""A first configuration: three questions or none, and a file that explains itself."""

from __future__ import annotations

import itertools
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.config import Settings, load_settings, read_settings
from assent.tools.shell import check_rules
from tests.cli.program import PROGRAM
from tests.cli.within import Done, within

FOLDERS = [".", "notes", "../beside", "~/elsewhere", "with space: #1", "naïve-ß", "null", "-dash", "1.5"]
COMMANDS = ["read-only", "ask", "no"]
STORES = [None, "../state/a.db", "~/state dir/a: b.db"]
NEEDED = ("approvals", "store", "sandbox", "shell")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a home of its own."""
    home = tmp_path / "home"
    project = home / "project"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return project


def made(folder: Path, *arguments: str) -> Settings:
    """The settings of the file that is written without a question."""
    done = within(folder, "init", "--yes", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    settings = read_settings(folder / "assent.yaml")
    check_rules(settings)
    return settings


def typed(folder: Path, text: str, *arguments: str) -> Done:
    """Run it at a terminal, where this is typed; the standard output is a pipe."""
    terminal, inside = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "init", *arguments], stdin=inside, stderr=inside, stdout=subprocess.PIPE, cwd=folder, text=True
    ) as running:
        os.close(inside)
        # And nothing more: who asks once more than expected is not waited for.
        os.write(terminal, f"{text}\x04".encode())
        assert running.stdout is not None
        said = running.stdout.read()
        seen = b""
        while True:
            try:
                chunk = os.read(terminal, 65536)
            except OSError:  # the program ended, and its terminal with it
                break
            seen += chunk
        running.wait(timeout=60)
    os.close(terminal)
    return Done(returncode=running.returncode, stdout=said, stderr=seen.decode().replace("\r", ""))


# What is written


@pytest.mark.parametrize("root", FOLDERS)
@pytest.mark.parametrize("is_project", [False, True])
def test_what_is_written_is_valid_and_says_what_was_wanted(root: str, is_project: bool, folder: Path) -> None:  # noqa: FBT001
    place = Path(os.path.expanduser(root)) if root.startswith("~") else folder / root  # noqa: PTH111
    place.mkdir(exist_ok=True)
    if is_project:
        (place / ".git").mkdir()
        for name in ("pyproject.toml", "Cargo.toml", "package.json", "go.mod"):
            (place / name).touch()
        (folder.parent / ".cargo" / "bin").mkdir(parents=True)
    for commands, store in itertools.product(COMMANDS, STORES):
        (folder / "assent.yaml").unlink(missing_ok=True)
        stored = [] if store is None else ["--store", store]
        settings = made(folder, f"--folder={root}", "--commands", commands, *stored)
        (path,) = settings.sandbox.paths.values()
        assert (path.root, path.mode) == (place.resolve(), "rw")
        assert settings.shell.preset == ("read-only" if commands == "read-only" else "none")
        assert settings.shell.default.allowed is (commands != "no")
        home = str(folder.parent)
        wanted = f"{home}/.local/state/assent/assent.db" if store is None else str(folder / store.replace("~", home))
        assert settings.store == Path(os.path.normpath(wanted))


def test_config_show_agrees_with_every_value_of_the_file(folder: Path) -> None:
    (folder / ".git").mkdir()
    made(folder)
    shown = within(folder, "config", "show").stdout
    keys = re.findall(r"^ *(?:- )?([\w-]+): \S", (folder / "assent.yaml").read_text(), re.MULTILINE)
    assert len(re.findall(r"# assent\.yaml:\d+$", shown, re.MULTILINE)) == len(keys)
    assert "root: " + str(folder) in shown


@pytest.mark.parametrize("commands", COMMANDS)
def test_each_key_stands_below_a_line_that_explains_it(commands: str, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / "Cargo.toml").touch()
    (folder.parent / ".cargo" / "bin").mkdir(parents=True)
    made(folder, "--commands", commands)
    lines = (folder / "assent.yaml").read_text().splitlines()
    keys = [number for number, line in enumerate(lines) if re.match(r" *(?:- )?[\w-]+:", line)]
    assert {lines[number].split(":")[0] for number in keys} >= set(NEEDED)
    for number in keys:
        indent = re.match(r" *", lines[number])
        assert indent
        assert re.match(rf" {{{len(indent[0])},}}# \S", lines[number - 1]), lines[number]
    assert max(map(len, lines)) <= 110


def test_the_whole_file_reads_so(folder: Path) -> None:
    (folder / "pyproject.toml").touch()
    made(folder)
    assert (folder / "assent.yaml").read_text() == snapshot("""\
# What an agent may do here, and when a person is asked. Written by `assent init`.
# `assent config show` prints what is in force, `assent config schema` helps an editor.
#
# This file lies in a folder that the agent may write. So it is masked: every tool refuses to
# touch it, and the OS sandbox shows it to commands read-only.
#
# Remembered answers (grants) and the journal are not kept here but in the record:
#   ~/.local/state/assent/assent.db
# `assent grants` lists and revokes them, `assent log` shows the journal.

# Who is asked, and for how long.
approvals:
  # interactive asks a person; approve_all approves what would ask; strict denies it.
  mode: interactive
  # Seconds a question waits while the agent waits; then the call is refused. null waits on.
  timeout: 300

# The record, one SQLite file; it must lie where the agent cannot write. null: in your state directory.
store: null

# The only places that the tools reach.
sandbox:
  # true refuses to run without the full OS sandbox; `assent doctor` says what holds here.
  require_os_sandbox: false
  # Folders by name; the model writes project/relative/path.
  paths:
    # One folder, and what asks in it.
    project:
      # Where it is; relative to this file, ~ is the home folder.
      root: .
      # rw may be read and written, ro only read.
      mode: rw
      # Whether reading, listing and searching ask first.
      read_approval: false
      # Whether writing a whole file asks first.
      write_approval: true
      # Whether changing a part of a file asks first.
      edit_approval: true
      # Whether deleting a file or moving it away asks first.
      delete_approval: true
      # To let the tools touch only some files, by the end of their names:
      # suffixes: [.md, .py, .toml]

# Commands; `assent check -- COMMAND` explains what becomes of one.
shell:
  # read-only lets commands that neither write nor run anything start at once; none lets none.
  preset: read-only
  # What becomes of a command that no rule names.
  default:
    # Whether it may run at all; false denies it, whatever a person would say.
    allowed: true
    # Whether it asks first.
    approval: true
  # Whether commands may use the network.
  network: false
""")


def test_it_says_that_the_file_is_masked_where_the_agent_could_write_it(folder: Path) -> None:
    (folder / "notes").mkdir()
    settings = made(folder)
    assert "So it is masked" in (folder / "assent.yaml").read_text()
    assert settings.is_masked(folder / "assent.yaml")
    (folder / "assent.yaml").unlink()
    made(folder, "--folder", "notes")
    assert "lies outside every folder" in (folder / "assent.yaml").read_text()


def test_toolchains_are_those_that_exist_for_a_language_that_is_used(folder: Path) -> None:
    for name in (".cargo/bin", ".nvm/versions"):
        (folder.parent / name).mkdir(parents=True)
    (folder / "Cargo.toml").touch()
    assert made(folder).shell.toolchains == (folder.parent / ".cargo" / "bin",)


def test_what_is_written_decides_as_it_says(folder: Path) -> None:
    made(folder)
    assert within(folder, "check", "--", "git status").returncode == 0
    assert within(folder, "check", "--", "touch a").returncode == 3
    touch = '{"path": "project/assent.yaml", "content": ""}'
    assert "path_not_writable" in within(folder, "check", "--tool", "write_file", "--args", touch).stdout


def test_it_says_what_to_do_next(folder: Path) -> None:
    done = within(folder, "init")
    assert done.returncode == 0
    assert done.stdout.replace(str(folder), "FOLDER") == snapshot("""\
Wrote FOLDER/assent.yaml
Next:
  assent check -- git status   what would become of a command, and why
  assent doctor                what the OS sandbox holds on this machine
  assent config show           the settings in force
""")


def test_it_says_which_configuration_it_takes_the_place_of(folder: Path) -> None:
    (folder.parent / "assent.yaml").write_text("approvals: {mode: strict}\n")
    assert f"From here on it is used instead of {folder.parent}/assent.yaml." in within(folder, "init").stdout


@pytest.mark.parametrize("command", ["init", "completion", "policy", "policy test"])
def test_the_help_fits_a_screen_and_shows_examples(command: str, folder: Path) -> None:
    said = within(folder, *command.split(), "--help").stdout
    assert max(map(len, said.splitlines())) <= 80
    assert "\nexamples:\n  " in said
    assert "\nexit codes:\n  0  " in said


# Where nothing is written


@pytest.mark.parametrize("option", ["--stdout", "--dry-run"])
def test_it_can_be_printed_instead(option: str, folder: Path) -> None:
    printed = within(folder, "init", option)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert list(folder.iterdir()) == []
    made(folder)
    assert (folder / "assent.yaml").read_text() == printed.stdout


@pytest.mark.parametrize("link", [False, True])
def test_a_file_that_is_there_stays(link: bool, folder: Path) -> None:  # noqa: FBT001
    file = folder / "assent.yaml"
    if link:
        file.symlink_to("nowhere")
    else:
        file.write_text("approvals: {mode: strict}\n")
    done = within(folder, "init", "--yes")
    assert (done.returncode, done.stdout) == (1, "")
    assert "is there already, so nothing was written" in done.stderr
    assert "--force" in done.stderr
    assert not (folder / "nowhere").exists()
    if not link:
        assert file.read_text() == "approvals: {mode: strict}\n"


def test_a_place_where_nothing_can_be_written_is_one_message() -> None:
    done = within(Path("/proc"), "init", "--yes", "--folder", "/usr")
    assert (done.returncode, done.stdout) == (1, "")
    assert "/proc/assent.yaml cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--folder", "nowhere"], "nowhere is no folder; name one that exists"),
        (["--store", "record.db"], "where an agent could rewrite its own approvals"),
        (["--store", ".."], "is a folder; name a file for the record"),
        (["--folder", ".."], "where an agent could rewrite its own approvals"),
        (["--store", "a\nb"], "holds what cannot be printed"),
        (["--commands", "yes"], "invalid choice: 'yes'"),
    ],
)
def test_what_does_not_go_together_is_an_error_that_says_what_would(
    arguments: list[str], said: str, folder: Path
) -> None:
    done = within(folder, "init", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert list(folder.iterdir()) == []


# Replacing


def test_force_shows_the_difference_before_it_replaces(folder: Path) -> None:
    file = folder / "assent.yaml"
    file.write_text("approvals:\n  mode: strict\n\x1b[2J")
    file.chmod(0o600)
    done = within(folder, "init", "--yes", "--force")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n-  mode: strict\n" in done.stdout
    assert "\n+  mode: interactive\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert load_settings(file).approvals.mode == "interactive"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in folder.iterdir()] == ["assent.yaml"]


def test_force_replaces_what_a_link_leads_to_once_it_was_named(folder: Path) -> None:
    (folder / "real.yaml").write_text("approvals: {mode: strict}\n")
    (folder / "assent.yaml").symlink_to("real.yaml")
    done = typed(folder, "\n\n\ny\n", "--force")
    assert done.returncode == 0
    assert f"Replace {folder / 'real.yaml'}, to which {folder / 'assent.yaml'} is a link? [y/N]" in done.stderr
    assert f"Wrote {folder / 'real.yaml'}, to which" in done.stdout
    assert (folder / "assent.yaml").is_symlink()
    assert load_settings(folder / "real.yaml").approvals.mode == "interactive"


def test_force_follows_no_link_unasked(folder: Path) -> None:
    (folder / "victim").write_text("approvals: {mode: strict}\n")
    (folder / "assent.yaml").symlink_to("victim")
    done = within(folder, "init", "--yes", "--force")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"is a link to {folder / 'victim'}, which is not replaced unasked" in done.stderr
    assert (folder / "victim").read_text() == "approvals: {mode: strict}\n"


def test_force_replaces_no_folder(folder: Path) -> None:
    (folder / "assent.yaml").mkdir()
    done = within(folder, "init", "--yes", "--force")
    assert done.returncode == 1
    assert "is no file that could be replaced" in done.stderr


def test_without_a_terminal_force_needs_a_yes(folder: Path) -> None:
    (folder / "assent.yaml").write_text("approvals: {mode: strict}\n")
    done = within(folder, "init", "--force")
    assert done.returncode == 1
    assert "add --yes" in done.stderr
    assert load_settings(folder / "assent.yaml").approvals.mode == "strict"


@pytest.mark.parametrize(("answer", "mode"), [("", "strict"), ("n", "strict"), ("y", "interactive")])
def test_at_a_terminal_force_asks_and_enter_is_no(answer: str, mode: str, folder: Path) -> None:
    (folder / "assent.yaml").write_text("approvals: {mode: strict}\n")
    done = typed(folder, f"\n\n\n{answer}\n", "--force")
    assert done.returncode == (0 if mode == "interactive" else 1)
    assert "-approvals: {mode: strict}" in done.stdout
    assert load_settings(folder / "assent.yaml").approvals.mode == mode


# The questions


def test_three_questions_are_asked_at_a_terminal(folder: Path) -> None:
    (folder / "notes").mkdir()
    done = typed(folder, "notes\nask\n../kept.db\n")
    assert done.returncode == 0
    assert re.findall(r"(\d)\. [A-Z]", done.stderr) == ["1", "2", "3"]
    settings = read_settings(folder / "assent.yaml")
    assert list(settings.sandbox.paths) == ["notes"]
    assert (settings.shell.preset, settings.shell.default.allowed) == ("none", True)
    assert settings.store == folder.parent / "kept.db"


def test_enter_takes_what_is_in_brackets(folder: Path) -> None:
    asked = typed(folder, "\n\n\n", "--stdout")
    assert asked.stdout == within(folder, "init", "--stdout").stdout


def test_an_answer_that_will_not_do_is_asked_for_again_with_the_reason(folder: Path) -> None:
    done = typed(folder, "nowhere\n.\nperhaps\nno\nhere.db\n../kept.db\n")
    assert done.returncode == 0
    assert "nowhere is no folder; name one that exists" in done.stderr
    assert "'perhaps' is none of them; write read-only, ask or no" in done.stderr
    assert "where an agent could rewrite its own approvals" in done.stderr
    assert read_settings(folder / "assent.yaml").store == folder.parent / "kept.db"


def test_what_is_given_is_not_asked(folder: Path) -> None:
    done = typed(folder, "", "--folder", ".", "--commands", "no", "--store", "../kept.db")
    assert done.returncode == 0
    assert "question" not in done.stderr
    assert not re.search(r"\d\. [A-Z]", done.stderr)


def test_the_end_of_the_input_writes_nothing(folder: Path) -> None:
    done = typed(folder, ".\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was written" in done.stderr
    assert list(folder.iterdir()) == []
