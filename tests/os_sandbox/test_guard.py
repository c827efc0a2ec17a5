"""Who begins a command, a program of our own or a shell: only for a parent that lives, and leaving no trace."""

from __future__ import annotations

import os
import platform
import select
import subprocess
import sys
from pathlib import Path

import pytest

from assent.os_sandbox import Bubblewrap, OSProfile, start
from assent.os_sandbox._guard import by_program, by_shell
from tests.os_sandbox.kit import PATH, PATIENCE, endless, profile, run, wait_until_gone

MACHINE_CODE = "assent.os_sandbox._bubblewrap.knows_this_machine"


@pytest.fixture(params=["program", "shell"])
def guard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each guard in turn; the shell's as on a machine that we have no program for."""
    kind: str = request.param
    if kind == "shell":
        monkeypatch.setattr(MACHINE_CODE, lambda: False)
    elif platform.machine() != "x86_64":
        pytest.skip("there is a program for x86-64 only; everywhere else it is a shell")
    return kind


def test_it_is_a_shell_only_where_there_is_no_program(walls: Bubblewrap, root: Path, guard: str) -> None:
    launch = walls.command(["/bin/true"], profile=profile(writable=root), cwd=root, env=PATH)
    launch.release()
    assert any(word.endswith("/bash") for word in launch.argv) == (guard == "shell")


@pytest.mark.usefixtures("guard")
@pytest.mark.parametrize("alive", [True, False])
def test_a_command_begins_only_when_its_parent_says_so(walls: Bubblewrap, root: Path, *, alive: bool) -> None:
    launch = walls.command(["/bin/touch", "begun"], profile=profile(writable=root), cwd=root, env=PATH)
    with subprocess.Popen(launch.argv, env={}, pass_fds=launch.pass_fds, start_new_session=True) as process:
        launch.started()
        said = b""
        while not launch.waits(said):
            select.select([launch.status], [], [], PATIENCE)
            said += os.read(launch.status, 65_536)
        assert not (root / "begun").exists()
        # Without a word is what a killed parent leaves: the kernel closes all that it held.
        (launch.go if alive else launch.release)()
        process.wait(PATIENCE)
        launch.release()
    assert (root / "begun").exists() == alive


