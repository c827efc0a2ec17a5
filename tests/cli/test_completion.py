"""Completion in a shell: made from the commands as they are."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.cli import COMMANDS, parser_of
from assent.cli.completion._scripts import SCRIPTS
from assent.cli.completion._tree import Node, Option
from tests.cli.within import within

ASK = """
source /dev/stdin <<< "$1"; cd "$2"; shift 2
complete -p assent
COMP_WORDS=(assent "$@"); COMP_CWORD=$#
_assent 2>&1
printf '%s\\n' "${COMPREPLY[@]}"
"""


@cache
def script(shell: str) -> str:
    done = within(Path.cwd(), "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def offered(folder: Path, *words: str) -> set[str]:
    """What a real bash offers for the last of these words."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", ASK, "bash", script("bash"), str(folder), *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    registered, *lines = done.stdout.splitlines()
    assert registered == "complete -F _assent assent"
    assert done.stderr == ""
    return set(filter(None, lines))


def test_bash_offers_every_command(tmp_path: Path) -> None:
    assert offered(tmp_path, "") == {*COMMANDS, "-h", "--help", "--version"}
    assert offered(tmp_path, "co") == {"config", "completion"}


def test_bash_offers_the_commands_below_and_their_options(tmp_path: Path) -> None:
    assert offered(tmp_path, "config", "s") == {"show", "schema"}
    assert offered(tmp_path, "policy", "test", "--re") == {"--replay"}
    assert offered(tmp_path, "policy", "--re") == set()
    assert offered(tmp_path, "demo", "--") >= {"--strict", "--approve-all"}


def test_bash_offers_the_words_a_value_may_be(tmp_path: Path) -> None:
    assert offered(tmp_path, "init", "--commands", "") == {"read-only", "ask", "no"}
    assert offered(tmp_path, "init", "--commands", "=") == {"read-only", "ask", "no"}
    assert offered(tmp_path, "init", "--commands", "=", "a") == {"ask"}
    assert offered(tmp_path, "completion", "z") == {"zsh"}
    assert offered(tmp_path, "log", "--kind", "re") == {"refused", "rejected", "remembered", "responded", "revoked"}
    assert offered(tmp_path, "check", "--args", "") == set()


def test_bash_offers_files_and_folders_with_any_name(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a * file.yaml").touch()
    assert offered(tmp_path, "check", "--config", "a") == {"a folder", "a * file.yaml"}
    assert offered(tmp_path, "check", "--cwd", "a") == {"a folder"}
    assert offered(tmp_path, "policy", "test", "a") == {"a folder", "a * file.yaml"}


def test_bash_offers_nothing_of_ours_in_the_command_to_check(tmp_path: Path) -> None:
    assert offered(tmp_path, "check", "--", "") == set()
    assert offered(tmp_path, "check", "--", "git", "--") == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_every_option_of_its_help_is_in_the_script(shell: str) -> None:
    text = script(shell)
    for name in COMMANDS:
        assert re.search(rf"\b{name}\b", text)
        for option in set(re.findall(r"^  (?:-\w, )?--([\w-]+)", parser_of(name).format_help(), re.MULTILINE)):
            assert re.search(rf"(?:-l |--){option}\b", text), f"{name} --{option}"


@pytest.mark.parametrize("shell", [each for each in ("bash", "zsh", "fish") if shutil.which(each)])
def test_the_shell_can_read_the_script(shell: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(script(shell))
    done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


NODES = [
    Node(path=("assent",), commands={"log": "the journal: all of it"}, options=()),
    Node(
        path=("assent", "log"),
        commands={"verify": "whether it's whole"},
        options=(
            Option(flags=("-h", "--help"), about="help", value="none"),
            Option(flags=("--config",), about="this file", value="file"),
            Option(flags=("--kind",), about="of this kind", value="word", words=("asked", "denied")),
        ),
    ),
    Node(path=("assent", "log", "verify"), commands={}, options=(Option(flags=(), about="the file", value="file"),)),
]


def test_zsh_gets_a_function_that_describes_each_word() -> None:
    assert SCRIPTS["zsh"](NODES).partition("    case")[2] == snapshot("""\
 "$here $word" in
            ("assent log"|"assent log verify") here="$here $word" ;;
        esac
    done
    case "$here ${words[CURRENT-1]}" in
        ("assent log --config") _files; return ;;
        ("assent log --kind") compadd -- asked denied; return ;;
    esac
    case "$here" in
        ("assent")
            offered=('log:the journal: all of it')
            flags=()
            ;;
        ("assent log")
            offered=('verify:whether it'\\''s whole')
            flags=('-h:help' '--help:help' '--config:this file' '--kind:of this kind')
            ;;
        ("assent log verify")
            flags=()
            _files
            ;;
    esac
    (( $#offered )) && _describe command offered
    (( $#flags )) && _describe -o option flags
}
if [[ $funcstack[1] == _assent ]]; then
    _assent "$@"
else
    compdef _assent assent
fi
""")


def test_fish_gets_a_line_for_each_word() -> None:
    assert SCRIPTS["fish"](NODES) == snapshot("""\
# fish completion of assent, made by `assent completion fish`
complete -c assent -f
complete -c assent -n '__fish_use_subcommand' -a log -d 'the journal: all of it'
complete -c assent -n '__fish_seen_subcommand_from log; and not __fish_seen_subcommand_from verify' -a verify -d 'whether it\\'s whole'
complete -c assent -n '__fish_seen_subcommand_from log' -s h -l help -d 'help'
complete -c assent -n '__fish_seen_subcommand_from log' -l config -r -F -d 'this file'
complete -c assent -n '__fish_seen_subcommand_from log' -l kind -x -a 'asked denied' -d 'of this kind'
complete -c assent -n '__fish_seen_subcommand_from log; and __fish_seen_subcommand_from verify' -F
""")


def test_quotes_in_what_is_said_end_no_string() -> None:
    assert "the tool'\\''s arguments" in script("zsh")
    assert "the tool\\'s arguments" in script("fish")
    quoted = script("zsh").replace("'\\''", "")
    assert all(line.count("'") % 2 == 0 for line in quoted.splitlines())
    assert all(line.replace("\\'", "").count("'") % 2 == 0 for line in script("fish").splitlines())


def test_commands_below_come_with_what_they_are_for() -> None:
    assert "'show:the settings in force, each with the line it comes from'" in script("zsh")
    assert "-a show -d 'the settings in force, each with the line it comes from'" in script("fish")


@pytest.mark.parametrize("arguments", [[], ["powershell"]])
def test_another_shell_is_an_error_that_names_those_there_are(arguments: list[str], tmp_path: Path) -> None:
    done = within(tmp_path, "completion", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "shell" in done.stderr
    assert "zsh" in done.stderr


def test_the_help_says_how_to_install_it(tmp_path: Path) -> None:
    said = within(tmp_path, "completion", "--help").stdout
    for line in ("source <(assent completion bash)", "~/.zfunc/_assent", "~/.config/fish/completions/assent.fish"):
        assert line in said
