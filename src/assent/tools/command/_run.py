"""One command behind the walls, from its start to its last process."""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import STDOUT
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assent.errors import CannotConfine, InvalidArguments
from assent.os_sandbox import Backend, Confined, Ended, OSProfile, start
from assent.tools.command._limits import limited
from assent.tools.command._output import Output
from assent.tools.command._pipe import Pipe
from assent.tools.command._result import CommandResult

_SIGNALS: Final = 128
_LAST_WORDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A command with everything that decides how it runs."""

    argv: Sequence[str]
    backend: Backend
    profile: OSProfile
    cwd: Path
    env: Mapping[str, str]
    seconds: float


async def run_confined(wanted: Wanted, output: Output) -> CommandResult:
    """Run it to its end, or end all of it when its time is over or the caller is cancelled.

    Raises:
        CannotConfine: the walls could not be built; the command was not started.
        InvalidArguments: the system takes no command of this length.
    """
    try:
        with Pipe() as pipe:
            ended = await _to_its_end(wanted, pipe, output)
    except BaseException:
        output.discard()
        raise
    text = output.finish()
    if not ended.ran:
        output.discard()
        raise CannotConfine(f"{wanted.backend.name} did not start the command: {text.strip() or 'it said nothing'}")
    return _result(ended, output, text)


async def _to_its_end(wanted: Wanted, pipe: Pipe, output: Output) -> Ended:
    async with await _start(wanted, pipe) as confined:
        pipe.close_inside()
        reading = asyncio.ensure_future(pipe.read(output.add))
        try:
            if not await _in_time(confined, reading, wanted.seconds):
                await confined.kill_tree()
            # Behind weaker walls a child may have got away and hold the pipe open: nobody waits for that.
            await asyncio.wait([reading], timeout=_LAST_WORDS)
            if reading.done():
                reading.result()
            return await confined.wait()
        finally:
            reading.cancel()


async def _start(wanted: Wanted, pipe: Pipe) -> Confined:
    try:
        return await start(
            limited(wanted.argv, wanted.seconds),
            backend=wanted.backend,
            profile=wanted.profile,
            cwd=wanted.cwd,
            env=wanted.env,
            stdout=pipe.inside,
            stderr=STDOUT,
        )
    except OSError as error:
        raise InvalidArguments(f"the command cannot be started: {error.strerror}; put it into a script") from error


async def _in_time(confined: Confined, reading: asyncio.Future[None], seconds: float) -> bool:
    """Whether the command ended by itself; raises what broke in whoever listens to its output."""
    ending = asyncio.ensure_future(confined.wait())
    both: set[asyncio.Future[Any]] = {reading, ending}
    try:
        async with asyncio.timeout(seconds):
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
            await ending
    except TimeoutError:
        return False
    finally:
        ending.cancel()
    return True


def _result(ended: Ended, output: Output, text: str) -> CommandResult:
    code = None if ended.killed else ended.exit_code
    return CommandResult(
        exit_code=code,
        signal=signal.SIGKILL.value if code is None else _signal(code),
        output=text,
        truncated=output.truncated,
        full_output=str(output.file) if output.file is not None else None,
        timed_out=ended.killed,
    )


def _signal(code: int) -> int | None:
    number = code - _SIGNALS
    return number if number in signal.valid_signals() else None
