"""What `--json` prints: the same values for a program, and nothing that acts on a terminal or hides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assent.testing import Call, FakeAnthropic, Say, Turn
from tests.cli.recorded import Project
from tests.cli.within import within

# An escape, C1, bidi, zero-width, ends of lines that are no "\n", a tag, and DEL.
HOSTILE = "\x1b]52;c;eA==\x07\x9b31m\x85\u202eevil\u202c\u2066\u2069\u200b\u2028\u2029\U000e0041\x7fü"


def assert_safe(output: str) -> None:
    """Only printable ASCII, and each line a JSON object; in them is what was written."""
    assert {char for char in output if not " " <= char <= "~"} == {"\n"}
    values = [json.loads(line) for line in output.splitlines()]
    assert HOSTILE in "".join(map(_texts, values))


def _texts(value: object) -> str:
    """All text in it, as a program reads it."""
    if isinstance(value, dict):
        return "".join(_texts(each) for pair in value.items() for each in pair)
    return "".join(map(_texts, value)) if isinstance(value, list) else str(value)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project on whose record all text is hostile."""
    made = Project(tmp_path)
    answered = made.asks(f"work/{HOSTILE}.md", run=f"r{HOSTILE}", agents=(HOSTILE,))
    made.asks(f"work/2{HOSTILE}.md", run=f"r{HOSTILE}", agents=(HOSTILE,))
    how = ("--scope", "always", "--note", HOSTILE, "--by", HOSTILE)
    assert within(made.folder, "inbox", "approve", answered.id, *how).returncode == 0
    made.command(f"git status '{HOSTILE}'")
    return made


@pytest.mark.parametrize(
    "arguments",
    [
        ("log", "--json"),
        ("grants", "--json"),
        ("inbox", "--json"),
        ("runs", "--json"),
        ("check", "--json", "--", f"echo '{HOSTILE}'"),
        ("policy", "test", "--replay", "all", "--json"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_stored_text_is_printed_in_ascii_and_is_the_same_for_a_program(
    arguments: tuple[str, ...], project: Project
) -> None:
    if arguments[0] == "policy":
        file = project.folder / "assent.yaml"
        file.write_text(file.read_text().replace("approval: false", "allowed: false"))
    assert_safe(within(project.folder, *arguments).stdout)


def test_what_a_model_says_is_printed_in_ascii_and_is_the_same_for_a_program(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(project.folder / "work" / "a.txt")
    with FakeAnthropic(
        Turn(Say(HOSTILE), Call("Write", {"file_path": path, "content": HOSTILE})), Turn(Say("x"))
    ) as it:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", it.url)
        assert_safe(within(project.folder, "run", "--strict", "--json", "Go.").stdout)
