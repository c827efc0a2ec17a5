"""A callback as an approver: it is called in the loop of the run, one question at a time."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from assent.errors import AlreadyDecided
from assent.model import ApprovalDecision, Approve, Approver, Clerk, Pending, PendingId, Reject, Respond, Reviews

AskedBy = Callable[[Pending], ApprovalDecision | bool | Awaitable[ApprovalDecision | bool]]
"""Answers a question: with a decision, or with true or false."""
_BY: Final = "the program"


class Asking:
    """Asks the callback of the run at hand; where it has none, the approver; where there is none, the desk waits."""

    def __init__(self, otherwise: Approver | None) -> None:
        self._otherwise = otherwise
        self._callback: AskedBy | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def use(self, callback: AskedBy | None) -> None:
        """Ask this one from now on; called in the loop in which it shall be called."""
        self._callback = callback
        self._loop = None if callback is None else asyncio.get_running_loop()

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        """The callback's answers; without one, nobody here answers, and whoever reads the desk elsewhere may."""
        if self._callback is not None:
            return await self._called(self._callback, batch)
        # Ended by the desk, once each was answered elsewhere or its time was over.
        nobody: asyncio.Future[Mapping[PendingId, ApprovalDecision]] = asyncio.get_running_loop().create_future()
        return await nobody

    async def review(self, batch: Sequence[Pending], clerk: Clerk, /) -> Mapping[PendingId, ApprovalDecision]:
        """The same, for approvers that look closer."""
        otherwise = self._otherwise
        if self._callback is not None or otherwise is None:
            return await self.decide(batch)
        asked = otherwise.review(batch, clerk) if isinstance(otherwise, Reviews) else otherwise.decide(batch)
        return await asked

    def lost(self, pending: Pending, first: AlreadyDecided) -> None:
        """Tell an approver who wants to know that another answer was first."""
        tell = getattr(self._otherwise, "lost", None)
        if tell is not None:
            tell(pending, first)

    async def _called(self, callback: AskedBy, batch: Sequence[Pending]) -> Mapping[PendingId, ApprovalDecision]:
        return {each.id: await self._ask(callback, each) for each in batch}

    async def _ask(self, callback: AskedBy, pending: Pending) -> ApprovalDecision:
        assert self._loop is not None  # noqa: S101 — set together with the callback
        # The desk asks from a thread of its own; the callback belongs to the run's loop.
        answer = asyncio.run_coroutine_threadsafe(_answered(callback, pending), self._loop)
        return await asyncio.wrap_future(answer)


async def _answered(callback: AskedBy, pending: Pending) -> ApprovalDecision:
    given = callback(pending)
    answer: object = await given if inspect.isawaitable(given) else given
    if isinstance(answer, (Approve, Reject, Respond)):
        return answer
    # Exactly true: what merely looks like a yes was not meant as one.
    if answer is True:
        return Approve(by=_BY)
    if answer is False:
        return Reject(by=_BY)
    raise TypeError(f"{answer!r} is not an answer; Approve, Reject, Respond, True and False are")
