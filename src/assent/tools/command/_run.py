"""One command behind the walls, from its start to its last process."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assent.errors import CannotConfine, InvalidArguments
from assent.os_sandbox import Backend, Confined, Ended, OSProfile, start
from assent.tools.command._limits import limited
from assent.tools.command._output import Output
from assent.tools.command._pipe import Pipe, read_all
from assent.tools.command._result import CommandResult, SeparateResult, result_of

_LAST_WORDS: Final = 2.0
# Bubblewrap takes 9000, its own options among them.
_MOST_WORDS: Final = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A command with everything that decides how it runs."""

    argv: Sequence[str]
    backend: Backend
    profile: OSProfile
    cwd: Path
    env: Mapping[str, str]
    seconds: float


async def run_confined(wanted: Wanted, outputs: Sequence[Output]) -> CommandResult | SeparateResult:
    """Run it to its end, or end all of it when its time is over or the caller is cancelled.

    One output takes both streams in the order they come; of two, the second takes the errors.

    Raises:
        CannotConfine: the walls could not be built; the command was not started.
        InvalidArguments: the system takes no command of this length.
    """
    try:
        ended = await _run(wanted, outputs)
        texts = [each.finish() for each in outputs]
        _must_have_run(ended, wanted.backend, texts)
    except BaseException:
        for each in outputs:
            each.discard()
        raise
    return result_of(ended, outputs, texts)


def _must_have_run(ended: Ended, backend: Backend, texts: Sequence[str]) -> None:
    if not ended.ran:
        said = " ".join(filter(None, map(str.strip, texts))) or "it said nothing"
        raise CannotConfine(f"{backend.name} did not start the command: {said}")


async def _run(wanted: Wanted, outputs: Sequence[Output]) -> Ended:
    with ExitStack() as stack:
        pipes = [stack.enter_context(Pipe()) for _ in outputs]
        async with await _start(wanted, pipes) as confined:
            for pipe in pipes:
                pipe.close_inside()
            reading = asyncio.ensure_future(read_all(pipes, [each.add for each in outputs]))
            try:
                return await _to_its_end(wanted, confined, reading)
            finally:
                reading.cancel()
                # It lets go of the pipes before they are closed.
                await asyncio.wait([reading])


async def _to_its_end(wanted: Wanted, confined: Confined, reading: asyncio.Future[None]) -> Ended:
    if not await _in_time(confined, reading, wanted.seconds):
        await confined.kill_tree()
    # Behind weaker walls a child may have got away and hold a pipe open: nobody waits for that.
    await asyncio.wait([reading], timeout=_LAST_WORDS)
    if reading.done():
        reading.result()
    return await confined.wait()


async def _start(wanted: Wanted, pipes: Sequence[Pipe]) -> Confined:
    if len(wanted.argv) > _MOST_WORDS:
        raise InvalidArguments(
            f"the command has {len(wanted.argv)} words, and at most {_MOST_WORDS} can be given; put it into a script"
        )
    try:
        return await start(
            limited(wanted.argv, wanted.seconds),
            backend=wanted.backend,
            profile=wanted.profile,
            cwd=wanted.cwd,
            env=wanted.env,
            stdout=pipes[0].inside,
            stderr=pipes[-1].inside,
        )
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise InvalidArguments(f"the command cannot be started: {error.strerror}; put it into a script") from error
        raise CannotConfine(
            f"{wanted.backend.name} cannot be started: {error}; run `assent doctor` to see what is there"
        ) from error


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
