"""Confined commands in one line, and people without rights."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from assent.os_sandbox import Backend, Ended, OSProfile, start

PATH = {"PATH": "/usr/bin:/bin"}
SRC = Path(__file__).resolve().parents[2] / "src"
NOBODY_SPECIAL = 54_321
PATIENCE = 30.0


def profile(*, writable: Path | None = None, masked: tuple[str, ...] = (), network: bool = False) -> OSProfile:
    roots = frozenset({writable} if writable else ())
    return OSProfile(writable=roots, network=network, masked=frozenset(each / m for each in roots for m in masked))


async def run(
    script: str, *, backend: Backend, allowed: OSProfile, cwd: Path, env: Mapping[str, str] = PATH
) -> tuple[str, Ended]:
    """Run a shell script behind the walls: what it wrote, and how it ended."""
    async with await start(
        ["/bin/bash", "-c", f"exec 2>&1\n{script}"], backend=backend, profile=allowed, cwd=cwd, env=env
    ) as confined:
        output, errors = await confined.process.communicate()
        return (output + errors).decode(), await confined.wait()


def endless(mark: str) -> list[str]:
    """A marked command that does not end by itself."""
    return ["/bin/bash", "-c", "while :; do read -t 100; done <> <(:)", mark]


def words(path: Path) -> list[str]:
    """A command line under /proc; none if the process is gone."""
    try:
        return path.read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def processes_with(mark: str) -> list[int]:
    """Every process of this machine, in any namespace, that has this word on its command line."""
    return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if mark in words(path)]


def wait_until_gone(mark: str) -> list[int]:
    """What is left of the marked processes, when the kernel has had its time."""
    end = time.monotonic() + PATIENCE
    while left := processes_with(mark):
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    return left


@functools.cache
def python_for_everybody() -> str:
    """An interpreter that a user without rights can start too."""
    for candidate in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            done = _as_nobody_special([candidate, "-I", "-c", "import sys; print(sys.version_info >= (3, 11))"])
        except (OSError, subprocess.SubprocessError):
            continue
        if done.stdout.strip() == "True":
            return candidate
    pytest.fail("no Python 3.11 that an ordinary user may start; install one, such as Debian's python3")


_CALLER = """
import asyncio, sys
from pathlib import Path
from assent.os_sandbox import BACKEND, OSProfile, start

async def main():
    root, argv = Path(sys.argv[1]), sys.argv[2:]
    one = await start(argv, backend=BACKEND(), profile=OSProfile(writable=frozenset({root})), cwd=root,
                      env={"PATH": "/usr/bin:/bin"}, stdout=None)
    await one.wait()

asyncio.run(main())
"""


def caller(backend: str) -> str:
    """A program that waits for a command behind these walls: `root`, and the command."""
    return _CALLER.replace("BACKEND", backend)


def as_this_user(code: str) -> str:
    """Run this Python code in a process of its own, with assent to import: what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**PATH, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def as_nobody_special(code: str, *, env: Mapping[str, str] = PATH) -> str:
    """Run this Python code as an ordinary user, with assent to import: what it printed."""
    done = _as_nobody_special([python_for_everybody(), "-c", code], env={**env, "PYTHONPATH": str(SRC)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def _as_nobody_special(argv: list[str], env: Mapping[str, str] = PATH) -> subprocess.CompletedProcess[str]:
    user = NOBODY_SPECIAL if os.getuid() == 0 else None
    groups: list[int] | None = [] if user else None
    return subprocess.run(
        argv,
        user=user,
        group=user,
        extra_groups=groups,
        env=env,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


# A filter of the kernel's that answers as one without Landlock does: ENOSYS to landlock_create_ruleset.
WITHOUT_LANDLOCK = """
import ctypes, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7FFF0000)]
held = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, struct.pack("@HP", len(steps), ctypes.addressof(held)), 0, 0) == 0
"""


def without_landlock(code: str, *arguments: str) -> str:
    """What this Python code prints on a kernel that has no Landlock."""
    command = [sys.executable, "-c", WITHOUT_LANDLOCK + code, *arguments]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(SRC)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
