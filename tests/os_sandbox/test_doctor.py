"""`assent doctor`, as far as it stands on the walls: what it finds, says and answers."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from assent.cli._screen import Screen
from assent.cli.doctor import Findings, Promise, doctor, examine, page
from assent.os_sandbox import Bubblewrap
from assent.os_sandbox.escapes import Verdict, attempts
from tests.os_sandbox.kit import without_landlock


@cache
def findings() -> Findings:
    """What is found here, looked for once."""
    return examine(Promise(required=True, confines_files=True))


def with_one(verdict: Verdict) -> Findings:
    """As if one attempt had ended otherwise."""
    found = findings()
    return replace(found, outcomes=[replace(found.outcomes[4], verdict=verdict), *found.outcomes[5:]])


def test_every_attempt_is_in_the_table(walls: Bubblewrap, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(Promise(required=True), as_json=False) == 0
    table = capsys.readouterr().out
    assert table.count("\n  held ") == len(attempts())
    assert "Files outside: 22 of 22 held" in table
    assert "an OS sandbox is required, network for commands is off" in table
    assert f"✓ It holds: commands run behind bubblewrap; of {len(attempts())} attempts none got out." in table
    assert max(map(len, table.splitlines())) <= 120


def test_without_a_terminal_each_attempt_is_one_line(walls: Bubblewrap, capsys: pytest.CaptureFixture[str]) -> None:
    doctor(Promise(), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    rows = [line for line in lines if line.startswith("  held ")]
    assert [row[11:].split("  ")[0] for row in rows] == [each.what for each in attempts()]
    assert "  held     Write outside by a path with .. in it " in "\n".join(rows)
    assert len({row.index(row[11:].split("  ", 1)[1].strip()) for row in rows}) == 1  # one column of answers


@pytest.mark.parametrize("width", [40, 60, 72, 80, 110])
def test_no_line_is_wider_than_the_terminal(walls: Bubblewrap, width: int) -> None:
    for found in (findings(), with_one("escaped")):
        lines = list(page(found, Screen(width=width)))
        assert max(map(len, lines)) <= width
        text = " ".join(" ".join(lines).split())
        assert "Files outside" in text
        assert "another process" in text


def test_what_got_out_is_named_at_the_end_with_what_to_do(walls: Bubblewrap) -> None:
    for verdict in ("escaped", "untried"):
        found = with_one(verdict)
        assert not found.kept
        said = "\n".join(page(found, Screen(width=200)))
        end = said.partition("Your configuration:")[2]
        assert "✗ It does NOT hold: 1 of 71 attempts got through bubblewrap, or could not be tried.\n" in end
        assert "\n- Write outside by a path with .. in it\n" in end
        assert "Let no agent run commands here until this holds" in end


def test_only_what_did_not_hold_is_coloured(walls: Bubblewrap) -> None:
    said = list(page(with_one("escaped"), Screen(width=100, colours=True)))
    red = [line for line in said if line.startswith("\x1b[1;31m")]
    assert [line[7:16] for line in red] == ["  ESCAPED", "✗ It does"]


def test_confined_file_tools_are_part_of_the_promise(walls: Bubblewrap) -> None:
    assert "  file tools  held to their roots by the kernel" in page(findings(), Screen())
    said = without_landlock("""
from assent.cli.doctor import Promise, doctor
print(doctor(Promise(confines_files=True), as_json=False))
""")
    assert "not held: file tools cannot be confined: this kernel has no Landlock" in said
    assert "✗ It does NOT hold: file tools cannot be confined: this kernel has no Landlock" in said
    assert "✓" not in said
    assert said.endswith("\n1\n")


def test_as_json_it_says_the_same(walls: Bubblewrap, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(Promise(network=True), as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["holds"], found["backend"], found["gaps"], found["refusal"]) == (True, "bubblewrap", [], None)
    assert found["file_tools"] == {"confined": False, "missing": None}
    verdicts = {each["name"]: each["verdict"] for each in found["attempts"]}
    assert verdicts.pop("connect_by_tcp") == verdicts.pop("send_by_udp") == "permitted"
    assert set(verdicts.values()) == {"held"}


def test_a_required_sandbox_that_is_missing_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor(Promise(required=True), as_json=False) == 1
    said = capsys.readouterr().out
    assert "bubblewrap  not here: it is not installed" in said
    assert "sandbox.require_os_sandbox is true, and there is no OS sandbox on this machine." in said


def test_the_weaker_walls_say_what_they_leave_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code = doctor(Promise(required=False), as_json=False)
    said = capsys.readouterr().out
    if "landlock    not here" in said:
        pytest.skip("this kernel has no Landlock")
    assert code == 0
    assert "  open     Plant a hook in the root's repository" in said
    assert "But it is the weaker kind of wall" in said
    assert "For the full sandbox: bubblewrap: it is not installed" in said
