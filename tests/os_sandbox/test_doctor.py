"""`assent doctor`, as far as it stands on the walls: what it finds, says and answers."""

from __future__ import annotations

import json

import pytest

from assent.cli.doctor import Promise, doctor
from assent.os_sandbox import Bubblewrap
from assent.os_sandbox.escapes import attempts


def test_every_attempt_is_in_the_table(walls: Bubblewrap, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(Promise(required=True), as_json=False) == 0
    table = capsys.readouterr().out
    assert table.count("\n  held ") == len(attempts())
    assert "Files outside: 22 of 22 held" in table
    assert "an OS sandbox is required, network for commands is off" in table
    assert f"It holds: commands run behind bubblewrap; of {len(attempts())} attempts none got out." in table
    assert max(map(len, table.splitlines())) <= 120


def test_as_json_it_says_the_same(walls: Bubblewrap, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(Promise(network=True), as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["holds"], found["backend"], found["gaps"], found["refusal"]) == (True, "bubblewrap", [], None)
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
