"""Spending a permit: once, on the record before and after."""

from __future__ import annotations

import os
from contextlib import suppress
from types import TracebackType

from assent.errors import AlreadySpent, AssentError, OutcomeUnknown, StoreFailed, described
from assent.model import Clock, EffectState, Permit, Store

_process = object()
"""This process; asking the system for its number takes time, and every call wants to know."""


def _begin_anew() -> None:
    global _process  # noqa: PLW0603 — a fact about the process
    _process = object()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


class Spender:
    """Lets each permit be spent once, and records when its call starts and how it ends."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._process = _process

    def start(self, permit: Permit) -> None:
        """The call starts now.

        Raises:
            AlreadySpent: it was started before.
            Stopped: a person stopped the run meanwhile.
            StoreFailed: the gate was made before this process was forked.
        """
        if self._process is not _process:
            # A fork copies the permit: whoever has it there could run the call a second time.
            message = "the gate was made before this process was forked: make one here, and ask again"
            raise StoreFailed(message)
        try:
            permit.ticket.pop()
        except IndexError:
            raise AlreadySpent(permit.call.tool_name) from None
        answered = permit.answered
        if answered is None:
            return
        if not answered.started:
            self._store.start(answered.pending, self._clock(), permit=permit, again=answered.again)

    def abandon(self, permit: Permit) -> None:
        """Nobody is left to run the call: what says that it started says that it did not."""
        if permit.answered is not None and permit.answered.started and permit.ticket:
            permit.ticket.clear()
            detail = "the caller was interrupted before it ran"
            with suppress(AssentError):
                self._store.finish(permit.answered.pending, EffectState.FAILED, self._clock(), detail=detail)

    def end(self, permit: Permit, error: BaseException | None) -> None:
        """The call ended, with this error or none."""
        if permit.answered is None:
            if error is not None:
                self._store.note("failed", self._clock(), permit.call, _describe(error))
            return
        try:
            self._store.finish(permit.answered.pending, _state(error), self._clock(), detail=_describe(error))
        except StoreFailed as failure:
            # It ran, and the record says only that it started: nobody may think it did not run.
            raise OutcomeUnknown(permit.call.tool_name) from failure


class Spending:
    """The time in which a permitted call runs; `with` and `async with` are the same."""

    __slots__ = ("_permit", "_spender")

    def __init__(self, permit: Permit, spender: Spender) -> None:
        self._permit = permit
        self._spender = spender

    def __enter__(self) -> Permit:
        self._spender.start(self._permit)
        return self._permit

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spender.end(self._permit, error)

    async def __aenter__(self) -> Permit:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


def _state(error: BaseException | None) -> EffectState:
    match error:
        case None:
            return EffectState.DONE
        case Exception():
            return EffectState.FAILED
        case _:
            # Cancelled or interrupted in the middle: how far it got, nobody saw.
            return EffectState.UNKNOWN


def _describe(error: BaseException | None) -> str:
    return "" if error is None else described(error)
