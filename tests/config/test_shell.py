from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.config import (
    Sandbox,
    SandboxPath,
    Settings,
    Shell,
    ShellDefault,
    ShellRule,
    read_settings,
    show,
)
from assent.errors import ConfigError
from tests.config.conftest import Complain, Write

SPEC = """\
sandbox:
  paths:
    output: {root: output, mode: rw}
shell:
  default:
    allowed: true
    approval: true  # Unknown commands need approval
  rules:
    - pattern: "git status"
      approval: false  # Safe, read-only
    - pattern: "git add"
      approval: true
      description: "Stage files for commit"
    - pattern: "rm"
      allowed: false  # Never allow rm
    - pattern: "pytest"
      approval: false
      sandbox_paths: [output]  # Only if paths are in sandbox
"""


def test_the_rules_of_the_file_are_read(write: Write) -> None:
    assert read_settings(write(SPEC)).shell == Shell(
        default=ShellDefault(allowed=True, approval=True),
        rules=(
            ShellRule(pattern=("git", "status"), approval=False),
            ShellRule(pattern=("git", "add"), description="Stage files for commit"),
            ShellRule(pattern=("rm",), allowed=False),
            ShellRule(pattern=("pytest",), approval=False, sandbox_paths=("output",)),
        ),
    )


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("git status", ("git", "status")),
        ("[git, status]", ("git", "status")),
        ("'  git   log  '", ("git", "log")),
        ("\"git commit -m 'a b'\"", ("git", "commit", "-m", "a b")),
        ("[git commit]", ("git commit",)),
    ],
)
def test_a_pattern_is_a_list_of_words_or_text_that_is_split(write: Write, pattern: str, words: tuple[str, ...]) -> None:
    settings = read_settings(write(f"shell: {{rules: [{{pattern: {pattern}}}]}}"))
    assert settings.shell.rules[0].pattern == words


USELESS = [
    "rm # never",
    "# rm",
    "git {push,pull}",
    "git [p]ush",
    "git push{,-all}",
    "git {push, pull}",
    "rm f{1..9}",
    "rm [[:alpha:]]",
    "{ rm",
    "! rm",
    "!rm",
    r"git \\\npush",
    r"rm\nmv",
    r"rm \"$x\"",
    r"rm \"a\\$b\"",
]
UNSEEN = [r"rm\u00a0-rf", r"rm\u200b", r"\u202erm", r"rm\a", r"rm '\u2003'", r"rm\r"]


@pytest.mark.parametrize("pattern", USELESS)
def test_a_pattern_that_a_shell_reads_as_more_than_words_is_refused(complain: Complain, pattern: str) -> None:
    """It would match nothing, and a rule that denies would be relied on."""
    said = complain(f'shell: {{rules: [{{allowed: false, pattern: "{pattern}"}}]}}')
    assert "a pattern is the first words of one command" in said


@pytest.mark.parametrize("pattern", UNSEEN)
@pytest.mark.parametrize("form", ['"{}"', '[git, "{}"]'])
def test_a_pattern_has_nothing_in_it_that_nobody_sees(complain: Complain, form: str, pattern: str) -> None:
    said = complain(f"shell: {{rules: [{{allowed: false, pattern: {form.format(pattern)}}}]}}")
    assert "which nobody sees in a command" in said


def test_several_commands_are_no_pattern(complain: Complain) -> None:
    assert complain("shell:\n  rules:\n    - pattern: |\n        rm\n        mv\n      allowed: false\n") == snapshot(
        "/project/assent.yaml:3:16: shell.rules.0.pattern is 'rm\\nmv\\n', which holds '\\n'; a pattern is the first words of one command, and matches whatever follows them: leave it out, write a rule for each command, or, to mean the character itself, quote it for the shell too: \"git '*'\""
    )


def test_a_star_says_that_it_is_not_needed_and_how_to_mean_one(complain: Complain) -> None:
    assert complain('shell: {rules: [{pattern: "git *"}]}') == snapshot(
        "/project/assent.yaml:1:27: shell.rules.0.pattern is 'git *', which holds '*'; a pattern is the first words of one command, and matches whatever follows them: leave it out, write a rule for each command, or, to mean the character itself, quote it for the shell too: \"git '*'\""
    )


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("git diff HEAD~1..", ("git", "diff", "HEAD~1..")),
        ("|\n   git status\n", ("git", "status")),
        ("git stash drop stash@{0}", ("git", "stash", "drop", "stash@{0}")),
        ("git log HEAD@{2}..HEAD@{1}", ("git", "log", "HEAD@{2}..HEAD@{1}")),
        ("find . -exec ls {}", ("find", ".", "-exec", "ls", "{}")),
        ("\"git '{push,pull}'\"", ("git", "{push,pull}")),
        ("\"git '*'\"", ("git", "*")),
        ("find . ! -name x", ("find", ".", "!", "-name", "x")),
        ("curl -d a#b", ("curl", "-d", "a#b")),
        ("echo \\#x", ("echo", "#x")),
        ("\"git commit -m 'a\\nb'\"", ("git", "commit", "-m", "a\nb")),
        ("'[ -f x ]'", ("[", "-f", "x", "]")),
        ("ünï cødé", ("ünï", "cødé")),
    ],
)
def test_what_a_shell_takes_as_it_is_is_a_word(write: Write, pattern: str, words: tuple[str, ...]) -> None:
    rule = read_settings(write(f"shell:\n rules:\n -\n  approval: false\n  pattern: {pattern}\n")).shell.rules[0]
    assert rule.pattern == words


