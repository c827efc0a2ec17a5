"""The weaker walls on Linux: Landlock and a seccomp filter, where bubblewrap cannot be had."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from assent.errors import CannotConfine
from assent.os_sandbox._backend import Launch, Missing
from assent.os_sandbox._descriptors import close_all, in_memory
from assent.os_sandbox._profile import OSProfile
from assent.os_sandbox._programs import lies_in
from assent.os_sandbox._seccomp import AF_INET, AF_INET6, AF_NETLINK, seccomp_filter
from assent.os_sandbox._syscalls import AUDIT, known_machine
from assent.os_sandbox._system import CERTIFICATES, SYSTEM
from assent.os_sandbox._try import run_once

GAPS: Final = (
    "permissions, owners, times and attributes of files outside can be changed, as far as the user may",
    "what is masked inside a writable root can be written: .git/hooks, .git/config, start-up files, assent.yaml",
    "the command sees which other processes there are, and who has an account",
    "there is no private folder for temporary files",
    "a process that leaves its group outlives the command",
)
_SIGNALS: Final = "processes outside can be ended by a signal, as far as the user may (kernels before Linux 6.12)"
READ: Final = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, read a folder
READ_FILE: Final = 1 << 0 | 1 << 2
_WRITE_FILE: Final = 1 << 1 | 1 << 14
_ALL: Final = (1 << 16) - 1
_DEVICES: Final = 1 << 6 | 1 << 11
_RIGHTS_BY_ABI: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_RIGHTS: Final = 16
_TRUNCATE_ABI: Final = 3
_NETWORK_ABI: Final = 4
_SCOPE_ABI: Final = 6
_SEEN: Final = ("/proc", *SYSTEM, "/etc/alternatives", *CERTIFICATES)
_SEEN_FILES: Final = (
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/resolv.conf"),
    *("/etc/localtime", "/etc/ld.so.cache", "/dev/random", "/dev/urandom"),
)
_WRITTEN_FILES: Final = ("/dev/null", "/dev/zero", "/dev/full")


@cache
def landlock_abi() -> int:
    """The version of Landlock in this kernel; 0 or less if it has none."""
    if sys.platform != "linux":
        return 0
    answer: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), 1)
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Landlock:
    """The weaker sandbox: no file outside is read or written, but see `gaps`."""

    name: str = field(default="landlock", init=False)
    weaker: bool = field(default=True, init=False)
    abi: int = field(default_factory=landlock_abi)
    """The version of Landlock to use."""

    @property
    def gaps(self) -> tuple[str, ...]:
        """What it leaves open, which depends on the kernel."""
        return GAPS if self.abi >= _SCOPE_ABI else (*GAPS, _SIGNALS)

    def probe(self) -> Missing | None:
        """Really start something behind it, which then tries to write."""
        if self.abi < _TRUNCATE_ABI:
            has = (
                "no Landlock"
                if self.abi < 1
                else f"version {self.abi} of Landlock, which cannot keep files from being cut"
            )
            return _missing(
                f"this kernel has {has}", "Linux 6.2 or later with `landlock` in its `lsm=` has what is needed"
            )
        if platform.machine() not in AUDIT:
            return _missing(f"there is no seccomp filter for {platform.machine()}", "x86_64 and aarch64 have one")
        tries = ["/bin/sh", "-c", "! (echo > /dev/shm/assent-probe-$$)"]
        launch = self.command(tries, profile=OSProfile(), cwd=Path("/"), env={"PATH": "/usr/bin:/bin"})
        try:
            code, said = run_once(launch)
        except (OSError, subprocess.TimeoutExpired) as error:
            return _missing(f"it cannot be started: {error}", "Run `assent doctor` for all that was tried")
        return None if code == 0 else _missing(f"it does not hold: {' '.join(said.split())}", "Use bubblewrap")

    def command(self, argv: Sequence[str], *, profile: OSProfile, cwd: Path, env: Mapping[str, str]) -> Launch:
        """The command behind a small Python program that confines itself first; see `Backend`."""
        launcher = _trusted(profile)
        abi = self.abi
        families = [AF_NETLINK, *([AF_INET, AF_INET6] if profile.network else [])]
        order = {
            "handled": handled_rights(abi),
            "network": 0b11 if abi >= _NETWORK_ABI and not profile.network else 0,
            "scoped": 0b11 if abi >= _SCOPE_ABI else 0,
            "rules": [[place, rights & handled_rights(abi)] for place, rights in _rules(profile)],
            "seccomp": seccomp_filter(known_machine(), frozenset(families)).hex(),
            "cwd": str(cwd),
            "parent": os.getpid(),
            "env": dict(env),
        }
        status, told = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        left = [status]
        fds = [told, in_memory(json.dumps(order).encode())]
        return Launch(
            argv=(sys.executable, "-I", "-S", launcher, str(fds[1]), str(fds[0]), *argv),
            env={},
            pass_fds=tuple(fds),
            status=status,
            ran=lambda said: said == b"confined",
            inner=lambda _said: None,
            waits=lambda _said: False,
            go=lambda: None,
            started=lambda: close_all(fds),
            fallen=tuple,
            release=lambda: close_all(fds, left),
        )


def _trusted(profile: OSProfile) -> str:
    """The program that confines; without masks, nothing of it may lie where a command can write."""
    launcher = str(Path(__file__).with_name("_landlock_launcher.py"))
    for place in (sys.executable, launcher, os.__file__):
        if lies_in(place, profile.writable):
            raise CannotConfine(
                f"Landlock is put up by {place!r}, which lies where confined commands may write, and Landlock has no "
                "masks; install assent and its Python outside of every writable root, or install bubblewrap"
            )
    return launcher


def handled_rights(abi: int) -> int:
    """Every right on files that this version knows, and so refuses unless it is given."""
    return (1 << _RIGHTS_BY_ABI.get(abi, _MOST_RIGHTS)) - 1


def _rules(profile: OSProfile) -> Iterator[tuple[str, int]]:
    yield from ((place, READ) for place in _SEEN if Path(place).is_dir())
    yield from ((place, READ_FILE) for place in _SEEN_FILES if Path(place).exists())
    yield from ((place, READ_FILE | _WRITE_FILE) for place in _WRITTEN_FILES)
    for place in profile.readable | profile.writable:
        if not place.exists():
            raise CannotConfine(f"{str(place)!r} does not exist; make it, or take it out of the configuration")
        rights = _ALL & ~_DEVICES if place in profile.writable else READ
        yield str(place), rights if place.is_dir() else rights & (READ_FILE | _WRITE_FILE)


def _missing(what: str, remedy: str) -> Missing:
    return Missing(backend="landlock", what=what, remedy=remedy)
