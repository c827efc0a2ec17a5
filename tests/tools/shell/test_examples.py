from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.config import SETTINGS_FILE, Settings, Shell, ShellRule, read_settings
from assent.errors import ConfigError
from assent.tools.shell import check_rules

TEXT = """\
shell:
  rules:
    - pattern: git status
      approval: false
      match: [git status, git status -s, "ls && git status", "env git status"]
      not_match: [git statusx, git, "echo git status"]
    - pattern: rm
      allowed: false
      match: [rm x, /bin/rm, "sh -c 'rm x'"]
      not_match: [rmdir x, ls rm]
    - pattern: sort
      approval: false
      match: [sort f]
      not_match: [sort -o f]
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def settings(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / SETTINGS_FILE
    file.write_text(text)
    return read_settings(file)


def test_examples_that_hold_say_nothing(tmp_path: Path) -> None:
    check_rules(settings(tmp_path, TEXT))


def test_every_example_that_fails_is_an_error_with_file_and_line(tmp_path: Path) -> None:
    text = TEXT.replace("git status -s", "git log").replace("sort -o f", "sort g").replace("rmdir x", "rm y")
    with pytest.raises(ConfigError) as caught:
        check_rules(settings(tmp_path, text))
    assert caught.value.code == "config"
    assert str(caught.value).replace(str(tmp_path), "") == snapshot("""\
/assent.yaml:5: shell.rules.0.match: the rule does not match 'git log'; change the pattern, or move the example to not_match
/assent.yaml:10: shell.rules.1.not_match: the rule matches 'rm y'; change the pattern, or move the example to match
/assent.yaml:14: shell.rules.2.not_match: the rule matches 'sort g'; change the pattern, or move the example to match\
""")


def test_rules_made_by_hand_are_checked_as_well() -> None:
    rule = ShellRule(pattern=("ls",), match=("cat",))
    with pytest.raises(ConfigError, match=r"^shell\.rules\.0\.match: the rule does not match 'cat'"):
        check_rules(Settings(shell=Shell(rules=(rule,))))


def test_an_example_is_about_words_not_about_paths(tmp_path: Path) -> None:
    text = """\
sandbox: {paths: {out: {root: out}}}
shell:
  rules:
    - {pattern: pytest, approval: false, sandbox_paths: [out], match: [pytest elsewhere]}
"""
    check_rules(settings(tmp_path, text))
