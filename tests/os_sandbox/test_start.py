"""Starting, ending and killing: exit codes, what a command sees, and that no process survives."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from assent.os_sandbox import Bubblewrap, CannotConfine, Confined, OSProfile, start
from tests.os_sandbox.kit import PATH, PATIENCE, SRC, caller, endless, processes_with, profile, run, wait_until_gone


def on_the_host(path: str) -> bool:
    return Path(path).exists()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def until_closed(most: int) -> int:
    """How many are open, when the thread that closes removed stand-ins has had its time."""
    end = time.monotonic() + PATIENCE
    while (number := open_descriptors()) > most and time.monotonic() < end:
        time.sleep(0.01)
    return number


def family(mark: str) -> list[str]:
    """A command with children that leave its group and session, ignore signals, and hold its output open."""
    child = f"trap '' TERM HUP INT; echo started; while :; do read -t 100; done <> <(:) # {mark}"
    return ["/bin/bash", "-c", f'setsid bash -c "$0" "{mark}" & (bash -c "$0" "{mark}" &) & wait', child, mark]


async def started(mark: str, walls: Bubblewrap, root: Path) -> Confined:
    confined = await start(family(mark), backend=walls, profile=profile(writable=root), cwd=root, env=PATH)
    assert confined.process.stdout is not None
    for _ in range(2):
        assert await confined.process.stdout.readline() == b"started\n"
    assert len(processes_with(mark)) >= 3
    return confined


@pytest.mark.parametrize("code", [0, 1, 7, 127, 255])
async def test_the_exit_code_is_the_commands_own(walls: Bubblewrap, root: Path, code: int) -> None:
    _, ended = await run(f"exit {code}", backend=walls, allowed=profile(writable=root), cwd=root)
    assert (ended.exit_code, ended.ran, ended.killed) == (code, True, False)


async def test_a_signal_is_told_as_a_shell_tells_it(walls: Bubblewrap, root: Path) -> None:
    _, ended = await run("kill -SEGV $$", backend=walls, allowed=profile(writable=root), cwd=root)
    assert (ended.exit_code, ended.ran) == (128 + signal.SIGSEGV, True)


async def test_walls_that_fail_are_told_apart_from_a_command_that_does(walls: Bubblewrap, root: Path) -> None:
    async with await start(["/bin/true"], backend=walls, profile=OSProfile(), cwd=root, env=PATH) as confined:
        ended = await confined.wait()
    assert (ended.exit_code, ended.ran) == (1, False)


async def test_the_command_has_the_given_environment_and_no_other(
    walls: Bubblewrap, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "secret")
    env = {**PATH, "ODD": "two\nlines", "EMPTY": ""}
    output, _ = await run("env -0 | tr '\\0' ';'", backend=walls, allowed=profile(writable=root), cwd=root, env=env)
    given = set(output.split(";")) - {""}
    assert given - {f"PWD={root}", "SHLVL=0", "SHLVL=1", "_=/usr/bin/env"} == {
        "PATH=/usr/bin:/bin",
        "ODD=two\nlines",
        "EMPTY=",
    }


async def test_nothing_in_the_environment_is_an_option_of_the_walls(walls: Bubblewrap, root: Path) -> None:
    env = {**PATH, "ODD": "x\0--bind\0/\0/everything"}
    with pytest.raises(CannotConfine, match="NUL"):
        await start(["/bin/true"], backend=walls, profile=profile(writable=root), cwd=root, env=env)


async def test_the_environment_is_on_no_command_line(walls: Bubblewrap, root: Path) -> None:
    env = {**PATH, "TOKEN": "a-secret-nobody-else-may-see"}
    async with await start(
        ["/bin/bash", "-c", "echo started; read"],
        backend=walls,
        profile=profile(writable=root),
        cwd=root,
        env=env,
        stdin=PIPE,
    ) as confined:
        assert confined.process.stdout is not None
        await confined.process.stdout.readline()
        assert processes_with("a-secret-nobody-else-may-see") == []


async def test_no_descriptor_of_ours_stays_open(walls: Bubblewrap, root: Path) -> None:
    allowed = profile(writable=root, masked=(".git",))
    await run("true", backend=walls, allowed=allowed, cwd=root)
    before = open_descriptors()
    for _ in range(3):
        await run("true", backend=walls, allowed=allowed, cwd=root)
    assert until_closed(before) <= before


async def test_only_the_roots_and_the_system_are_there(walls: Bubblewrap, root: Path) -> None:
    (root.parent / "secret").write_text("secret")
    name = f"private-{root.parent.name}"
    script = f"ls -A /home /root /mnt /srv ..; echo mine > /tmp/{name}; cat /tmp/{name}; touch /usr/x /etc/x /x"
    output, _ = await run(script, backend=walls, allowed=profile(writable=root), cwd=root)
    assert "secret" not in output
    assert "mine" in output
    assert output.count("Read-only file system") == 3
    assert not on_the_host(f"{tempfile.gettempdir()}/{name}")


async def test_it_has_no_capability_and_can_gain_none(walls: Bubblewrap, root: Path) -> None:
    script = "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status"
    output, _ = await run(script, backend=walls, allowed=profile(writable=root), cwd=root)
    found = dict(line.split(":\t") for line in output.splitlines())
    assert {found[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert (found["NoNewPrivs"], found["Seccomp"]) == ("1", "2")


async def test_user_namespaces_are_off_even_without_the_filter(
    walls: Bubblewrap, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_all = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)
    monkeypatch.setattr("assent.os_sandbox._bubblewrap.seccomp_filter", lambda *_: allow_all)
    output, ended = await run("unshare -U true", backend=walls, allowed=profile(writable=root), cwd=root)
    assert (output, ended.exit_code) == ("unshare: unshare failed: No space left on device\n", 1)


async def test_ordinary_programs_run(walls: Bubblewrap, root: Path) -> None:
    script = """
    whoami; cat <(echo substituted); awk 'BEGIN { print "awk" }'; (echo a; echo b) | sort -r | head -1
    perl -e 'print "perl\n"'; getent hosts localhost; git --version; date > /dev/null && echo dated
    """
    output, ended = await run(script, backend=walls, allowed=profile(writable=root), cwd=root)
    assert ended.exit_code == 0
    who = "root" if os.getuid() == 0 else "user"
    assert output.startswith(f"{who}\nsubstituted\nawk\nb\nperl\n::1")
    assert output.endswith("dated\n")


async def test_killing_it_ends_every_process_of_it(walls: Bubblewrap, root: Path, mark: str) -> None:
    confined = await started(mark, walls, root)
    ended = await confined.kill_tree()
    assert processes_with(mark) == []
    assert (ended.killed, ended.exit_code) == (True, 128 + signal.SIGKILL)


async def test_a_timeout_ends_every_process_of_it(walls: Bubblewrap, root: Path, mark: str) -> None:
    with pytest.raises(TimeoutError):
        async with await started(mark, walls, root) as confined, asyncio.timeout(0.05):
            await confined.wait()
    assert processes_with(mark) == []


async def test_a_cancelled_task_leaves_no_process(walls: Bubblewrap, root: Path, mark: str) -> None:
    running = asyncio.Event()

    async def wait_for_it() -> None:
        async with await started(mark, walls, root) as confined:
            running.set()
            await confined.wait()

    task = asyncio.create_task(wait_for_it())
    await running.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert processes_with(mark) == []


async def test_what_a_command_leaves_running_ends_with_it(walls: Bubblewrap, root: Path, mark: str) -> None:
    script = f"setsid bash -c 'read -t 100 <> <(:)' {mark} > /dev/null 2>&1 & echo left"
    output, ended = await run(script, backend=walls, allowed=profile(writable=root), cwd=root)
    assert (output, ended.exit_code) == ("left\n", 0)
    assert processes_with(mark) == []


async def test_killed_while_the_walls_are_built_it_leaves_nothing(walls: Bubblewrap, root: Path, mark: str) -> None:
    for _ in range(10):
        allowed = profile(writable=root, masked=(".git",))
        confined = await start(endless(mark), backend=walls, profile=allowed, cwd=root, env=PATH)
        await confined.kill_tree()
    assert wait_until_gone(mark) == []
    assert not on_the_host(f"{root}/.git")


def test_a_killed_parent_leaves_no_process(walls: Bubblewrap, root: Path, mark: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", caller("Bubblewrap"), str(root), *family(mark)],
        stdout=subprocess.PIPE,
        env={**PATH, "PYTHONPATH": str(SRC)},
    ) as parent:
        assert parent.stdout is not None
        assert [parent.stdout.readline() for _ in range(2)] == [b"started\n"] * 2
        assert len(processes_with(mark)) >= 4
        parent.kill()
    assert wait_until_gone(mark) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can change them")
async def test_the_permissions_of_a_device_are_put_back(walls: Bubblewrap, root: Path) -> None:
    before = os.lstat("/dev/full").st_mode
    try:
        await run("chmod 0644 /dev/full", backend=walls, allowed=profile(writable=root), cwd=root)
        assert os.lstat("/dev/full").st_mode == before
    finally:
        os.chmod("/dev/full", before & 0o7777)  # noqa: PTH101 (a device)


async def test_the_output_of_a_command_is_streamed(walls: Bubblewrap, root: Path) -> None:
    async with await start(
        ["/bin/cat"], backend=walls, profile=profile(writable=root), cwd=root, env=PATH, stdin=PIPE
    ) as confined:
        assert confined.process.stdin is not None
        assert confined.process.stdout is not None
        for line in (b"one\n", b"two\n"):
            confined.process.stdin.write(line)
            assert await confined.process.stdout.readline() == line
