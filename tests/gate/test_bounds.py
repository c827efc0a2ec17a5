"""Answers that stand for a while or for some calls, whose effect a clerk can tell beforehand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import ApprovalRequest, Approve, Permit, Reject, Scope, ToolCall, execute
from assent.errors import DeniedByPolicy, Rejected
from assent.gate import StoreClerk, grant_from
from assent.model import Wider
from assent.testing import Answers, VirtualClock
from tests.gate.kit import Recorder, asking, call, gate, kinds


async def test_an_approval_for_some_minutes_stands_so_long_and_then_asks_again() -> None:
    clock, tool = VirtualClock(), Recorder(asking(path="a"))
    here = gate(Answers(Approve(scope=Scope.SESSION, seconds=900), Reject()), clock=clock)
    await execute(call(id="1"), tool, here)
    clock.advance(899)
    await execute(call(id="2"), tool, here)
    clock.advance(1)
    with pytest.raises(Rejected):
        await execute(call(id="3"), tool, here)
    assert len(tool.ran) == 2


async def test_an_approval_for_three_more_calls_lets_three_more_through() -> None:
    tool = Recorder(asking(path="a"))
    here = gate(Answers(Approve(scope=Scope.SESSION, calls=3), Reject()))
    for number in range(4):
        await execute(call(id=str(number)), tool, here)
    with pytest.raises(Rejected):
        await execute(call(id="last"), tool, here)
    assert len(tool.ran) == 4
    assert kinds(here).count("granted") == 3
    assert "used_up" in kinds(here)


async def test_a_refusal_for_some_minutes_ends_too() -> None:
    clock, tool = VirtualClock(), Recorder(asking(path="a"))
    here = gate(Answers(Reject(scope=Scope.ALWAYS, seconds=60), Approve()), clock=clock)
    with pytest.raises(Rejected):
        await execute(call(id="1"), tool, here)
    with pytest.raises(DeniedByPolicy):
        await execute(call(id="2"), tool, here)
    clock.advance(60)
    await execute(call(id="3"), tool, here)


async def test_what_waits_is_answered_by_a_counting_grant_only_as_often_as_it_counts() -> None:
    tool = Recorder(asking(path="a"))
    here = gate()
    waiting = [await here.judge(call(id=str(number)), tool) for number in range(4)]
    first = waiting[0]
    assert not isinstance(first, Permit)
    here.answer(first.id, Approve(scope=Scope.SESSION, calls=2))
    again = [await here.judge(call(id=str(number)), tool) for number in range(1, 4)]
    assert [isinstance(each, Permit) for each in again] == [True, True, False]


async def test_a_counting_grant_is_spared_where_another_covers_the_call_too() -> None:
    wider = Wider(name="all", description="all writes", fingerprint={}, pattern="write *")
    request = ApprovalRequest(description="write", fingerprint={"path": "a"}, wider=(wider,))
    tool = Recorder(request)
    here = gate(Answers(Approve(scope=Scope.SESSION, calls=1)))
    await execute(call(id="1"), tool, here)
    other = grant_from(Approve(scope=Scope.ALWAYS, covers="all"), call(), request, by="ana", at=0.0)
    assert other is not None
    here.store.remember(other)
    await execute(call(id="2"), tool, here)
    assert {(each.calls, each.pattern) for each in here.store.grants()} == {(1, ""), (None, "write *")}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seconds": 60}, "for once"),
        ({"calls": 1}, "for once"),
        ({"scope": "session", "seconds": 0}, "bounds"),
        ({"scope": "session", "seconds": float("inf")}, "bounds"),
        ({"scope": "session", "seconds": float("nan")}, "bounds"),
        ({"scope": "always", "calls": 0}, "bounds"),
        ({"hunks": ()}, "no choice"),
        ({"hunks": (-1,)}, "no choice"),
        ({"hunks": (0,), "override_args": {}}, "not both"),
    ],
)
def test_bounds_and_choices_that_mean_nothing_are_no_answer(given: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Approve(**given)  # type: ignore[arg-type]


PATHS = st.lists(st.sampled_from(["a/x", "a/y", "b/z"]), max_size=8)


@given(paths=PATHS, folder=st.sampled_from("ab"))
async def test_a_clerk_counts_what_an_answer_would_have_covered(paths: list[str], folder: str) -> None:
    def in_folder(call: ToolCall, /) -> ApprovalRequest:
        path = str(call.args["path"])
        here = Wider(name="folder", description=f"all in {path[0]}", fingerprint={"folder": path[0]})
        return ApprovalRequest(description="write", fingerprint={"path": path}, wider=(here,))

    here = gate(park_timeout=None)
    tool = Recorder(in_folder)
    for number, path in enumerate(paths):
        pending = await here.judge(call(id=str(number), run=f"run {number}", path=path), tool)
        assert not isinstance(pending, Permit)
        here.answer(pending.id, Approve())
    await here.judge(call(id="waits", path="a/x"), tool)
    wanted = call(path=f"{folder}/new")
    grant = grant_from(Approve(scope=Scope.SESSION, covers="folder"), wanted, in_folder(wanted), by="ana", at=0.0)
    assert grant is not None
    assert StoreClerk(here.store).covered(grant, last=5) == (
        sum(path[0] == folder for path in paths[-4:]),
        len(paths[-4:]),
    )
