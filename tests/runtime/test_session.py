import asyncio

import pytest

from assent import Approve, Gate, Permit, Reject, Respond, Scope, Session, ToolCall, requires_approval
from assent.errors import Stopped, ToolError
from assent.testing import Answers
from tests.gate.kit import Recorder, asking, gate


@requires_approval()
def add(left: int, right: int) -> int:
    return left + right


async def test_a_result_is_the_tools_own() -> None:
    assert await Session(gate(Answers(Approve())), [add]).call("add", {"left": 1, "right": 2}) == 3


async def test_a_refusal_is_a_result_the_model_can_read() -> None:
    result = await Session(gate(Answers(Reject(note="use 3"))), [add]).call("add", {"left": 1, "right": 2})
    assert result == {
        "error": "rejected",
        "message": "User rejected: use 3. It was not executed; do not retry it unchanged.",
    }


async def test_a_tool_that_fails_is_a_result_too() -> None:
    class Fails(Recorder):
        async def run(self, permit: Permit, /) -> object:
            message = "disk full"
            raise ToolError(message)

    assert await Session(gate(), [Fails()]).call("write", {}) == {"error": "tool_error", "message": "disk full"}


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are named 'write'"):
        Session(gate(), [Recorder(), Recorder()])
    with pytest.raises(TypeError, match="is no tool"):
        Session(gate(), ["write"])  # type: ignore[list-item]


async def test_an_unknown_tool_names_those_there_are() -> None:
    result = await Session(gate(), [add, Recorder()]).call("substract", {})
    assert result == {
        "error": "unknown_tool",
        "message": "There is no tool named 'substract'; the tools are: add, write.",
    }


async def test_wrong_arguments_are_a_result_and_bother_nobody() -> None:
    person = Answers(Approve())
    result = await Session(gate(person), [add]).call("add", {"left": 1, "rihgt": 2})
    assert isinstance(result, dict)
    assert result["error"] == "invalid_arguments"
    assert person.asked == []


async def test_what_a_person_is_shown_includes_defaults() -> None:
    def remove(path: str, recursive: bool = True) -> None: ...  # noqa: FBT001, FBT002

    person = Answers(Approve())
    await Session(gate(person), [remove]).call("remove", {"path": "a"})
    assert person.asked[0].call.args == {"path": "a", "recursive": True}


async def test_a_refusal_inside_a_running_tool_is_its_failure_not_its_refusal() -> None:
    behind = gate(Answers(Approve(), Reject(note="not that one")))
    inner = behind.wrap(add)

    async def outer() -> int:
        return inner(1, 2)

    result = await Session(behind, [outer]).call("outer", {})
    assert isinstance(result, dict)
    assert result["error"] == "tool_error"
    assert str(result["message"]).startswith("outer did not finish: User rejected: not that one.")


async def test_arguments_that_json_cannot_spell_are_a_result_too() -> None:
    result = await Session(gate(), [add]).call("add", {"left": object(), "right": 2})
    assert isinstance(result, dict)
    assert result["error"] == "unspellable"


async def test_stopping_ends_the_run() -> None:
    session = Session(gate(Answers(Reject(stop=True))), [add])
    for _ in range(2):
        with pytest.raises(Stopped):
            await session.call("add", {"left": 1, "right": 2})


async def test_a_stop_holds_for_everybody_in_the_run_although_one_of_them_leaves() -> None:
    behind = gate(Answers(Reject(stop=True), Approve()))
    staying = Session(behind, [add], run="ticket-42")
    with pytest.raises(Stopped), Session(behind, [add], run="ticket-42", agents=("helper",)) as leaving:
        await leaving.call("add", {"left": 1, "right": 2})
    with pytest.raises(Stopped):
        await staying.call("add", {"left": 1, "right": 2})
    assert behind.store.resume_run("ticket-42", by="ana", at=1.0)
    assert await staying.call("add", {"left": 1, "right": 2}) == 3


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("text", 'A person changed this call before it ran. It ran with: {"path":"b"}\n\ntext'),
        (
            [1],
            {"note": 'A person changed this call before it ran. It ran with: {"path":"b"}', "result": [1]},
        ),
    ],
)
async def test_the_model_is_told_that_a_person_changed_its_call(result: object, told: object) -> None:
    class Returns(Recorder):
        async def run(self, permit: Permit, /) -> object:
            return result

    session = Session(gate(Answers(Approve(override_args={"path": "b"}))), [Returns(asking())])
    assert await session.call("write", {"path": "a"}) == told


async def test_what_a_person_responds_is_the_result() -> None:
    assert await Session(gate(Answers(Respond(result=42))), [add]).call("add", {"left": 1, "right": 2}) == 42


async def test_session_approvals_end_with_the_session() -> None:
    person = Answers(Approve(scope=Scope.SESSION))
    behind = gate(person)
    for asked in (1, 2):
        with Session(behind, [add]) as session:
            for _ in range(2):
                assert await session.call("add", {"left": 1, "right": 2}) == 3
        assert len(person.asked) == asked
    assert behind.store.grants() == []


async def test_the_run_the_agents_and_the_group_are_the_sessions() -> None:
    person = Answers(Approve())
    session = Session(gate(person), [add], run="r1", agents=("main", "helper"))
    await session.call("add", {"left": 1, "right": 2}, call_id="c1", group_id="g")
    call = person.asked[0].call
    assert (call.run, call.id, call.agents, call.group_id) == ("r1", "c1", ("main", "helper"), "g")


async def test_a_wrapped_function_inside_a_tool_belongs_to_the_same_run_and_agents() -> None:
    person = Answers(Approve())
    behind: Gate = gate(person)
    inner = behind.wrap(add)

    async def outer() -> int:
        return inner(1, 2)

    session = Session(behind, [outer], run="r1", agents=("main",))
    assert await session.call("outer", {}) == 3
    assert [(pending.call.tool_name, pending.call.run, pending.call.agents) for pending in person.asked] == [
        ("outer", "r1", ("main",)),
        ("add", "r1", ("main",)),
    ]


def test_a_session_works_for_synchronous_code() -> None:
    with Session(gate(Answers(Approve())), [add]) as session:
        assert session.call_sync("add", {"left": 1, "right": 2}) == 3


async def test_and_for_synchronous_code_inside_a_running_loop() -> None:
    with Session(gate(Answers(Approve())), [add]) as session:
        assert session.call_sync("add", {"left": 1, "right": 2}) == 3


async def test_parallel_calls_of_a_session_each_have_their_answer() -> None:
    def choose(pending: object) -> Approve | Reject:
        assert isinstance(pending.call, ToolCall)  # type: ignore[attr-defined]
        return Approve() if pending.call.args["left"] != 2 else Reject()  # type: ignore[attr-defined]

    session = Session(gate(Answers(choose)), [add])
    results = await asyncio.gather(*(session.call("add", {"left": left, "right": 0}) for left in range(4)))
    assert [result if isinstance(result, int) else "refused" for result in results] == [0, 1, "refused", 3]