# Becomes the program it is told, with one filter of the kernel's more than the first process has: it allows all.
FILTERED = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
held = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))
assert libc.prctl(38, 1, 0, 0, 0) == 0
if sys.argv[1] == "filtered":
    assert libc.prctl(22, 2, struct.pack("@HP", 1, ctypes.addressof(held)), 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
"""


def filters(pid: str) -> list[str]:
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return [line for line in status if line.startswith("Seccomp")]


@pytest.mark.parametrize("kind", ["filtered", "as we are"])
def test_it_tells_of_ties_only_when_the_first_process_has_as_many_filters(
    tmp_path: Path, guard: str, kind: str
) -> None:
    if filters("1") != filters("self"):
        pytest.skip("the first process of this machine has other filters than we have")
    (told, tell), (go, begin), (status, end) = os.pipe(), os.pipe(), os.pipe()
    fds = {"told": tell, "go": go, "status": status}
    first = (
        by_program(["/bin/true"], path="", **fds)
        if guard == "program"
        else by_shell(["/bin/true"], shell="/bin/bash", **fds)  # noqa: S604 (a path)
    )
    argv = list(first.argv)
    if first.program is not None:
        argv[0] = str(tmp_path / "guard")
        Path(argv[0]).write_bytes(first.program)
        Path(argv[0]).chmod(0o755)
    with subprocess.Popen([sys.executable, "-c", FILTERED, kind, *argv], pass_fds=fds.values()) as process:
        readable, _, _ = select.select([told], [], [], 0.5 if kind == "filtered" else PATIENCE)
        assert bool(readable) == (kind != "filtered")
        assert process.poll() is None
        process.kill()
    for fd in (told, tell, go, begin, status, end):
        os.close(fd)


@pytest.mark.usefixtures("guard")
def test_a_parent_that_is_gone_before_there_are_walls_leaves_nothing(walls: Bubblewrap, root: Path, mark: str) -> None:
    for _ in range(5):
        launch = walls.command(endless(mark), profile=profile(writable=root), cwd=root, env=PATH)
        with subprocess.Popen(launch.argv, env={}, pass_fds=launch.pass_fds, start_new_session=True) as process:
            launch.release()
            process.wait(PATIENCE)
    assert wait_until_gone(mark) == []


@pytest.mark.usefixtures("guard")
@pytest.mark.parametrize("name", ["no-such-program", "/no/such/program", "./no-such-program"])
async def test_a_program_that_is_not_there_did_not_run(walls: Bubblewrap, name: str) -> None:
    async with await start([name], backend=walls, profile=OSProfile(), cwd=Path("/"), env=PATH) as one:
        _, errors = await one.process.communicate()
        ended = await one.wait()
    assert (ended.exit_code, ended.ran) == (127, False)
    assert errors == f"{name}: there is no such program\n".encode()


@pytest.mark.usefixtures("guard")
async def test_a_program_is_found_on_the_commands_own_path(walls: Bubblewrap, root: Path) -> None:
    for folder in ("no", "folder", "right"):
        (root / folder).mkdir()
    (root / "no" / "tool").write_text("not executable")
    (root / "folder" / "tool").mkdir()
    (root / "right" / "tool").write_text('#!/bin/sh\necho "$0 $*"\n')
    (root / "right" / "tool").chmod(0o755)
    env = {"PATH": f"/nowhere:{root}/no:{root}/folder:{root}/right:/usr/bin"}
    async with await start(
        ["tool", "a b", ""], backend=walls, profile=profile(writable=root), cwd=root, env=env
    ) as one:
        output, _ = await one.process.communicate()
    assert output == f"{root}/right/tool a b \n".encode()


@pytest.mark.usefixtures("guard")
async def test_a_program_that_cannot_be_started_says_so(walls: Bubblewrap, root: Path) -> None:
    (root / "tool").write_text("#!/no/such/interpreter\n")
    (root / "tool").chmod(0o755)
    async with await start(["./tool"], backend=walls, profile=profile(writable=root), cwd=root, env=PATH) as one:
        _, errors = await one.process.communicate()
        ended = await one.wait()
    assert ended.exit_code in {126, 127}
    assert b"/tool: " in errors


@pytest.mark.usefixtures("guard")
async def test_no_descriptor_leads_out(walls: Bubblewrap, root: Path) -> None:
    output, _ = await run("ls /proc/self/fd", backend=walls, allowed=profile(writable=root, masked=(".git",)), cwd=root)
    # The fourth is the one that ls reads the folder with.
    assert output.split() == ["0", "1", "2", "3"]


@pytest.mark.usefixtures("guard")
async def test_a_command_has_its_own_arguments_and_the_given_environment(walls: Bubblewrap, root: Path) -> None:
    env = {**PATH, "ODD": "two\nlines", "EMPTY": "", "BYTES": "\udcff"}
    show = ["/usr/bin/env", "-0"]
    async with await start(show, backend=walls, profile=profile(writable=root), cwd=root, env=env) as one:
        output, _ = await one.process.communicate()
    given = dict(each.split(b"=", 1) for each in output.split(b"\0") if each)
    # Bubblewrap sets the first, a shell the second.
    given.pop(b"PWD")
    given.pop(b"_", None)
    assert given == {b"PATH": b"/usr/bin:/bin", b"ODD": b"two\nlines", b"EMPTY": b"", b"BYTES": b"\xff"}


@pytest.mark.usefixtures("guard")
async def test_a_variable_that_steers_shells_does_not_steer_the_start(walls: Bubblewrap, root: Path) -> None:
    (root / "first").write_text("echo before; exit 3\n")
    env = {**PATH, "BASH_ENV": str(root / "first"), "ENV": str(root / "first")}
    async with await start(
        ["/bin/echo", "ran"], backend=walls, profile=profile(writable=root), cwd=root, env=env
    ) as one:
        output, _ = await one.process.communicate()
    assert output == b"ran\n"
