"""The desk's watcher: an error ends the questions that wait, never the watching."""

import asyncio
import threading
from collections.abc import Mapping, Sequence

import pytest

from assent import ApprovalDecision, Pending
from assent.errors import Expired, GateFailed, StoreFailed
from assent.model import PendingId
from assent.runtime import execute
from assent.store import SQLiteStore
from assent.testing import VirtualClock
from tests.gate.kit import Recorder, asking, call, gate


class NeverAnswers:
    """Somebody who looks, and is then asked no more."""

    def __init__(self) -> None:
        self.looked = threading.Event()

    async def decide(self, _batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        self.looked.set()
        await asyncio.Event().wait()
        return {}


class Sometimes(SQLiteStore):
    """A record that cannot be looked at while `broken` says why."""

    broken: Exception | None = None

    def expire(self, now: float, /) -> bool:
        if self.broken is not None:
            raise self.broken
        return super().expire(now)


def watcher(name: str = "assent-watch") -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == name}


@pytest.mark.parametrize(
    ("error", "said"), [(StoreFailed("the disk is gone"), "The store failed"), (RuntimeError("odd"), "The gate failed")]
)
async def test_the_watcher_survives_an_error_and_time_goes_on_ending_questions(error: Exception, said: str) -> None:
    others = watcher()
    store, clock, person, tool = Sometimes(), VirtualClock(), NeverAnswers(), Recorder(asking())
    behind = gate(person, store=store, clock=clock, timeout=60.0)
    store.broken = error
    with pytest.raises(GateFailed, match=said):
        await execute(call(id="1"), tool, behind)
    (watching,) = watcher() - others
    store.broken = None
    person.looked.clear()
    waits = asyncio.ensure_future(execute(call(id="2"), tool, behind))
    await asyncio.to_thread(person.looked.wait, 20)
    clock.advance(61.0)
    with pytest.raises(Expired):
        await waits
    assert watcher() - others == {watching}
    assert tool.ran == []
