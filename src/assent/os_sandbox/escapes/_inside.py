"""The program that makes the attempts: behind the walls, on the standard library alone.

It reads from its input what to try and where, and writes a line for each attempt. Each attempt is a
process of its own, so that one which is killed is only killed itself.
"""

# ruff: noqa: T201 (it speaks by its output)

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence

_SECONDS = 10
_MOST_BYTES = 4096


def run(attempts: Sequence[Callable[[Mapping[str, str]], object]], place: Mapping[str, str]) -> None:
    """Try them all, in order."""
    for attempt in attempts:
        name = attempt.__name__
        own = {**place, "name": name, "outside": place["outside"] + "/" + name}
        print(json.dumps([name, *_tried(attempt, own)]), flush=True)


def _tried(attempt: Callable[[Mapping[str, str]], object], place: Mapping[str, str]) -> tuple[bool, str]:
    """Whether it came through, and what it said."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(_SECONDS)
        try:
            answer = (True, str(attempt(place) or "done"))
        except Exception as error:  # noqa: BLE001 (whatever stopped it, it was stopped)
            answer = (False, str(error) or type(error).__name__)
        os.write(theirs, json.dumps(answer).encode()[:_MOST_BYTES])
        os._exit(0)
    os.close(theirs)
    _, status = os.waitpid(pid, 0)
    os.set_blocking(ours, False)
    try:
        said = os.read(ours, _MOST_BYTES)
    except BlockingIOError:
        said = b""
    os.close(ours)
    if not said:
        return False, f"killed by {signal.Signals(os.WTERMSIG(status)).name}" if os.WIFSIGNALED(status) else "ended"
    came, words = json.loads(said)
    return came, words
