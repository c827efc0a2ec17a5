"""Natural mistakes are said where they are made, before any call; and a gate can be closed like a file."""

from pathlib import Path

import pytest

from assent import Allow, Approve, Fixed, Gate, SQLiteStore, TerminalApprover
from assent.errors import StoreFailed
from assent.testing import Answers
from tests.gate.kit import ASK, call, gate


def sends(to: str) -> str:
    return to


@pytest.mark.parametrize("store", ["x.db", Path("x.db"), SQLiteStore])
def test_what_is_no_store_is_named(store: object) -> None:
    with pytest.raises((TypeError, StoreFailed), match=r"SQLiteStore\(path\)|no store"):
        Gate(store=store)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("approver", "words"),
    [
        (TerminalApprover, r"is a class; give one of its objects: TerminalApprover\(\)"),
        (sends, r"needs decide\(batch\)"),
    ],
)
def test_what_is_no_approver_is_named(approver: object, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        gate(approver)


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Allow(reason="fine"), r"Fixed\(verdict\)"),
        (lambda _call: None, r"it needs check_approval\(call\)"),
        (Fixed, "is a class"),
        ("allow", r"it needs check_approval\(call\)"),
    ],
)
def test_what_is_no_policy_is_named(policy: object, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        gate().wrap(sends, policy=policy)  # type: ignore[arg-type]


@pytest.mark.parametrize("timeout", [float("inf"), float("nan"), True, "5", 0, -1])
async def test_what_is_no_time_limit_is_refused(timeout: object) -> None:
    with pytest.raises(ValueError, match="None waits for ever"):
        gate(timeout=timeout)
    with pytest.raises(ValueError, match="None waits for ever"):
        await gate(Answers(Approve())).admit(call(), ASK, timeout=timeout)  # type: ignore[arg-type]


def test_a_gate_is_closed_at_the_end_of_its_block(tmp_path: Path) -> None:
    with Gate(approver=Answers(Approve()), store=SQLiteStore(tmp_path / "record.db")) as behind:
        assert behind.wrap(sends)("bob") == "bob"
    with pytest.raises(StoreFailed):
        behind.wrap(sends)("bob")
