"""Threads that the kernel holds to a few folders, while the rest of the process stays as it is."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from assent.errors import CannotConfine
from assent.os_sandbox._landlock import READ, READ_FILE, handled_rights, landlock_abi
from assent.os_sandbox._landlock_launcher import new_ruleset, permit, restrict_this_thread
from assent.os_sandbox._system import SYSTEM

P = ParamSpec("P")
R = TypeVar("R")

# Read and list; never execute what lies in a root.
_LOOK: Final = 1 << 2 | 1 << 3
# Files, folders and links, by whatever name; no devices, pipes or sockets.
_CHANGE: Final = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13 | 1 << 14
_MOVES_ABI: Final = 2
_SHORT: Final = 2
"""So many may do what is short at a time."""


class ConfinedThreads:
    """Threads of this process that reach some open folders, the system's programs, and Python itself.

    Everything else is refused to them by the kernel, whatever path they come up with, and to the
    processes they start. The rest of this process is not confined.

    Raises:
        CannotConfine: this kernel has no Landlock, or it does not hold.
    """

    def __init__(
        self, *, readable: Iterable[int] = (), writable: Iterable[int] = (), programs: Iterable[Path] = ()
    ) -> None:
        _check_kernel()
        self._ruleset = _ruleset(readable, writable, programs)
        self._threads = _Threads(self._ruleset)
        try:
            self.call(_prove)
        except BaseException:
            self.close()
            raise

    def call(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do something short there, and wait for it."""
        with _as_refusal():
            return self._here().short.submit(work, *args, **kwargs).result()

    async def run(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do something there that may take its time."""
        # With the caller's context, as `asyncio.to_thread` has it.
        bound = partial(copy_context().run, partial(work, *args, **kwargs))
        with _as_refusal():
            return await asyncio.wrap_future(self._here().long.submit(bound))

    def close(self) -> None:
        """Take no more work; what is at work goes on to its end."""
        if self._ruleset >= 0:
            self._threads.close()
            os.close(self._ruleset)
            self._ruleset = -1

    def _here(self) -> _Threads:
        if self._ruleset < 0:
            raise CannotConfine("the file sandbox was closed, and its threads with it; nothing was done")
        if self._threads.process != os.getpid():
            # After a fork there are no threads that would take the work.
            self._threads = _Threads(self._ruleset)
        return self._threads


class _Threads:
    """The threads of one process; what is short does not wait behind what takes its time."""

    def __init__(self, ruleset: int) -> None:
        self.process = os.getpid()
        restrict = partial(restrict_this_thread, ruleset)
        self.short = ThreadPoolExecutor(_SHORT, "assent-confined", restrict)
        self.long = ThreadPoolExecutor(None, "assent-confined", restrict)

    def close(self) -> None:
        self.short.shutdown(wait=False)
        self.long.shutdown(wait=False)


@contextmanager
def _as_refusal() -> Generator[None]:
    """Threads that could not confine themselves do no work at all."""
    try:
        yield
    except BrokenExecutor as error:
        raise CannotConfine("a thread for the file tools could not confine itself; nothing was done") from error


def _check_kernel() -> None:
    if landlock_abi() < _MOVES_ABI:
        has = "no Landlock" if landlock_abi() < 1 else "the first version of Landlock only, which cannot move files"
        raise CannotConfine(
            f"file tools cannot be confined: this kernel has {has}; "
            "Linux 5.19 or later with `landlock` in its `lsm=` has what is needed"
        )


def _ruleset(readable: Iterable[int], writable: Iterable[int], programs: Iterable[Path]) -> int:
    handled = handled_rights(landlock_abi())
    ruleset = new_ruleset(handled)
    try:
        for place in readable:
            permit(ruleset, place, _LOOK)
        for place in writable:
            permit(ruleset, place, (_LOOK | _CHANGE) & handled)
        for name in {*_own_places(), *map(os.path.realpath, programs)}:
            with suppress(FileNotFoundError):
                _permit_running(ruleset, name)
    except OSError as error:
        os.close(ruleset)
        raise CannotConfine(f"file tools cannot be confined: {error}") from error
    return ruleset


def _permit_running(ruleset: int, name: str) -> None:
    fd = os.open(name, os.O_PATH | os.O_CLOEXEC)
    try:
        permit(ruleset, fd, READ if stat.S_ISDIR(os.fstat(fd).st_mode) else READ_FILE)
    finally:
        os.close(fd)


def _own_places() -> Iterator[str]:
    """What every program needs, and what Python loads when it is first wanted; not /proc, not /etc."""
    yield from (*SYSTEM, "/etc/ld.so.cache")
    for place in (sys.base_prefix, sys.prefix, Path(__file__).parents[1]):
        real = os.path.realpath(place)
        if real != "/":
            yield real


def _prove() -> None:
    """Whether what nobody permitted is refused, tried once at the start."""
    try:
        os.close(os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except PermissionError:
        return
    raise CannotConfine(
        "file tools cannot be confined: the kernel took the rules, and the whole disk can be read all the same; "
        "name folders under sandbox.paths, not /"
    )
