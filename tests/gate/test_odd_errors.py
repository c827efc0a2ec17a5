"""Errors that cannot say what they are refuse the call like any other, and leave nobody waiting."""

from collections.abc import Mapping, Sequence

import pytest

from assent import ApprovalDecision, ApprovalRequest, Approve, Pending, Refused, Reject, Session, Stopped, ToolCall
from assent.errors import DeniedByPolicy, GateFailed
from assent.model import EffectState, PendingId, Preview
from assent.testing import Answers
from tests.gate.kit import ASK, Recorder, call, gate, kinds


class Speechless(Exception):
    def __str__(self) -> str:
        raise self

    __repr__ = __str__


class SpeechlessDenial(Speechless, PermissionError):
    pass


class Odd:
    def __repr__(self) -> str:
        raise Speechless


async def test_a_tool_whose_error_has_no_words_is_on_the_record_as_failed() -> None:
    behind = gate(Answers(Approve()))
    permit = await behind.admit(call(), ASK)
    with pytest.raises(Speechless):
        async with behind.spend(permit):
            raise Speechless
    (asked,) = behind.store.recent(1)
    assert asked.effect is not None
    assert asked.effect.state is EffectState.FAILED
    assert asked.effect.detail.startswith("Speechless: ")


@pytest.mark.parametrize(("error", "refusal"), [(Speechless, GateFailed), (SpeechlessDenial, DeniedByPolicy)])
async def test_a_policy_whose_error_has_no_words_refuses(error: type[Exception], refusal: type[Refused]) -> None:
    def fails(_call: ToolCall) -> ApprovalRequest:
        raise error

    with pytest.raises(refusal, match="cannot be shown"):
        await gate().judge(call(), Recorder(fails))


async def test_a_policy_that_returns_what_cannot_be_shown_refuses() -> None:
    with pytest.raises(GateFailed, match="a Odd that cannot be shown"):
        await gate().judge(call(), Recorder(lambda _call: Odd()))  # type: ignore[arg-type, return-value]


async def test_a_preview_whose_error_has_no_words_refuses() -> None:
    class Blind(Recorder):
        async def preview(self, _call: ToolCall, /) -> Preview:
            raise Speechless

    with pytest.raises(GateFailed, match="The preview failed: Speechless"):
        await gate().judge(call(), Blind(ApprovalRequest(description="x")))


@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize("raises", [True, False])
async def test_an_approver_that_cannot_say_what_is_wrong_refuses(*, blocks: bool, raises: bool) -> None:
    class Fails:
        async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
            if raises:
                raise Speechless
            return {each.id: Odd() for each in batch}  # type: ignore[misc]

    approver = Fails()
    approver.blocks = blocks  # type: ignore[attr-defined]
    with pytest.raises(GateFailed, match="cannot be shown"):
        await gate(approver).admit(call(), ASK)


async def test_a_stop_in_broken_characters_stops_the_run() -> None:
    behind = gate(Answers(Reject(stop=True, note="\udcff no", by="\udcff")))

    def tool(name: str) -> str:
        return name

    with Session(behind, [tool]) as session:
        for _ in range(2):
            with pytest.raises(Stopped):
                await session.call("tool", {"name": "a"})
    assert kinds(behind)[:2] == ["asked", "stopped"]
