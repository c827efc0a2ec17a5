"""Where the file tools touch the disk: on any thread, on confined ones, or nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, ParamSpec, Protocol, TypeVar

from assent.errors import CannotConfine
from assent.tools.files.sandbox._rules import Home

if TYPE_CHECKING:
    from assent.config import OSSandboxFallback, Sandbox
    from assent.os_sandbox import Backend, ConfinedThreads

P = ParamSpec("P")
R = TypeVar("R")


class Threads(Protocol):
    """Does the work of the file tools that touches the disk.

    Raises:
        CannotConfine: it must not be done, because what should hold it does not.
    """

    def call(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do something short, and wait for it."""
        ...

    async def run(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do something that may take its time."""
        ...

    def close(self) -> None:
        """Take no more work."""
        ...


class AnyThread:
    """Nothing but our own path code holds the work."""

    def call(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do it here."""
        return work(*args, **kwargs)

    async def run(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do it in a thread: a disk may take its time, and the event loop has others to serve."""
        return await asyncio.to_thread(work, *args, **kwargs)

    def close(self) -> None:
        """Nothing is held."""


class NoThread:
    """The required walls are missing, so nothing is done."""

    def __init__(self, why: str) -> None:
        self.why = why

    def call(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> NoReturn:  # noqa: ARG002
        """Refuse it."""
        raise CannotConfine(self.why)

    async def run(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> NoReturn:  # noqa: ARG002
        """Refuse it."""
        raise CannotConfine(self.why)

    def close(self) -> None:
        """Nothing is held."""


def threads_for(wanted: Sandbox, homes: Iterable[Home], candidates: Sequence[Backend] | None = None) -> Threads:
    """What the configuration demands of the operating system for file tools, tried for real.

    Raises:
        CannotConfine: it does not hold, and `os_sandbox_fallback` is fail_fast.
    """
    if not wanted.require_os_sandbox and not wanted.confines_files:
        return AnyThread()
    from assent.os_sandbox import Refusal, choose_backend

    fallback = wanted.os_sandbox_fallback
    if wanted.require_os_sandbox:
        chosen = choose_backend(
            required=True, fallback=fallback, candidates=candidates, writable=wanted.writable.values()
        )
        if isinstance(chosen, Refusal):
            return _refused(str(chosen), fallback)
    if not wanted.confines_files:
        return AnyThread()
    try:
        return _confined(list(homes))
    except CannotConfine as error:
        return _refused(_demanded(wanted, str(error)), fallback)


def _confined(homes: Sequence[Home]) -> ConfinedThreads:
    from assent.os_sandbox import ConfinedThreads
    from assent.tools.files.search import find_ripgrep

    roots = {home.root.fd: home.rule.mode == "rw" for home in homes}
    rg = find_ripgrep(list(roots))
    return ConfinedThreads(
        readable=[fd for fd, writable in roots.items() if not writable],
        writable=[fd for fd, writable in roots.items() if writable],
        programs=[Path(rg)] if rg else [],
    )


def _refused(why: str, fallback: OSSandboxFallback) -> NoThread:
    if fallback == "fail_fast":
        raise CannotConfine(why)
    return NoThread(why)


def _demanded(wanted: Sandbox, why: str) -> str:
    """Why it is refused, which key demands it, and which one changes that."""
    key = "require_os_sandbox" if wanted.confine_file_tools is None else "confine_file_tools"
    degraded = wanted.os_sandbox_fallback == "refuse_tools"
    ending = "" if degraded else ", or sandbox.os_sandbox_fallback to refuse_tools, to start without file tools"
    return (
        f"{why}. sandbox.{key} demands it{', so file tools are refused' if degraded else ''}. "
        f"Set sandbox.confine_file_tools to false, to trust the path checks alone{ending}."
    )