def test_a_rule_allows_to_be_asked_unless_it_says_otherwise(write: Write) -> None:
    rule = read_settings(write("shell: {rules: [{pattern: x}]}")).shell.rules[0]
    assert (rule.allowed, rule.approval) == (True, True)


def test_a_wrong_rule_is_named_with_its_line(complain: Complain) -> None:
    text = """\
shell:
  rules:
    - pattern: "git 'status"
    - pattern: []
    - approval: false
    - {pattern: x, aproval: false}
    - {pattern: x, approval: maybe}
    - {pattern: x, match: x}
    - x
  preset: wild
"""
    assert complain(text) == snapshot("""\
/project/assent.yaml:3:16: shell.rules.0.pattern is "git 'status", which cannot be split into words: No closing quotation; close the quotes, or write a list
/project/assent.yaml:4:16: shell.rules.1.pattern is []; allowed: the words of a command, as a list of texts or as one text such as git status
/project/assent.yaml:5:7: shell.rules.2.pattern is missing; allowed here: allowed, approval, description, match, not_match, pattern, sandbox_paths
/project/assent.yaml:6:20: unknown key 'aproval'; did you mean 'approval'? allowed here: allowed, approval, description, match, not_match, pattern, sandbox_paths
/project/assent.yaml:7:30: shell.rules.4.approval is 'maybe'; allowed: true or false
/project/assent.yaml:8:27: shell.rules.5.match is 'x'; allowed: a list of texts
/project/assent.yaml:9:7: shell.rules.6 is 'x'; allowed: a mapping with the keys allowed, approval, description, match, not_match, pattern, sandbox_paths
/project/assent.yaml:10:11: shell.preset is 'wild'; allowed: 'none' or 'read-only'\
""")


def test_a_rule_cannot_name_a_path_that_is_not_there(complain: Complain) -> None:
    text = """\
sandbox: {paths: {work: {root: .}}}
shell:
  rules:
    - pattern: pytest
      sandbox_paths: [work, output]
"""
    assert complain(text) == snapshot(
        "/project/assent.yaml:5:22: shell.rules.0.sandbox_paths names 'output', which is not under sandbox.paths; there: work"
    )


def test_settings_made_by_hand_cannot_name_such_a_path_either() -> None:
    shell = Shell(rules=(ShellRule(pattern=("pytest",), sandbox_paths=("output",)),))
    sandbox = Sandbox(paths={"work": SandboxPath(root=Path("/work"))})
    with pytest.raises(ConfigError, match=r"'output', which is not under sandbox\.paths; there: work"):
        Settings(shell=shell, sandbox=sandbox)


def test_every_rule_is_shown_with_the_lines_it_comes_from(write: Write) -> None:
    shown = show(read_settings(write(SPEC)))
    assert shown[shown.index("shell:") : shown.index("search:")] == snapshot("""\
shell:
  default:
    allowed: true  # assent.yaml:6
    approval: true  # assent.yaml:7
  rules:
    - pattern: [git, status]  # assent.yaml:9
      allowed: true  # default
      approval: false  # assent.yaml:10
      description: null  # default
      sandbox_paths: null  # default
      match: []  # default
      not_match: []  # default
    - pattern: [git, add]  # assent.yaml:11
      allowed: true  # default
      approval: true  # assent.yaml:12
      description: Stage files for commit  # assent.yaml:13
      sandbox_paths: null  # default
      match: []  # default
      not_match: []  # default
    - pattern: [rm]  # assent.yaml:14
      allowed: false  # assent.yaml:15
      approval: true  # default
      description: null  # default
      sandbox_paths: null  # default
      match: []  # default
      not_match: []  # default
    - pattern: [pytest]  # assent.yaml:16
      allowed: true  # default
      approval: false  # assent.yaml:17
      description: null  # default
      sandbox_paths: [output]  # assent.yaml:18
      match: []  # default
      not_match: []  # default
  preset: none  # default
  network: false  # default
  toolchains: []  # default
  timeout: 120.0  # default
  env: []  # default
  max_output_bytes: 100000  # default
""")
