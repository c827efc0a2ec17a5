"""The scripted approver: what a test says, in the order it says it."""

from __future__ import annotations

import pytest

from assent import Approve, Gate, Pending, Reject
from assent.errors import GateFailed, Rejected
from assent.runtime import execute
from assent.testing import Answers, memory_store
from tests.gate.kit import Recorder, asking, call
from tests.store.kit import question

YES, NO = Approve(by="script"), Reject(note="no", by="script")


async def test_each_question_gets_the_next_answer() -> None:
    person = Answers(YES, NO, YES)
    batch = [question("1"), question("2"), question("3")]
    assert await person.decide(batch) == {batch[0].id: YES, batch[1].id: NO, batch[2].id: YES}


async def test_the_order_goes_on_from_batch_to_batch_and_the_last_answer_stays() -> None:
    person = Answers(YES, NO)
    answers = [(await person.decide([each]))[each.id] for each in map(question, "1234")]
    assert answers == [YES, NO, NO, NO]


async def test_an_answer_may_depend_on_the_question() -> None:
    def choose(pending: Pending) -> Approve | Reject:
        return YES if pending.call.id == "1" else NO

    one, two = question("1"), question("2")
    assert await Answers(choose).decide([one, two]) == {one.id: YES, two.id: NO}


@pytest.mark.parametrize("error", [RuntimeError("the person fell asleep"), KeyboardInterrupt()])
async def test_an_answer_may_be_an_error(error: BaseException) -> None:
    with pytest.raises(type(error)):
        await Answers(error).decide([question()])


async def test_without_a_script_there_is_no_answer_and_the_question_is_named() -> None:
    with pytest.raises(LookupError, match="no answer is scripted for write 1"):
        await Answers().decide([question("1")])


async def test_what_was_asked_is_kept_in_order_and_in_batches() -> None:
    person = Answers(YES)
    one, two, three = map(question, "123")
    await person.decide([one, two])
    await person.decide([three])
    assert person.batches == [[one, two], [three]]
    assert person.asked == [one, two, three]


async def test_a_gate_takes_it_as_the_person_it_stands_for() -> None:
    person, tool = Answers(YES, NO), Recorder(asking())
    gate = Gate(approver=person, store=memory_store())
    assert await execute(call(id="1"), tool, gate) == "ran write"
    with pytest.raises(Rejected, match="no"):
        await execute(call(id="2"), tool, gate)
    assert [pending.call.id for pending in person.asked] == ["1", "2"]
    assert len(tool.ran) == 1


async def test_a_gate_whose_person_has_no_script_refuses() -> None:
    with pytest.raises(GateFailed, match="no answer is scripted"):
        await execute(call(), Recorder(asking()), Gate(approver=Answers(), store=memory_store()))
