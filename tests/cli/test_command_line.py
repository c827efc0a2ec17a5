from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.cli import main
from tests.cli.program import PROGRAM, assent

SRC = Path(__file__).resolve().parents[2] / "src"
HEAVY = {"asyncio", "dataclasses", "inspect", "json", "pydantic", "shutil", "sqlite3", "typing", "yaml"}


def test_help_teaches_every_command_and_two_examples() -> None:
    done = assent("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == snapshot("""\
usage: assent [-h] [--version] COMMAND ...

The approval gate for LLM agents: a policy allows, denies or asks; a person sees
exactly what would happen and answers once; what they approved is what runs.

commands:
  demo           a scripted agent meets a real gate, and you decide (2 minutes)
  check          what would become of a command or a tool call, and why
  policy test    a file of commands and the verdicts they must get, tried
  doctor         every way out of the OS sandbox on this machine, tried for real
  config show    the settings in force, each with the line it comes from
  config schema  the JSON Schema of assent.yaml, for editors

options:
  -h, --help  show this help message and exit
  --version   show program's version number and exit

examples:
  assent demo
  assent check -- 'git status && rm -rf build'
  assent config show --config assent.yaml

`assent COMMAND --help` says more about each, and what its exit codes mean.
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


@pytest.mark.parametrize(
    "command",
    [["demo"], ["check"], ["policy"], ["policy", "test"], ["config"], ["config", "show"], ["config", "schema"]],
)
def test_the_help_of_each_command_says_what_its_exit_codes_mean(command: list[str]) -> None:
    done = assent(*command, "--help")
    assert done.returncode == 0
    assert "exit codes:\n  0 " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_version_is_the_installed_one() -> None:
    assert assent("--version").stdout == f"assent {version('assent')}\n"


def test_the_console_script_is_this_program() -> None:
    (script,) = entry_points(group="console_scripts", name="assent")
    assert script.load() is main


@pytest.mark.parametrize("arguments", [["frobnicate"], ["demo", "--approve"], ["demo", "--strict", "--approve-all"]])
def test_a_wrong_command_line_is_an_error_that_says_so(arguments: list[str]) -> None:
    done = assent(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert ": error: " in done.stderr


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
