"""`assent doctor` as a user starts it: the configuration decides what must hold."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from assent.os_sandbox import Bubblewrap, Landlock
from tests.cli.program import PROGRAM, assent


@pytest.fixture(autouse=True)
def _walls() -> None:
    missing = Bubblewrap().probe()
    if missing is not None and not os.environ.get("CI"):
        pytest.skip(str(missing))


def test_it_holds_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text("sandbox: {require_os_sandbox: true}\n")
    done = assent("doctor", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Your configuration: an OS sandbox is required, network for commands is off." in done.stdout
    assert "✓ It holds: commands run behind bubblewrap" in done.stdout
    if Landlock().probe() is None:
        assert "  file tools  held to their roots by the kernel" in done.stdout


def test_file_tools_are_spoken_of_only_where_the_kernel_must_hold_them(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text("sandbox: {require_os_sandbox: true, confine_file_tools: false}\n")
    assert "file tools" not in assent("doctor", cwd=tmp_path).stdout


def test_the_network_is_what_the_configuration_and_the_operators_profile_agree_on(tmp_path: Path) -> None:
    on, cut = tmp_path / "on.yaml", tmp_path / "cut.yaml"
    on.write_text("shell: {network: true}\n")
    cut.write_text("shell: {network: true}\nsandbox: {os_profile: {network: false}}\n")
    told = [json.loads(assent("doctor", "--json", "--config", str(file)).stdout) for file in (on, cut)]
    assert [each["network"] for each in told] == [True, False]
    assert [each["holds"] for each in told] == [True, True]


def test_what_the_operators_profile_cuts_is_said(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text("""\
sandbox:
  paths: {work: {root: work, mode: rw}}
  os_profile: {readable: [work]}
""")
    said = assent("doctor", cwd=tmp_path).stdout
    assert f"⚠ sandbox.os_profile: commands cannot write '{tmp_path.resolve()}/work' (sandbox.paths.work, rw)" in said


@pytest.mark.parametrize(
    ("paths", "why"),
    [
        ("{all: {root: /proc, mode: ro}}", "'/proc' cannot be shown to a confined command"),
        ("{work: {root: nowhere, mode: rw}}", "does not exist; make it, or take it out of the configuration"),
    ],
)
def test_a_configuration_that_cannot_work_does_not_hold(tmp_path: Path, paths: str, why: str) -> None:
    (tmp_path / "assent.yaml").write_text(f"sandbox: {{paths: {paths}}}\n")
    done = assent("doctor", cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1
    assert "✗ It does NOT hold: no command can start with your configuration" in said
    assert why in said
    assert "path.." not in said
    assert "✓" not in said
    told = json.loads(assent("doctor", "--json", cwd=tmp_path).stdout)
    assert (told["holds"], told["commands"]["start"]) == (False, False)


def test_a_configuration_that_works_holds(tmp_path: Path) -> None:
    for name in ("docs/work/.git", "docs/hooks"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "docs/work/.git/HEAD").touch()
    (tmp_path / "docs/work/.git/hooks").symlink_to("../../hooks")
    (tmp_path / "assent.yaml").write_text(
        "sandbox: {require_os_sandbox: true, paths: {docs: {root: docs}, work: {root: docs/work, mode: rw}}}\n"
    )
    done = assent("doctor", cwd=tmp_path)
    assert (done.returncode, "✓ It holds" in done.stdout) == (0, True)


def test_without_the_required_walls_it_fails(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text("sandbox: {require_os_sandbox: true}\n")
    done = subprocess.run(
        [*PROGRAM, "doctor"],
        cwd=tmp_path,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "bubblewrap  not here: it is not installed" in done.stdout


def test_a_wrong_configuration_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "assent.yaml").write_text("sandbox: {require_os_sandbox: maybe}\n")
    done = assent("doctor", cwd=tmp_path)
    assert done.returncode == 2
    assert "sandbox.require_os_sandbox is 'maybe'; allowed: true or false" in done.stderr
