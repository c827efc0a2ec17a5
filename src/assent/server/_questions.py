"""Finding the question that a request is about."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Annotated

from fastapi import Path

from assent.errors import AlreadyDecided
from assent.model import Asked, Pending, PendingId, Store
from assent.server._answers import NotFound
from assent.server._desk import Stale
from assent.server.messages import shown_digest

if TYPE_CHECKING:
    from assent.server._desk import ServedDesk

Id = Annotated[str, Path(max_length=64)]


def asked(store: Store, pending: str) -> Asked:
    """The question, and how it ended if it has.

    Raises:
        NotFound: there is none.
    """
    store.expire(time.time())
    found = store.asked(PendingId(pending))
    if found is None:
        raise NotFound(f"there is no question {pending!r}; /api/inbox lists what waits")
    return found


async def open_question(desk: ServedDesk, pending: str, *, seen: str) -> Pending:
    """The question, if it waits and this is what was seen of it.

    Raises:
        NotFound: there is none.
        AlreadyDecided: it waits no more.
        Stale: something else was seen.
    """
    found = await asyncio.to_thread(asked, desk.gate.store, pending)
    if found.ruling is not None:
        raise AlreadyDecided(outcome=found.ruling.outcome, by=found.ruling.by, at=found.ruling.at)
    if shown_digest(found.pending) != seen:
        raise Stale
    return found.pending
