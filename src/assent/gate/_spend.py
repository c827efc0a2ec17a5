"""Spending a permit: once, on the record before and after."""

from __future__ import annotations

from types import TracebackType

from assent.errors import AlreadySpent, OutcomeUnknown, StoreFailed
from assent.model import Clock, EffectState, Permit, Store


class Spending:
    """The time in which a permitted call runs; `with` and `async with` are the same."""

    __slots__ = ("_clock", "_permit", "_store")

    def __init__(self, permit: Permit, store: Store, clock: Clock) -> None:
        self._permit = permit
        self._store = store
        self._clock = clock

    def __enter__(self) -> Permit:
        permit = self._permit
        try:
            permit.ticket.pop()
        except IndexError:
            raise AlreadySpent(permit.call.tool_name) from None
        if permit.answered is not None:
            answered = permit.answered
            self._store.start(answered.pending, self._clock(), permit=permit, again=answered.again)
        return permit

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        permit = self._permit
        if permit.answered is None:
            if error is not None:
                self._store.note("failed", self._clock(), permit.call, _describe(error))
            return
        try:
            self._store.finish(permit.answered.pending, _state(error), self._clock(), detail=_describe(error))
        except StoreFailed as failure:
            # It ran, and the record says only that it started: nobody may think it did not run.
            raise OutcomeUnknown(permit.call.tool_name) from failure

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
