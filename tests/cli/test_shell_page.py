"""What docs/shell.md shows is what the commands say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assent.config import read_settings
from assent.tools.shell import PRESETS, check_rules
from tests.cli.within import within

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


CONFIGURATIONS = [*blocks("shell.md", "yaml"), *blocks("configuration.md", "yaml")]


@pytest.mark.parametrize("text", CONFIGURATIONS, ids=range(len(CONFIGURATIONS)))
def test_every_configuration_in_the_documentation_is_one(text: str, tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text(text)
    check_rules(read_settings(tmp_path / "assent.yaml"))


def test_the_check_that_is_shown_is_what_is_printed(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text(blocks("shell.md", "yaml")[0])
    typed, _, shown = blocks("shell.md", "console")[0].partition("\n")
    command = re.fullmatch(r"\$ assent check -- '(.+)'", typed)
    assert command
    assert within(tmp_path, "check", "--", command[1]).stdout.partition("\n\n")[2] == shown


def test_the_cases_that_are_shown_hold(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text(blocks("shell.md", "yaml")[0])
    (tmp_path / "cases.jsonl").write_text(blocks("shell.md", "json")[0])
    done = within(tmp_path, "policy", "test", "cases.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3 cases: 3 passed")


def test_the_preset_is_as_large_as_is_said() -> None:
    assert len({pattern.split()[0] for pattern in PRESETS["read-only"]}) > 60
