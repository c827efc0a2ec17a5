"""Spending a permit: once, on the record before and after."""

from __future__ import annotations

from contextlib import suppress
from os import getpid
from types import TracebackType

from assent.errors import AlreadySpent, AssentError, OutcomeUnknown, StoreFailed
from assent.model import Clock, EffectState, Permit, Store


class Spender:
    """Lets each permit be spent once, and records when its call starts and how it ends."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._process = getpid()

    def start(self, permit: Permit) -> None:
        """The call starts now.

        Raises:
            AlreadySpent: it was started before.
            Stopped: a person stopped the run meanwhile.
        """
        try:
            permit.ticket.pop()
        except IndexError:
            raise AlreadySpent(permit.call.tool_name) from None
        answered = permit.answered
        if answered is None:
            return
        if not answered.started:
            self._store.start(answered.pending, self._clock(), permit=permit, again=answered.again)
        elif getpid() != self._process:
            # A fork copies the permit, and the store, which would refuse it, is not asked.
            message = "this process was forked after the call had started: ask again here"
            raise StoreFailed(message)

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
    return "" if error is None else f"{type(error).__name__}: {error}"
