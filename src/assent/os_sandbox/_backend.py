"""What every kind of wall offers: is it there, and how does a command start behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assent.os_sandbox._profile import OSProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Why a backend does not hold here, and what to do about it."""

    backend: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.backend}: {self.what}. {self.remedy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How to start one confined command, with everything that is held for it.

    Start it in a session of its own, with exactly this environment; then `started`, and when it has
    ended `release`.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    pass_fds: tuple[int, ...]
    status: int
    """To be read to its end when the process has ended."""
    ran: Callable[[bytes], bool]
    """Whether the command itself was started, by what came out of `status`."""
    inner: Callable[[bytes], int | None]
    """The process all others die with, by what came out of `status` so far; none if there is no such one."""
    waits: Callable[[bytes], bool]
    """Whether the command waits for `go`, by what came out of `status` so far."""
    go: Callable[[], None]
    """Lets the command begin; whoever is killed before cannot."""
    started: Callable[[], None]
    """Closes what only the new process needs."""
    fallen: Callable[[], tuple[Path, ...]]
    """The masked places that somebody replaced, so that no mask covered them; to be asked before `release`."""
    release: Callable[[], None]
    """Takes back what was put on the disk for the time of the command; closes `status`."""


class Backend(Protocol):
    """One kind of wall."""

    @property
    def name(self) -> str: ...

    @property
    def weaker(self) -> bool:
        """Whether it is less than `require_os_sandbox` means."""
        ...

    @property
    def gaps(self) -> tuple[str, ...]:
        """What it does not hold, or is not known to hold."""
        ...

    def probe(self) -> Missing | None:
        """Try it for real; none if it holds."""
        ...

    def command(self, argv: Sequence[str], *, profile: OSProfile, cwd: Path, env: Mapping[str, str]) -> Launch:
        """Prepare the command.

        Raises:
            CannotConfine: the profile cannot be enforced as it is.
        """
        ...
