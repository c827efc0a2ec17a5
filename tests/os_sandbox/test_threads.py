"""Confined threads: the kernel refuses what they were not given, and nothing changes for the others."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

import pytest

from assent.os_sandbox import CannotConfine, ConfinedThreads
from assent.os_sandbox._landlock import landlock_abi
from tests.os_sandbox.kit import SRC, without_landlock

needs_landlock = pytest.mark.skipif(landlock_abi() < 2, reason="this kernel has no Landlock that moves files")
asked: ContextVar[str] = ContextVar("asked", default="nobody")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder that is read only."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "book").write_text("a book")
    return folder


@pytest.fixture
def threads(root: Path, shelf: Path) -> Iterator[ConfinedThreads]:
    fds = [os.open(folder, os.O_PATH | os.O_DIRECTORY) for folder in (root, shelf)]
    made = ConfinedThreads(writable=fds[:1], readable=fds[1:])
    yield made
    made.close()
    for fd in fds:
        os.close(fd)


def privileges(thread: int) -> str:
    """What the kernel says of a thread: whether it has given up new privileges for ever."""
    status = Path(f"/proc/self/task/{thread}/status").read_text()
    return next(line for line in status.splitlines() if line.startswith("NoNewPrivs"))


@needs_landlock
def test_what_nobody_gave_them_is_refused_by_the_kernel(threads: ConfinedThreads, root: Path) -> None:
    secret = root.parent / "secret"
    secret.write_text("secret")
    tries: list[Callable[[], object]] = [
        secret.read_text,
        lambda: secret.write_text("changed"),
        secret.unlink,
        lambda: secret.rename(root / "mine"),
        lambda: (root / "hard").hardlink_to(secret),
        lambda: list(root.parent.iterdir()),
        (root.parent / "new").touch,
        (root.parent / "folder").mkdir,
        lambda: os.truncate(secret, 0),
        Path("/etc/passwd").read_text,
        Path("/proc/self/environ").read_text,
    ]
    for attempt in tries:
        with pytest.raises(OSError, match=r"Permission denied|Invalid cross-device link"):
            threads.call(attempt)
    # And each of them works where nobody is confined, or the test would prove nothing.
    assert secret.read_text() == "secret"
    assert "root" in Path("/etc/passwd").read_text()
    assert secret in root.parent.iterdir()
    (root / "hard").hardlink_to(secret)
    secret.rename(root / "mine")


@needs_landlock
def test_what_they_were_given_works(threads: ConfinedThreads, root: Path, shelf: Path) -> None:
    def work() -> str:
        (root / "deep").mkdir()
        (root / "a").write_text("text")
        (root / "a").rename(root / "deep/b")
        (root / "deep/b").write_text("other")
        (root / "link").symlink_to("deep/b")
        (root / "link").unlink()
        return (root / "deep/b").read_text() + (shelf / "book").read_text()

    assert threads.call(work) == "othera book"
    with pytest.raises(PermissionError):
        threads.call((shelf / "book").write_text, "mine")
    with pytest.raises(PermissionError):
        threads.call((shelf / "new").touch)


@needs_landlock
async def test_the_rest_of_the_process_is_as_it_was(threads: ConfinedThreads, root: Path) -> None:
    secret = root.parent / "secret"
    secret.write_text("secret")
    with pytest.raises(PermissionError):
        await threads.run(secret.read_text)
    assert secret.read_text() == await asyncio.to_thread(secret.read_text) == "secret"
    assert threads.call(threading.get_native_id) != threading.get_native_id()
    assert privileges(threading.get_native_id()) == "NoNewPrivs:\t0"
    assert privileges(threads.call(threading.get_native_id)) == "NoNewPrivs:\t1"


@needs_landlock
def test_a_process_they_start_is_held_too(threads: ConfinedThreads, root: Path) -> None:
    secret = root.parent / "secret"
    secret.write_text("secret")
    done = threads.call(subprocess.run, ["/bin/cat", str(secret)], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 1)
    assert "Permission denied" in done.stderr


@needs_landlock
async def test_work_comes_with_the_context_of_who_asked(threads: ConfinedThreads) -> None:
    asked.set("ana")
    assert await threads.run(asked.get) == "ana"


@needs_landlock
async def test_what_is_short_does_not_wait_behind_what_takes_its_time(threads: ConfinedThreads) -> None:
    go_on = threading.Event()
    waiting = [asyncio.ensure_future(threads.run(go_on.wait, 100)) for _ in range(64)]
    await asyncio.sleep(0)
    assert threads.call(lambda: "short") == "short"
    go_on.set()
    assert await asyncio.gather(*waiting) == [True] * 64


@needs_landlock
async def test_when_they_are_closed_nothing_is_done(threads: ConfinedThreads, root: Path) -> None:
    threads.close()
    with pytest.raises(CannotConfine, match="closed"):
        threads.call((root / "a").touch)
    with pytest.raises(CannotConfine, match="closed"):
        await threads.run((root / "a").touch)
    assert not (root / "a").exists()


@needs_landlock
async def test_a_thread_that_cannot_confine_itself_does_nothing(threads: ConfinedThreads, root: Path) -> None:
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, threads._ruleset)
    os.close(null)
    with pytest.raises(CannotConfine, match="could not confine itself"):
        await threads.run((root / "a").touch)
    assert not (root / "a").exists()


@needs_landlock
def test_a_folder_that_holds_everything_confines_nothing() -> None:
    top = os.open("/", os.O_PATH | os.O_DIRECTORY)
    with pytest.raises(CannotConfine, match="name folders"):
        ConfinedThreads(readable=[top])
    os.close(top)


FORKED = """
import os, sys
from assent.os_sandbox import ConfinedThreads
threads = ConfinedThreads(writable=[os.open(sys.argv[1], os.O_PATH)])
assert threads.call(os.listdir, sys.argv[1]) == []
if os.fork() == 0:
    print(threads.call(os.listdir, sys.argv[1]), flush=True)
    try:
        threads.call(os.listdir, "/")
    except PermissionError:
        print("refused", flush=True)
    os._exit(0)
os.wait()
"""


@needs_landlock
def test_a_forked_process_has_threads_of_its_own(root: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(root)]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(SRC)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.returncode) == ("[]\nrefused\n", 0), done.stderr


def test_a_kernel_without_landlock_is_named_with_what_has_it() -> None:
    said = without_landlock("""
from assent.os_sandbox import CannotConfine, ConfinedThreads, Landlock
print(Landlock().probe().what)
try:
    ConfinedThreads()
except CannotConfine as error:
    print(error)
""")
    assert said == (
        "this kernel has no Landlock\n"
        "file tools cannot be confined: this kernel has no Landlock; "
        "Linux 5.19 or later with `landlock` in its `lsm=` has what is needed\n"
    )
