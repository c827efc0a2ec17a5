"""A stop among the answers to a batch: nothing that was approved beside it starts."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from assent import ApprovalDecision, Approve, Pending, Reject, Scope, Session
from assent.errors import AlreadyDecided
from assent.gate import posting_order
from assent.model import PendingId, Respond, Ruling
from tests.gate.kit import Recorder, asking, call, gate

BESIDE = [Approve(), Approve(scope=Scope.SESSION)]


class StopsAt:
    """Approves a batch, but for one call of it, with which it stops the run."""

    def __init__(self, number: int, beside: Approve) -> None:
        self._number = number
        self._beside = beside

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        return {
            each.id: Reject(stop=True, by="ana") if each.call.args["number"] == self._number else self._beside
            for each in batch
        }


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("number", [0, 1, 2])
async def test_nothing_of_a_batch_runs_that_one_answer_stops(number: int, beside: Approve) -> None:
    ran: list[int] = []

    def tool(number: int) -> None:
        ran.append(number)

    session = Session(gate(StopsAt(number, beside)), [tool])
    wanted = (session.call("tool", {"number": each}, group_id="turn") for each in range(3))
    await asyncio.gather(*wanted, return_exceptions=True)
    assert ran == []


@pytest.mark.parametrize("beside", BESIDE)
async def test_a_stop_that_comes_with_approvals_from_elsewhere_comes_first(beside: Approve) -> None:
    behind, tool = gate(), Recorder(asking())
    first, second = [await behind.judge(call(id=each), tool) for each in "12"]
    assert isinstance(first, Pending)
    assert isinstance(second, Pending)
    ended = behind.answer_all({first.id: beside, second.id: Reject(stop=True, by="ana")})
    assert isinstance(ended[first.id], AlreadyDecided)
    assert isinstance(ended[second.id], Ruling)
    assert not behind.store.grants()


def test_answers_are_posted_in_an_order_in_which_none_answers_another() -> None:
    order: list[ApprovalDecision] = [
        Reject(),
        Reject(stop=True),
        Approve(),
        Reject(scope=Scope.SESSION),
        Approve(scope=Scope.ALWAYS),
    ]
    places = [posting_order(each) for each in order]
    assert places == sorted(set(places))
    assert posting_order(Respond(result=1)) == posting_order(None) == posting_order(Reject())
