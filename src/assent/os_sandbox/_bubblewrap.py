"""Full walls on Linux: bubblewrap, a file system of its own, and a seccomp filter."""

from __future__ import annotations

import json
import os
import platform
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
from assent.os_sandbox._devices import note_devices, put_back
from assent.os_sandbox._elf import knows_this_machine
from assent.os_sandbox._guard import GO, PLACE, TIED, Guard, by_program, by_shell, find_shell
from assent.os_sandbox._mounts import Mount, Mounts, mounts_for
from assent.os_sandbox._profile import OSProfile
from assent.os_sandbox._programs import find_program, lies_in
from assent.os_sandbox._seccomp import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, seccomp_filter
from assent.os_sandbox._syscalls import AUDIT, known_machine
from assent.os_sandbox._system import SystemView, system_view
from assent.os_sandbox._try import run_once
from assent.os_sandbox._watch import watched_by_program, watched_by_shell

_PATIENCE: Final = 20.0
_NAMESPACES: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--clearenv"),
)
_PRIVATE: Final = (
    *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"),  # noqa: S108 (private)
    *("--perms", "0755", "--dir", "/run", "--perms", "0755", "--dir", "/var"),
    # No link to the other: a root may lie in it.
    *("--perms", "1777", "--tmpfs", "/var/tmp", "--symlink", "/run", "/var/run"),  # noqa: S108 (private)
)
# Only with a descriptor bubblewrap mounts the very folder we hold, and closes the descriptor.
_NEEDED: Final = ("--disable-userns", "--json-status-fd", "--seccomp", "--args", "--bind-fd", "--ro-bind-fd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """The full sandbox: nothing of the host is there but the system and what the profile names."""

    program: str | None = field(default_factory=lambda: find_program("bwrap", writable=()))
    """The absolute path of bwrap, where no confined command can write; none if there is none on PATH."""
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
        if not knows_this_machine() and find_shell() is None:
            return why_not.no_shell()
        return self._try()

    def command(self, argv: Sequence[str], *, profile: OSProfile, cwd: Path, env: Mapping[str, str]) -> Launch:
        """The command behind bubblewrap; see `Backend`."""
        note_devices()
        held = mounts_for(profile)
        fds: list[int] = []
        go, begin = os.pipe2(os.O_CLOEXEC)
        fds.append(go)
        kept = [begin]
        try:
            program, shell = self._trusted(profile)
            options = [*_options(profile, fds), *_shown(held.mounts)]
            status, told, options = _with_status(options, fds)
            guard = _guard(argv, shell, env.get("PATH", os.defpath), told=told, go=go, status=status)
            if guard.program is not None:
                fds.append(in_memory(guard.program))
                options += ["--perms", "0555", "--file", str(fds[-1]), PLACE]
            options += ["--remount-ro", "/", "--chdir", str(cwd)]
            options += [word for name, value in env.items() for word in ("--setenv", name, value)]
            # By descriptor: a command line can be read by everybody on the machine, an environment not.
            fds.append(in_memory(_joined(options)))
            started = _watched((program, "--args", str(fds[-1]), "--", *guard.argv), shell, go, fds)
        except BaseException:
            close_all(fds, kept)
            held.release()
            raise
        return Launch(
            argv=started,
            env={},
            # Our end of `status` too: without us, bubblewrap must not die of telling nobody, half-way.
            pass_fds=(*fds, status, *(each.fd for each in held.mounts)),
            status=status,
            ran=_ran,
            inner=_inner,
            waits=_waits,
            go=_go(kept),
            started=_closer(fds, held),
            fallen=held.fallen,
            release=_releaser((fds, kept, [status]), held),
        )

    def _trusted(self, profile: OSProfile) -> tuple[str, str | None]:
        """Bubblewrap, and the shell of the guard if it needs one: both out of the reach of every command."""
        if self.program is None:
            raise CannotConfine(str(why_not.not_installed()))
        if lies_in(self.program, profile.writable):
            raise CannotConfine(
                f"bubblewrap at {self.program!r} lies where confined commands may write; install it elsewhere"
            )
        if knows_this_machine():
            return self.program, None
        shell = find_shell(profile.writable)
        if shell is None:
            raise CannotConfine(str(why_not.no_shell()))
        return self.program, shell

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


def _shown(mounts: Sequence[Mount]) -> Iterator[str]:
    kinds = {"ro": "--ro-bind-fd", "rw": "--bind-fd"}
    for each in mounts:
        # With a descriptor bubblewrap checks that it mounted this very folder, not one swapped in since.
        yield from (kinds[each.kind], str(each.fd), str(each.place))


def _guard(argv: Sequence[str], shell: str | None, path: str, *, told: int, go: int, status: int) -> Guard:
    if shell is None:
        return by_program(argv, path=path, told=told, go=go, status=status)
    return by_shell(argv, shell=shell, told=told, go=go, status=status)


def _watched(argv: Sequence[str], shell: str | None, go: int, fds: list[int]) -> tuple[str, ...]:
    if shell is not None:
        return watched_by_shell(argv, shell=shell, go=go)
    own, started = watched_by_program(argv, go=go)
    fds.append(own)
    return started


def _joined(options: Sequence[str]) -> bytes:
    # It ends a word: one within a word would be the start of another option.
    odd = next((word for word in options if "\0" in word), None)
    if odd is not None:
        raise CannotConfine(f"{odd!r} has a NUL character in it; no path, and nothing in an environment, may have one")
    return os.fsencode("\0".join(options) + "\0")


def _with_status(options: list[str], fds: list[int]) -> tuple[int, int, list[str]]:
    """Where the walls tell how it goes: our end, the one for the guard inside, and the options with bubblewrap's."""
    status, told = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    fds.append(told)
    # Its own: bubblewrap closes the one it is given before anything runs.
    fds.append(os.dup(told))
    return status, fds[-1], [*options, "--json-status-fd", str(told)]


def _ran(status: bytes) -> bool:
    """The guard tells that it let the command begin, and bubblewrap how that ended."""
    return _told(status, TIED) is not None and _told(status, "exit-code") is not None


def _waits(status: bytes) -> bool:
    return _told(status, TIED) is not None


def _go(kept: list[int]) -> Callable[[], None]:
    def go() -> None:
        for fd in kept:
            with suppress(BrokenPipeError):
                os.write(fd, GO)
        close_all(kept)

    return go


def _inner(status: bytes) -> int | None:
    return _told(status, "child-pid")


def _told(status: bytes, key: str) -> int | None:
    for line in status.splitlines():
        # It is asked whenever a piece has come; most of them tell something else.
        if key.encode() not in line:
            continue
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


def _releaser(lists: Sequence[list[int]], held: Mounts) -> Callable[[], None]:
    def release() -> None:
        close_all(*lists)
        held.release()
        put_back()

    return release


@cache
def _help(program: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=_PATIENCE, check=False)  # noqa: S603 (bwrap)
        return done.stdout
    return ""
