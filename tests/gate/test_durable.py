"""What is durable when: an approval before its effect, and every other answer at once."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from assent import ApprovalDecision, Approve, Gate, Pending, Reject, Scope, SQLiteStore, execute
from assent.errors import Refused
from assent.testing import Answers
from tests.gate.kit import Recorder, asking, call
from tests.store.kit import heard


class AtOnce(Answers):
    blocks = False


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    with closing(SQLiteStore(tmp_path / "store.db")) as store:
        yield store


@pytest.mark.parametrize("approver", [AtOnce, Answers])
async def test_one_sync_makes_an_approval_and_its_start_durable_before_the_tool_runs(
    store: SQLiteStore, approver: type[Answers]
) -> None:
    class Tool(Recorder):
        async def run(self, permit: object, /) -> object:
            assert done == ["commit", "commit", "commit", "sync"]  # asked, approved, started
            return "ran"

    with heard(store) as done:
        assert await execute(call(), Tool(asking()), Gate(approver=approver(Approve()), store=store)) == "ran"


@pytest.mark.parametrize("answer", [Reject(), Reject(stop=True), Approve(scope=Scope.SESSION)])
async def test_any_other_answer_is_durable_when_it_is_given(store: SQLiteStore, answer: ApprovalDecision) -> None:
    behind = Gate(approver=AtOnce(answer), store=store)
    with heard(store) as done, suppress(Refused):
        await behind.admit(call(), Recorder(asking()))
    assert done == ["commit", "synced commit"]


async def test_an_answer_from_anywhere_else_is_durable_when_it_is_given(store: SQLiteStore) -> None:
    behind = Gate(store=store)
    pending = await behind.judge(call(), Recorder(asking()))
    assert isinstance(pending, Pending)
    with heard(store) as done:
        behind.answer(pending.id, Approve())
    assert done == ["synced commit"]
