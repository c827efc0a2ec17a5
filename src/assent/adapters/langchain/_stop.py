"""A person's stop, which ends the run whatever LangChain is told to do about failures."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any

from langgraph.errors import GraphBubbleUp

from assent.errors import Rejected, Stopped
from assent.gate import Gate, Inherited

_Task = asyncio.Task[Any] | None
_running: dict[tuple[Gate, str], list[_Task]] = {}
"""The tasks in which a run's tools run."""
_ending: dict[_Task, StoppedRun] = {}
"""Those that a stop ends, until they have."""
_around: ContextVar[tuple[_Task, ...]] = ContextVar("assent_tasks_around", default=())
"""Those of the tools around this one: they end by themselves, once it has."""


class StoppedRun(Stopped, GraphBubbleUp):
    """What passes through LangChain's retries and error handlers, as LangGraph's own pauses do."""


def stopped(error: Stopped | Rejected, here: Inherited) -> StoppedRun:
    """The same person's words. What runs beside the call ends now: LangGraph would wait for it, as for a pause."""
    try:
        loop, mine = asyncio.get_running_loop(), (asyncio.current_task(), *_around.get())
    except RuntimeError:
        pass  # what threads do, nobody can end
    else:
        for task in [*_running.get((here.gate, here.run), ())]:
            if task is not None and task not in mine and task.get_loop() is loop:
                _ending[task] = StoppedRun(note=error.note, by=error.by)
                task.cancel()
    return StoppedRun(note=error.note, by=error.by)


class Beside:
    """The time in which a tool runs, beside others of its run."""

    __slots__ = ("_key", "_task", "_token")

    _task: _Task
    _token: Token[tuple[_Task, ...]]

    def __init__(self, here: Inherited) -> None:
        self._key = here.gate, here.run

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._token = _around.set((*_around.get(), self._task))
        _running.setdefault(self._key, []).append(self._task)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _around.reset(self._token)
        beside = _running[self._key]
        beside.remove(self._task)
        if not beside:
            del _running[self._key]
        why = _ending.pop(self._task, None)
        if why is not None and self._task is not None and isinstance(error, asyncio.CancelledError):
            # Not as cancelled: LangGraph would say that of the run, and not that a person stopped it.
            self._task.uncancel()
            raise why from error
