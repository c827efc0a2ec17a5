"""What is durable when: an approval before its effect, and every other answer at once."""

from contextlib import suppress
from pathlib import Path

import pytest

from assent import ApprovalDecision, Approve, Gate, Pending, Reject, Scope, SQLiteStore, execute
from assent.errors import Refused
from assent.testing import Answers
from tests.gate.kit import Recorder, asking, call


class Spy(SQLiteStore):
    """The real record, which says how each of its writes is synced."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.commits: list[str] = []
        self._db._writer.set_trace_callback(self._hear)

    def _hear(self, statement: str) -> None:
        if statement == "COMMIT":
            self.commits.append(self._db._sync)


class AtOnce(Answers):
    blocks = False


@pytest.fixture
def store(tmp_path: Path) -> Spy:
    return Spy(tmp_path / "store.db")


@pytest.mark.parametrize("approver", [AtOnce, Answers])
async def test_one_sync_makes_an_approval_and_its_start_durable_before_the_tool_runs(
    store: Spy, approver: type[Answers]
) -> None:
    class Tool(Recorder):
        async def run(self, permit: object, /) -> object:
            assert store.commits[:3] == ["NORMAL", "NORMAL", "FULL"]  # asked, approved, started
            assert not store._db._owes_sync
            return "ran"

    assert await execute(call(), Tool(asking()), Gate(approver=approver(Approve()), store=store)) == "ran"
    store.close()


@pytest.mark.parametrize("answer", [Reject(), Reject(stop=True), Approve(scope=Scope.SESSION)])
async def test_any_other_answer_is_durable_when_it_is_given(store: Spy, answer: ApprovalDecision) -> None:
    behind = Gate(approver=AtOnce(answer), store=store)
    with suppress(Refused):
        await behind.admit(call(), Recorder(asking()))
    assert store.commits == ["NORMAL", "FULL"]
    store.close()


async def test_an_answer_from_anywhere_else_is_durable_when_it_is_given(store: Spy) -> None:
    behind = Gate(store=store)
    pending = await behind.judge(call(), Recorder(asking()))
    assert isinstance(pending, Pending)
    behind.answer(pending.id, Approve())
    assert store.commits == ["NORMAL", "FULL"]
    store.close()
