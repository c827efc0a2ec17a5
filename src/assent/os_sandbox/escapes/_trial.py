"""The trial: every attempt made for real, and judged from outside."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from assent.errors import CannotConfine
from assent.os_sandbox._backend import Backend
from assent.os_sandbox._try import end_group, let_begin
from assent.os_sandbox.escapes import _files, _inside, _kernel, _planting, _reach
from assent.os_sandbox.escapes._arena import Arena, arena

Group = Literal["files", "planting", "reach", "kernel"]
Verdict = Literal["held", "escaped", "permitted", "open", "untried"]

_MODULES: Final = {"files": _files, "planting": _planting, "reach": _reach, "kernel": _kernel}
_NETWORK: Final = frozenset({"connect_by_tcp", "send_by_udp"})
_OPEN: Final = {
    "landlock": frozenset(
        {"change_mode", "change_owner", "change_times", "set_an_attribute", "list_other_processes"}
        | {each.__name__ for each in _planting.SEEN_OUTSIDE}
    )
}
"""What the weaker walls are known not to hold; their `gaps` say the same in words."""
_PATIENCE: Final = 90.0
# Sent with its own source: behind the walls there is no assent to import.
_BOOT: Final = """
import json, sys, types
order = json.load(sys.stdin)
modules = {}
for name, source in order["sources"].items():
    modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), modules[name].__dict__)
attempts = [getattr(modules[module], name) for module, name in order["attempts"]]
modules["inside"].run(attempts, order["place"])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One way out to try."""

    name: str
    group: Group
    what: str
    """What a confined process must not be able to do, in a few words."""
    seen_outside: bool
    """Whether it came through is seen by what changed; else by what the attempt got hold of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an attempt."""

    attempt: Attempt
    verdict: Verdict
    """held: no way out. permitted: the configuration allows it. open: a known gap of these walls.

    untried: it did not come to that.
    """
    said: str


def attempts() -> tuple[Attempt, ...]:
    """Every way out that is tried."""
    groups: Mapping[Group, tuple[bool, tuple[Callable[..., object], ...]]] = {
        "files": (True, _files.SEEN_OUTSIDE),
        "planting": (True, _planting.SEEN_OUTSIDE),
        "reach": (False, _reach.CLAIMED),
        "kernel": (False, _kernel.CLAIMED),
    }
    return tuple(
        Attempt(name=each.__name__, group=group, what=(each.__doc__ or "").strip().rstrip("."), seen_outside=outside)
        for group, (outside, functions) in groups.items()
        for each in functions
    )


def try_to_escape(backend: Backend | None, *, network: bool = False, folder: Path | None = None) -> tuple[Outcome, ...]:
    """Make every attempt behind the backend's walls; with no backend, with no walls at all.

    Raises:
        CannotConfine: the walls could not be built, so nothing was tried.
    """
    every = attempts()
    with tempfile.TemporaryDirectory(prefix="assent-doctor-", dir=folder) as scratch:
        home = Path(scratch).resolve()
        with arena(home, [each.name for each in every]) as world:
            before = {each.name: world.state(each.name) for each in every}
            told = _run(world, every, backend, network=network)
            gaps = _open(backend)
            return tuple(
                _judged(each, told.get(each.name), before[each.name], world, network=network, gaps=gaps)
                for each in every
            )


def _open(backend: Backend | None) -> frozenset[str]:
    if backend is None:
        return frozenset()
    # Older kernels do not keep the weaker walls' signals in.
    signals = {"signal_a_process"} if any("by a signal" in gap for gap in backend.gaps) else frozenset[str]()
    return _OPEN.get(backend.name, frozenset()) | signals


def _judged(
    attempt: Attempt,
    told: tuple[bool, str] | None,
    before: str,
    world: Arena,
    *,
    network: bool,
    gaps: frozenset[str],
) -> Outcome:
    came, said = told or (False, "")
    if attempt.name == "signal_a_process":
        came = world.prey.poll() is not None
    elif attempt.seen_outside:
        # What it says does not count: it may have written into a copy of its own, or have lied.
        came = world.state(attempt.name) != before
    elif attempt.group == "reach" and came and attempt.name in _PROVEN:
        came = world.token in said
    verdict: Verdict = "escaped" if came else ("held" if told else "untried")
    if came and network and attempt.name in _NETWORK:
        verdict = "permitted"
    elif came and attempt.name in gaps:
        verdict = "open"
    return Outcome(attempt=attempt, verdict=verdict, said=said.replace(world.token, "(the secret)"))


_PROVEN: Final = frozenset(
    {"read_a_secret", "read_a_secret_through_a_link", "read_a_secret_through_proc", "read_the_environment"}
    | {"read_shared_memory", "connect_by_tcp", "send_by_udp", "connect_to_a_unix_socket", "list_other_processes"}
    | {"connect_to_an_abstract_socket"}
)
"""Those that must show the token they were sent to fetch."""


def _run(
    world: Arena, every: tuple[Attempt, ...], backend: Backend | None, *, network: bool
) -> dict[str, tuple[bool, str]]:
    argv = [os.path.realpath(sys.executable), "-I", "-S", "-c", _BOOT]
    order = json.dumps(
        {
            "sources": {name: _source(module.__file__) for name, module in _MODULES.items()}
            | {"inside": _source(_inside.__file__)},
            "attempts": [[each.group, each.name] for each in every],
            "place": world.place,
        }
    )
    env = {"PATH": "/usr/bin:/bin", "HOME": str(world.folder / "home")}
    if backend is None:
        bare = {**env, "SECRET": world.token}
        return _read(_spawned(argv, order, bare, (), world.folder / "root", lambda _process: None))
    launch = backend.command(argv, profile=world.profile(network=network), cwd=world.folder / "root", env=env)
    told: list[bytes] = []

    def begin(process: subprocess.Popen[bytes]) -> None:
        launch.started()
        told.append(let_begin(launch, process))

    try:
        done = _spawned(list(launch.argv), order, launch.env, launch.pass_fds, None, begin)
        told.append(os.read(launch.status, 65_536) if _readable(launch.status) else b"")
    finally:
        launch.release()
    if not launch.ran(b"".join(told)):
        raise CannotConfine(f"{backend.name} did not start the trial")
    return _read(done)


def _spawned(
    argv: list[str],
    order: str,
    env: Mapping[str, str],
    fds: tuple[int, ...],
    cwd: Path | None,
    begin: Callable[[subprocess.Popen[bytes]], None],
) -> bytes:
    """Run it with a terminal as its error output, which it may try to type into."""
    master, terminal = pty.openpty()
    try:
        with subprocess.Popen(  # noqa: S603 (our own interpreter, behind our own walls)
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=terminal,
            env=env,
            cwd=cwd,
            pass_fds=fds,
            start_new_session=True,
        ) as process:
            try:
                begin(process)
                return process.communicate(order.encode(), timeout=_PATIENCE)[0]
            finally:
                if process.returncode is None:
                    end_group(process.pid)
    finally:
        os.close(terminal)
        os.close(master)


def _read(output: bytes) -> dict[str, tuple[bool, str]]:
    return {name: (came, said) for name, came, said in map(json.loads, output.splitlines())}


def _readable(fd: int) -> bool:
    import select

    return bool(select.select([fd], [], [], 0)[0])


def _source(file: str | None) -> str:
    if file is None:
        raise CannotConfine("the attempts come without their source, so they cannot be made")
    return Path(file).read_text(encoding="utf-8")
