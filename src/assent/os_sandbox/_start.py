"""Starting a confined command, seeing it end, and ending all of it."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from assent.os_sandbox._backend import Backend, Launch
from assent.os_sandbox._profile import OSProfile
from assent.os_sandbox._try import end_group

_STATUS_BYTES: Final = 65_536
_READER_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How it ended: by itself, by `kill_tree`, or before it began."""

    exit_code: int
    """The command's; 128 and the signal's number if a signal ended it."""
    ran: bool
    """False: the sandbox or the program could not be started; the error output says why."""
    killed: bool
    """`kill_tree` ended it."""
    fallen: tuple[Path, ...] = ()
    """What was masked, and somebody outside replaced meanwhile: the command may have written what lies there now."""


class Confined:
    """A confined command at work; leaving its `async with` ends all of it.

    Whoever starts it from a thread keeps that thread: with the thread ends the command.
    """

    def __init__(self, process: Process, launch: Launch) -> None:
        self.process = process
        """Its `stdin`, `stdout` and `stderr` are the command's."""
        self._launch = launch
        self._status = b""
        self._inner: int | None = None
        self._killed = False
        loop = asyncio.get_running_loop()
        loop.add_reader(launch.status, self._listen)
        self._ending = loop.create_task(self._end())

    async def wait(self) -> Ended:
        """Wait until no process of it is left, and clean up behind it."""
        # Shielded: who stops waiting must not stop the cleaning up.
        return await asyncio.shield(self._ending)

    async def kill_tree(self) -> Ended:
        """End every process of it, now; when this returns, none is left."""
        if self.process.returncode is None:
            self._killed = True
            # The group: while the walls are being built, half of the builders are not yet tied to the other.
            end_group(self.process.pid)
            # One that has left the group holds the output open, and its end is waited for.
            self._listen()
            if self._inner is not None:
                _end_inner(self._inner)
        return await self.wait()

    async def _end(self) -> Ended:
        code = await self.process.wait()
        loop = asyncio.get_running_loop()
        self._listen()
        loop.remove_reader(self._launch.status)
        if self._inner is not None:
            _end_inner(self._inner)
            await _gone(self._inner)
        ran = self._launch.ran(self._status) or self._killed
        if not ran or self._inner is None:
            # Half-built walls, or weaker ones: nobody else ends what is left of it.
            end_group(self.process.pid)
        fallen = self._launch.fallen()
        self._launch.release()
        return Ended(exit_code=128 - code if code < 0 else code, ran=ran, killed=self._killed, fallen=fallen)

    def _listen(self) -> None:
        """Keep what the walls tell, and hold on to the inner process before its number can mean another."""
        said = _all_of(self._launch.status)
        self._status += said
        if not said:
            asyncio.get_running_loop().remove_reader(self._launch.status)
        # Behind walls without their builder nothing would be tied to anybody.
        if self._launch.waits(self._status) and not self._killed and self.process.returncode is None:
            self._launch.go()
        pid = self._launch.inner(self._status) if self._inner is None else None
        if pid is not None:
            with suppress(OSError):
                self._inner = os.pidfd_open(pid)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await _whole(self.kill_tree())


def _end_inner(pidfd: int) -> None:
    """End it, and with it all the kernel ends with it.

    It has left the group before it is tied to the process outside; one that was killed in between
    would let it run on for ever.
    """
    with suppress(ProcessLookupError, PermissionError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


async def _gone(pidfd: int) -> None:
    """Wait for the end of the process, whose whole tree the kernel has ended by then."""
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    loop.add_reader(pidfd, gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(pidfd)
        os.close(pidfd)


async def start(
    argv: Sequence[str],
    *,
    backend: Backend,
    profile: OSProfile,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int | None = DEVNULL,
    stdout: int | None = PIPE,
    stderr: int | None = PIPE,
) -> Confined:
    """Start the command behind the backend's walls, in a session of its own.

    Raises:
        CannotConfine: the walls cannot be built as the profile demands; nothing was started.
    """
    launch = backend.command(argv, profile=profile, cwd=cwd, env=env)
    starting = asyncio.ensure_future(_spawned(launch, stdin, stdout, stderr))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # Half a start leaves nothing to hold on to; a whole one can be ended.
        await _whole(_end_at_once(starting))
        raise


async def _spawned(launch: Launch, stdin: int | None, stdout: int | None, stderr: int | None) -> Confined:
    try:
        process = await asyncio.create_subprocess_exec(
            *launch.argv,
            env=launch.env,
            pass_fds=launch.pass_fds,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            limit=_READER_BYTES,
        )
    except BaseException:
        launch.release()
        raise
    launch.started()
    return Confined(process, launch)


async def _end_at_once(starting: Awaitable[Confined]) -> None:
    # What did not start needs no end, and whoever is cancelled is told nothing else.
    with suppress(Exception):
        await (await starting).kill_tree()


async def _whole(work: Coroutine[object, object, object]) -> None:
    """Wait for the end of it, whoever cancels meanwhile; they are cancelled then."""
    cancelled = False
    doing = asyncio.ensure_future(work)
    while not doing.done():
        try:
            await asyncio.shield(doing)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    doing.result()


def _all_of(fd: int) -> bytes:
    with suppress(BlockingIOError):
        return os.read(fd, _STATUS_BYTES)
    return b""
