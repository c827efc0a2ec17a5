"""Known ways in which common programs run others, write or open a shell: the read-only preset allows none."""

from __future__ import annotations

import json

import pytest

from assent.tools.shell import Machine, judge
from tests.tools.shell.cases import HERE, build_machine, explained, rules_of

PRESET = rules_of(rules=[], default="ask", preset="read-only")
LINES = [json.loads(line) for line in (HERE / "gtfobins.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return build_machine(tmp_path_factory.mktemp("machine"))


def test_there_are_enough_of_them_and_of_both_kinds() -> None:
    assert len(LINES) >= 150
    assert {line["does"] for line in LINES} == {"shell", "write"}


@pytest.mark.parametrize("command", [line["command"] for line in LINES])
def test_the_read_only_preset_does_not_allow(command: str, machine: Machine) -> None:
    judgement = judge(command, PRESET, machine)
    assert judgement.verdict != "allow", explained(judgement)


@pytest.mark.parametrize("form", ["ls; {}", "ls | {}", "echo $({})", "( {} )", "bash -c {!r}", "env {}", "cat <({})"])
def test_nor_does_it_where_they_hide(form: str, machine: Machine) -> None:
    hidden = [form.format(line["command"]) for line in LINES]
    assert [command for command in hidden if judge(command, PRESET, machine).verdict == "allow"] == []
