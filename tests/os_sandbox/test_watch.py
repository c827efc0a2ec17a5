"""While walls are built: a caller that is killed or cancelled at any moment leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import platform
import random
import select
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from assent.os_sandbox import Bubblewrap, run_once, start
from assent.os_sandbox._descriptors import close_all
from assent.os_sandbox._elf import knows_this_machine
from assent.os_sandbox._guard import GO
from assent.os_sandbox._watch import watched_by_program, watched_by_shell
from tests.os_sandbox.kit import (
    PATH,
    PATIENCE,
    as_nobody_special,
    as_this_user,
    endless,
    processes_with,
    profile,
    wait_until_gone,
    words,
)

KILLS = int(os.environ.get("ASSENT_KILLS", "25"))
"""How often each attack kills; some hundreds find what one in a hundred leaves behind."""
BUILDING = 0.014


@pytest.fixture(params=["program", "shell"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each watcher in turn."""
    if request.param == "program" and platform.machine() != "x86_64":
        pytest.skip("there is a program for x86-64 only; everywhere else it is a shell")
    return str(request.param)


def watched(kind: str, argv: list[str], go: int) -> tuple[list[int], tuple[str, ...]]:
    """The descriptors that it needs, and how it is started."""
    if kind == "shell":
        return [go], watched_by_shell(argv, shell="/bin/bash", go=go)  # noqa: S604 (a path)
    own, words = watched_by_program(argv, go=go)
    return [go, own], words


@contextmanager
def builder(kind: str, mark: str) -> Generator[tuple[subprocess.Popen[bytes], int]]:
    """A watched process with a child that would stay for ever, and the caller's end of its pipe."""
    go, begin = os.pipe()
    # The child has told that it is there before anything happens to its parent.
    argv = ["/bin/bash", "-c", "bash -c 'echo there; read -t 100 <> <(:)' \"$0\" & read; exit 7", mark]
    fds, words = watched(kind, argv, go)
    with subprocess.Popen(
        words, env={}, pass_fds=fds, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        close_all(fds)
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        yield process, begin


def beside(process: subprocess.Popen[bytes], mark: str) -> list[int]:
    """The watchers: children of the builder that have its own words on their command line."""
    return [pid for pid in processes_with(mark) if _parent(pid) == process.pid and not _is_child(pid)]


def descriptors(pid: int) -> list[str]:
    return [str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir() if each.is_symlink()]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0  # it is gone


def _is_child(pid: int) -> bool:
    return any("echo there" in word for word in words(Path(f"/proc/{pid}/cmdline"))[2:3])


def test_without_its_caller_nothing_of_a_half_built_thing_is_left(kind: str, mark: str) -> None:
    with builder(kind, mark) as (process, begin):
        os.close(begin)
        assert process.wait(PATIENCE) == -signal.SIGKILL
        assert wait_until_gone(mark) == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="a shell sees only that its caller is gone")
def test_without_its_builder_nothing_of_a_half_built_thing_is_left(mark: str) -> None:
    with builder("program", mark) as (process, begin):
        process.kill()
        assert wait_until_gone(mark) == []
        os.close(begin)


def test_when_it_has_begun_the_watcher_leaves_and_the_rest_goes_on(kind: str, mark: str) -> None:
    with builder(kind, mark) as (process, begin):
        (watcher,) = beside(process, mark)
        gone = os.pidfd_open(watcher)
        os.write(begin, GO)
        os.close(begin)
        assert select.select([gone], [], [], PATIENCE)[0]
        os.close(gone)
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()
        # The exit code is the builder's own.
        assert process.wait(PATIENCE) == 7
        assert processes_with(mark) != []


def test_a_watcher_holds_no_output_open(kind: str, mark: str) -> None:
    with builder(kind, mark) as (process, begin):
        assert process.stdout is not None
        output = os.fstat(process.stdout.fileno()).st_ino
        (watcher,) = beside(process, mark)
        end = time.monotonic() + PATIENCE
        while f"pipe:[{output}]" in (held := descriptors(watcher)) and time.monotonic() < end:
            time.sleep(0.01)  # it has only just been born
        assert f"pipe:[{output}]" not in held
        assert f"pipe:[{os.fstat(begin).st_ino}]" in held
        os.close(begin)


