"""Whether this process is a fork of the one that opened a file."""

from __future__ import annotations

from functools import cache
from os import register_at_fork

from assent.errors import StoreFailed

count: int = 0
"""How many forks lead here: asking the system who we are takes time, and every call wants to know."""


@cache
def watch() -> None:
    """Count from now on."""
    register_at_fork(after_in_child=_count_one)


def refusal(path: str) -> StoreFailed:
    """Why a fork cannot use what its parent has opened, and what it can do."""
    return StoreFailed(
        f"{path} was opened before this process was forked, and its locks do not hold here: "
        "open it only after forking, or start workers with spawn or forkserver"
    )


def _count_one() -> None:
    global count  # noqa: PLW0603 — as the process id, it is a fact about the process
    count += 1
