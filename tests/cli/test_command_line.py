from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.cli import COMMANDS, main, parser_of
from tests.cli.program import PROGRAM, assent
from tests.cli.within import within

SRC = Path(__file__).resolve().parents[2] / "src"
HEAVY = {"argparse", "asyncio", "dataclasses", "inspect", "json", "pydantic", "shutil", "sqlite3", "typing", "yaml"}


def parsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    """The parser, and those of the commands below it."""
    yield parser
    for action in parser._actions:  # argparse shows them nowhere else
        if isinstance(action, _SubParsersAction):
            for below in dict.fromkeys(action.choices.values()):
                yield from parsers(below)


def examples(parser: ArgumentParser) -> list[str]:
    """The lines a user may type, from the help."""
    _, _, behind = (parser.epilog or "").partition("examples:\n")
    return [line.strip() for line in behind.partition("\n\n")[0].splitlines()]


def test_help_teaches_every_command() -> None:
    done = assent("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == snapshot("""\
usage: assent [-h] [--version] COMMAND ...

The approval gate for LLM agents: a policy allows, denies or asks; a person sees
exactly what would happen and answers once; what they approved is what runs.

commands:
  demo        a scripted agent meets a real gate, and you decide (2 minutes)
  init        writes a commented assent.yaml: three questions, or none
  check       what would become of a command or a tool call, and why
  policy      the rules tried: on a file of cases, or on what was asked
  run         an agent works on a prompt here, and you decide what it may do
  serve       the inbox and an agent in your browser; on this machine only
  inbox       what waits for an answer in any run; answer it here
  runs        the runs on record; cancel one, or let it go on
  grants      what is remembered: list it, add to it, revoke it
  log         the journal: who was asked what, and what became of it
  config      the settings in force, and the JSON Schema of assent.yaml
  doctor      every way out of the OS sandbox here, tried for real
  completion  completes commands and options in your shell

options:
  -h, --help  show this help message and exit
  --version   show program's version number and exit

examples:
  assent demo
  assent check -- 'git status && rm -rf build'
  assent inbox

exit codes of every command:
  0    fine
  1    it failed, or what was looked at is not as it should be
  2    the command line or the configuration is wrong; the message says where
  3    denied, or it would have asked and there was nobody to ask
  129  the terminal was closed (SIGHUP); nothing more was approved
  130  interrupted with Ctrl-C; nothing more was approved
  141  whoever read the output has read enough
  143  ended with SIGTERM; nothing more was approved

`assent COMMAND --help` says more about each, with examples.
""")


def test_help_loads_nothing_heavy_and_nothing_else_of_ours() -> None:
    # Isolated and without site: what other packages load at start-up would hide what we load.
    code = "import sys; sys.path.insert(0, sys.argv[1]); from assent.cli import main; code = main(['--help'])"
    listing = "print(code, *sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"{code}; {listing}", str(SRC)],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    code, *loaded = done.stderr.split()
    assert code == "0"
    assert set(loaded) & HEAVY == set()
    assert {name for name in loaded if name.partition(".")[0] == "assent"} == {"assent", "assent.cli"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_has_examples_and_exit_codes_and_fits(name: str) -> None:
    for parser in parsers(parser_of(name)):
        text = parser.format_help()
        assert examples(parser), parser.prog
        assert "exit codes:\n  0 " in text, parser.prog
        assert max(map(len, text.splitlines())) <= 80, parser.prog


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_in_the_help_can_be_typed(name: str) -> None:
    lines = dict.fromkeys(line for parser in parsers(parser_of(name)) for line in examples(parser))
    for line in lines:
        typed = re.fullmatch(r"(?:source <\()?assent (.+?)(?: > \S+|\))?", line)
        assert typed, line
        words = shlex.split(typed[1])
        assert words[0] == name, line
        assert callable(parser_of(name).parse_args(words[1:]).command), line


def test_the_help_of_a_command_is_for_it_alone() -> None:
    done = assent("runs", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: assent runs [-h]")


def test_the_version_is_the_installed_one() -> None:
    assert assent("--version").stdout == f"assent {version('assent')}\n"


def test_the_console_script_is_this_program() -> None:
    (script,) = entry_points(group="console_scripts", name="assent")
    assert script.load() is main


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["--frobnicate"],
        ["demo", "--approve"],
        ["demo", "--strict", "--approve-all"],
        ["inbox", "--too", "x"],
        ["log", "--fol"],
        ["runs", "stop", "x"],
        ["grants", "add", "write_file"],
    ],
)
def test_a_wrong_command_line_is_an_error_that_says_so(arguments: list[str]) -> None:
    done = assent(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert ": error: " in done.stderr


def test_a_mistyped_command_is_answered_with_the_nearest_one() -> None:
    assert "did you mean inbox?" in assent("inbx").stderr
    assert "the commands are demo, init, check" in assent("frob\x1b[2J").stderr
    assert "\x1b" not in assent("frob\x1b[2J").stderr


@pytest.mark.parametrize("arguments", [["runs", "cancel", "a", "--b\x1b[2J"], ["log", "--since", "\x1b]0;x\x07"]])
def test_a_complaint_about_the_command_line_quotes_nothing_raw(tmp_path: Path, arguments: list[str]) -> None:
    done = within(tmp_path, *arguments)
    assert done.returncode == 2
    assert not {"\x1b", "\x07"} & set(done.stderr)
    assert re.search(r"⟨U\+001B⟩|\\x1b", done.stderr)


@pytest.mark.parametrize("arguments", [[], ["config"], ["policy"]])
def test_without_a_command_the_commands_are_shown(arguments: list[str]) -> None:
    done = assent(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "commands:\n" in done.stderr


def test_config_show_prints_the_settings_and_where_they_come_from(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("approvals:\n  timeout: 20\n")
    done = assent("config", "show", "--config", "other.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "timeout: 20.0  # other.yaml:2" in done.stdout


def test_config_show_finds_the_nearest_file_by_itself(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text("approvals:\n  mode: strict\n")
    (tmp_path / "deep").mkdir()
    done = assent("config", "show", cwd=tmp_path / "deep")
    assert "mode: strict  # assent.yaml:2" in done.stdout


def test_config_schema_prints_a_json_schema() -> None:
    done = assent("config", "schema")
    assert done.returncode == 0
    assert json.loads(done.stdout)["title"] == "assent.yaml"


def test_a_wrong_configuration_is_one_message_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text('"approv\\u202eals": 1\n', encoding="utf-8")
    done = assent("config", "show", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assent: ")
    assert "assent.yaml:1:1" in done.stderr
    assert "Traceback" not in done.stderr
    assert "\u202e" not in done.stderr


@pytest.mark.parametrize("command", [["inbox"], ["runs"], ["grants"], ["log"], ["log", "verify"]])
def test_a_record_that_cannot_be_used_is_one_message_and_no_traceback(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "assent.yaml").write_text("store: folder\n")
    (tmp_path / "folder").mkdir()
    done = within(tmp_path, *command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("assent: the record cannot be used: cannot open ")
    assert "`assent config show` says which file it is" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["inbox"], ["runs"], ["grants"], ["log", "verify"], ["runs", "cancel", "x"]])
@pytest.mark.parametrize("above", [True, False], ids=["above", "below"])
def test_the_configuration_may_be_named_at_any_place(tmp_path: Path, command: list[str], above: bool) -> None:  # noqa: FBT001 (a column)
    (tmp_path / "wrong.yaml").write_text("frobnicate: 1\n")
    words = [command[0], "--config", "wrong.yaml", *command[1:]] if above else [*command, "--config", "wrong.yaml"]
    done = within(tmp_path, *words)
    assert done.returncode == 2
    assert "wrong.yaml:1:1" in done.stderr


@pytest.mark.parametrize("command", [["config", "show"], ["doctor"], ["check", "ls"]])
def test_an_example_of_a_rule_that_fails_is_an_error_with_file_and_line(tmp_path: Path, command: list[str]) -> None:
    file = tmp_path / "assent.yaml"
    file.write_text("shell:\n  rules:\n    - pattern: git status\n      match: [git log]\n")
    done = assent(*command, "--config", str(file))
    assert done.returncode == 2
    assert f"{file}:4: shell.rules.0.match: the rule does not match 'git log'" in done.stderr


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    with subprocess.Popen(
        [*PROGRAM, "config", "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait(timeout=60) == 141
