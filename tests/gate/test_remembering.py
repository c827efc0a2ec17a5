import asyncio

import pytest

from assent import Approve, Pending, Reject, Scope, ToolCall, execute
from assent.errors import DeniedByPolicy, Rejected
from assent.testing import Answers
from tests.gate.kit import Recorder, asking, call, gate


async def test_once_is_for_once() -> None:
    person = Answers(Approve())
    behind = gate(person)
    await execute(call(id="1"), Recorder(asking(path="a")), behind)
    await execute(call(id="2"), Recorder(asking(path="a")), behind)
    assert len(person.asked) == 2


async def test_a_session_answer_covers_the_same_fingerprint_until_the_run_ends() -> None:
    person = Answers(Approve(scope=Scope.SESSION))
    behind = gate(person)
    tool = Recorder(asking(path="a"))
    await execute(call(id="1", content="one"), tool, behind)
    await execute(call(id="2", content="other content, same path"), tool, behind)
    assert len(person.asked) == 1
    await execute(call(id="1", run="another run"), tool, behind)
    assert len(person.asked) == 2
    behind.end("run")
    await execute(call(id="3"), tool, behind)
    assert len(person.asked) == 3


async def test_another_fingerprint_or_another_tool_asks_again() -> None:
    person = Answers(Approve(scope=Scope.ALWAYS))
    behind = gate(person)
    await execute(call(id="1"), Recorder(asking(path="a")), behind)
    await execute(call(id="2"), Recorder(asking(path="b")), behind)
    await execute(call(id="3", name="delete"), Recorder(asking(path="a")), behind)
    assert len(person.asked) == 3


async def test_always_holds_in_every_run_until_it_is_revoked() -> None:
    person = Answers(Approve(scope=Scope.ALWAYS, by="ana"))
    behind = gate(person)
    tool = Recorder(asking(path="a"))
    await execute(call(run="one"), tool, behind)
    behind.end("one")
    await execute(call(run="two"), tool, behind)
    assert len(person.asked) == 1
    (grant,) = behind.store.grants()
    assert (grant.by, grant.allow, grant.tool_name) == ("ana", True, "write")
    assert behind.store.revoke(grant.id, by="ana", at=0.0)
    await execute(call(run="three"), tool, behind)
    assert len(person.asked) == 2


async def test_a_refusal_for_the_session_is_remembered_too() -> None:
    person = Answers(Reject(scope=Scope.SESSION, note="not today"))
    behind = gate(person)
    with pytest.raises(Rejected):
        await execute(call(id="1"), Recorder(asking(path="a")), behind)
    with pytest.raises(DeniedByPolicy, match="not today"):
        await execute(call(id="2"), Recorder(asking(path="a")), behind)
    assert len(person.asked) == 1


def of_agent(id: str, *agents: str) -> ToolCall:  # noqa: A002
    return ToolCall(run="run", id=id, tool_name="write", args={}, agents=agents)


async def test_an_answer_to_a_sub_agent_holds_for_that_sub_agent() -> None:
    person = Answers(Approve(scope=Scope.ALWAYS))
    behind = gate(person)
    tool = Recorder(asking(path="a"))
    await execute(of_agent("1", "main", "helper"), tool, behind)
    await execute(of_agent("2", "main", "helper"), tool, behind)
    assert len(person.asked) == 1
    await execute(of_agent("3", "main"), tool, behind)
    await execute(of_agent("4", "main", "other"), tool, behind)
    assert len(person.asked) == 3


async def test_a_person_may_widen_it_to_every_agent() -> None:
    person = Answers(Approve(scope=Scope.ALWAYS, every_agent=True))
    behind = gate(person)
    tool = Recorder(asking(path="a"))
    await execute(of_agent("1", "main", "helper"), tool, behind)
    await execute(of_agent("2", "main"), tool, behind)
    assert len(person.asked) == 1


async def test_a_new_grant_answers_what_waits() -> None:
    """Two calls of one operation wait; the answer to the first one settles the second."""
    person = Answers(Approve(scope=Scope.SESSION))
    behind = gate(person)
    tool = Recorder(asking(path="a"))
    await asyncio.gather(*(execute(call(id=str(number)), tool, behind) for number in range(5)))
    assert len(tool.ran) == 5
    assert len(person.asked) == 1


async def test_a_new_refusal_answers_what_waits() -> None:
    behind = gate()
    tool = Recorder(asking(path="a"))
    first, second = [await behind.judge(call(id=number), tool) for number in "12"]
    assert isinstance(first, Pending)
    assert isinstance(second, Pending)
    behind.answer(first.id, Reject(scope=Scope.SESSION, note="none of these"))
    with pytest.raises(Rejected, match="none of these"):
        await behind.judge(call(id="2"), tool)


async def test_an_edited_call_is_remembered_as_what_it_became() -> None:
    person = Answers(Approve(override_args={"path": "b"}, scope=Scope.SESSION), Reject())
    behind = gate(person)
    tool = Recorder(lambda call: asking(path=call.args["path"]))
    await execute(call(id="1", path="a"), tool, behind)
    await execute(call(id="2", path="b"), tool, behind)
    assert tool.ran == [{"path": "b"}, {"path": "b"}]
    with pytest.raises(Rejected):
        await execute(call(id="3", path="a"), tool, behind)
