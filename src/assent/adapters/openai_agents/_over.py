"""The end of a run: the SDK tells nobody, but lets go of the run's context."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from contextlib import suppress

from assent.errors import AssentError
from assent.gate import Gate

_over: deque[tuple[Gate, str]] = deque()


def ends(context: object, gate: Gate, run: str) -> None:
    """Report the end of the run once nobody has its context any more; until then, of those that are over."""
    report()
    # Not when Python ends: whoever still has the context then might be a fork, or have closed the store.
    weakref.finalize(context, _let_go, gate, run).atexit = False


def report() -> None:
    """Tell the gates which of their runs are over."""
    with suppress(IndexError):  # another thread may have taken the last one
        while _over:
            gate, run = _over.popleft()
            with suppress(AssentError):  # the run is over, and its result stands
                gate.end(run)


def _let_go(gate: Gate, run: str) -> None:
    # Python may come here in the middle of anything, where the store's own locks are held: only take note.
    _over.append((gate, run))
    with suppress(RuntimeError):  # where no loop runs, the next run reports it
        asyncio.get_running_loop().call_soon(report)