def test_a_builder_that_cannot_be_started_says_so(kind: str) -> None:
    go, begin = os.pipe()
    fds, words = watched(kind, ["/no/such/bwrap"], go)
    done = subprocess.run(
        words, env={}, pass_fds=fds, stderr=subprocess.PIPE, start_new_session=True, timeout=PATIENCE, check=False
    )
    close_all(fds, [begin])
    assert done.returncode in {126, 127}
    assert b"/no/such/bwrap: " in done.stderr


def test_the_watcher_is_sent_away_only_when_the_command_waits(walls: Bubblewrap, root: Path) -> None:
    launch = walls.command(["/bin/true"], profile=profile(writable=root), cwd=root, env=PATH)
    order: list[str] = []

    def waits(said: bytes) -> bool:
        order.append("it waits" if launch.waits(said) else "it does not wait")
        return launch.waits(said)

    def go() -> None:
        order.append("go")
        launch.go()

    assert run_once(replace(launch, waits=waits, go=go))[0] == 0
    assert order[0] == "it does not wait"
    assert order[-2:] == ["it waits", "go"]


def test_where_nothing_is_executed_from_memory_a_shell_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden() -> int:
        raise PermissionError

    monkeypatch.setattr("assent.os_sandbox._elf.room_for_program", forbidden)
    assert not knows_this_machine.__wrapped__()


# Starts a command again and again, each time from a new process, which it kills. Forked, since they all
# need what is imported here.
CALLERS = """
import asyncio, os, random, signal, sys, tempfile, time
from pathlib import Path
import assent.os_sandbox._bubblewrap as bubblewrap
from assent.os_sandbox import Bubblewrap, OSProfile, run_once, start

guard, how, argv, kills, longest = {order!r}
env = {{"PATH": "/usr/bin:/bin"}}
if guard == "shell":
    bubblewrap.knows_this_machine = lambda: False
else:
    bubblewrap.knows_this_machine()  # found out once, as any caller has by its second command

async def main(root, profile):
    await (await start(argv, backend=Bubblewrap(), profile=profile, cwd=root, env=env)).wait()

with tempfile.TemporaryDirectory() as folder:
    root = Path(folder).resolve()
    profile = OSProfile(writable=frozenset({{root}}), masked=frozenset({{root / ".git"}}))
    for _ in range(kills):
        told, tell = os.pipe()
        caller = os.fork()
        if not caller:
            os.write(tell, b"at work")
            if how == "start":
                asyncio.run(main(root, profile))
            else:
                run_once(Bubblewrap().command(argv, profile=profile, cwd=root, env=env))
        os.read(told, 7)
        time.sleep(random.uniform(0, longest))
        os.kill(caller, signal.SIGKILL)
        assert os.waitpid(caller, 0)[1] == signal.SIGKILL
        os.close(told)
        os.close(tell)
    print("killed", kills)
"""


@pytest.mark.parametrize("ordinary", [False, True], ids=["this user", "an ordinary user"])
@pytest.mark.parametrize(("kind", "how"), [("program", "start"), ("shell", "start"), ("program", "run_once")])
def test_nothing_is_left_when_the_caller_is_killed_at_any_moment(
    walls: Bubblewrap, mark: str, kind: str, how: str, *, ordinary: bool
) -> None:
    code = CALLERS.format(order=(kind, how, endless(mark), KILLS, BUILDING))
    assert (as_nobody_special if ordinary else as_this_user)(code) == f"killed {KILLS}\n"
    assert wait_until_gone(mark) == []


async def test_nothing_is_left_when_the_caller_is_cancelled_at_any_moment(
    walls: Bubblewrap, root: Path, mark: str
) -> None:
    allowed = profile(writable=root, masked=(".git",))

    async def call() -> None:
        async with await start(endless(mark), backend=walls, profile=allowed, cwd=root, env=PATH) as confined:
            await confined.wait()

    for _ in range(KILLS):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(random.uniform(0, BUILDING)):  # noqa: S311 (no secret)
                await call()
    assert wait_until_gone(mark) == []
    assert not (root / ".git").exists()
