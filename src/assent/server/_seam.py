"""What the server needs of an agent: to start it with a prompt, and to hear what happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from assent.config import Mode
from assent.server.messages import Message

Emit = Callable[[Message], Awaitable[None]]
"""Takes each message as it happens; the last one of a run has the type `result`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A run that somebody wants, after the server has decided what they may want."""

    prompt: str
    go_on: bool
    """Whether it goes on with the conversation before."""
    mode: Mode
    auto_approve_safe: bool
    """false: every read asks. true takes back nothing that the configuration asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What clients are told of a runner."""

    cwd: str | None = None
    model: str | None = None
    offline: bool = False
    """Whether the embedded model answers."""


class Describes(Protocol):
    """A runner that can say where it works, and who answers there."""

    @property
    def about(self) -> About:
        """As it is now."""
        ...


class Runner(Protocol):
    """Somebody who works on prompts, one at a time, with questions on the server's own desk."""

    @property
    def run(self) -> str:
        """Under which run its calls are on record; empty before the first prompt."""
        ...

    async def work(self, wanted: Wanted, emit: Emit, /) -> None:
        """Work on a prompt to its end; cancelled, it ends in good order."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...
