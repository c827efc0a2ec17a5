"""Full walls on Linux: bubblewrap, a file system of its own, and a seccomp filter."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from assent.errors import CannotConfine
from assent.os_sandbox import _why as why_not
from assent.os_sandbox._backend import Launch, Missing
from assent.os_sandbox._descriptors import close_all, in_memory
from assent.os_sandbox._mounts import Mount, Mounts, mounts_for
from assent.os_sandbox._profile import OSProfile
from assent.os_sandbox._seccomp import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, seccomp_filter
from assent.os_sandbox._syscalls import AUDIT, known_machine
from assent.os_sandbox._system import SystemView, system_view
from assent.os_sandbox._try import run_once

_PATIENCE: Final = 20.0
_NAMESPACES: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--clearenv"),
)
_PRIVATE: Final = (
    *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"),  # noqa: S108 (private)
    *("--perms", "0755", "--dir", "/run", "--perms", "0755", "--dir", "/var"),
    *("--symlink", "/tmp", "/var/tmp", "--symlink", "/run", "/var/run"),  # noqa: S108 (private)
)
_NEEDED: Final = ("--disable-userns", "--json-status-fd", "--seccomp", "--args")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """The full sandbox: nothing of the host is there but the system and what the profile names."""

    program: str | None = field(default_factory=lambda: shutil.which("bwrap"))
    """The absolute path of bwrap; none if there is none on PATH."""
    name: str = field(default="bubblewrap", init=False)
    weaker: bool = field(default=False, init=False)
    gaps: tuple[str, ...] = field(default=(), init=False)

    def probe(self) -> Missing | None:
        """Really start something behind the walls; what fails says what is missing."""
        if self.program is None:
            return why_not.not_installed()
        lacks = [option for option in _NEEDED if option not in _help(self.program)]
        if lacks:
            return why_not.too_old(self.program, lacks)
        if platform.machine() not in AUDIT:
            return why_not.unknown_machine(platform.machine())
        return self._try()

    def command(self, argv: Sequence[str], *, profile: OSProfile, cwd: Path, env: Mapping[str, str]) -> Launch:
        """The command behind bubblewrap; see `Backend`."""
        program = self._trusted(profile)
        held = mounts_for(profile)
        fds: list[int] = []
        try:
            options = [*_options(profile, fds), *_shown(held.mounts, by_fd="--bind-fd" in _help(program))]
            status, options = _with_status(options, fds)
            options += ["--remount-ro", "/", "--chdir", str(cwd)]
            options += [word for name, value in env.items() for word in ("--setenv", name, value)]
            # By descriptor: a command line can be read by everybody on the machine, an environment not.
            fds.append(in_memory(os.fsencode("\0".join(options) + "\0")))
        except BaseException:
            close_all(fds)
            held.release()
            raise
        return Launch(
            argv=(program, "--args", str(fds[-1]), "--", *argv),
            env={},
            pass_fds=(*fds, *(each.fd for each in held.mounts)),
            status=status,
            ran=_ran,
            inner=_inner,
            started=_closer(fds, held),
            release=_releaser(fds, held, status),
        )

    def _trusted(self, profile: OSProfile) -> str:
        if self.program is None:
            raise CannotConfine("bubblewrap is not installed")
        if any(profile.may_write(place) for place in {Path(self.program), Path(os.path.realpath(self.program))}):
            raise CannotConfine(
                f"bubblewrap at {self.program!r} lies where confined commands may write; install it elsewhere"
            )
        return self.program

    def _try(self) -> Missing | None:
        launch = self.command(["/bin/true"], profile=OSProfile(), cwd=Path("/"), env={})
        try:
            code, said = run_once(launch)
        except (OSError, subprocess.TimeoutExpired) as error:
            return why_not.broken(str(error))
        return None if code == 0 else why_not.failed(said)


def _options(profile: OSProfile, fds: list[int]) -> Iterator[str]:
    """Namespaces, the filter, and the system; descriptors they need are added to `fds`."""
    yield from _NAMESPACES
    # In the host's network, abstract UNIX sockets are the host's too: X11, D-Bus. No mount hides them.
    families = [AF_INET, AF_INET6, AF_NETLINK, *([] if profile.network else [AF_UNIX])]
    if profile.network:
        yield "--share-net"
    fds.append(in_memory(seccomp_filter(known_machine(), frozenset(families))))
    yield from ("--seccomp", str(fds[-1]))
    view = system_view(network=profile.network)
    for name, content in view.copies:
        fds.append(in_memory(content) if isinstance(content, bytes) else os.open(content, os.O_RDONLY | os.O_CLOEXEC))
        yield from ("--file", str(fds[-1]), name)
    yield from _always(view)


@cache
def _always(view: SystemView) -> tuple[str, ...]:
    folders = [word for folder in view.folders for word in ("--ro-bind", folder, folder)]
    links = [word for target, name in view.links for word in ("--symlink", target, name)]
    kept = [word for name in view.kept_from_root for word in ("--ro-bind-try", name, name)]
    return (*folders, *links, *_PRIVATE, *kept)


def _shown(mounts: Sequence[Mount], *, by_fd: bool) -> Iterator[str]:
    kinds = {"ro": "--ro-bind", "rw": "--bind"}
    for each in mounts:
        # With a descriptor bubblewrap checks that it mounted this very folder, not one swapped in since.
        yield kinds[each.kind] + ("-fd" if by_fd else "")
        yield from (str(each.fd) if by_fd else str(each.place), str(each.place))


def _with_status(options: list[str], fds: list[int]) -> tuple[int, list[str]]:
    status, told = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    fds.append(told)
    return status, [*options, "--json-status-fd", str(told)]


def _ran(status: bytes) -> bool:
    """Bubblewrap tells the exit code only of a command it could start."""
    return _told(status, "exit-code") is not None


def _inner(status: bytes) -> int | None:
    return _told(status, "child-pid")


def _told(status: bytes, key: str) -> int | None:
    for line in status.splitlines():
        with suppress(ValueError):
            said = json.loads(line).get(key)
            if isinstance(said, int):
                return said
    return None


def _closer(fds: list[int], held: Mounts) -> Callable[[], None]:
    def started() -> None:
        close_all(fds)
        held.close()

    return started


def _releaser(fds: list[int], held: Mounts, status: int) -> Callable[[], None]:
    left = [status]

    def release() -> None:
        close_all(fds, left)
        held.release()

    return release


@cache
def _help(program: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=_PATIENCE, check=False)  # noqa: S603 (bwrap)
        return done.stdout
    return ""
