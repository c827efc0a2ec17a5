"""Sandboxes, sessions and people for the tests of file tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from assent.gate import Gate, Mode
from assent.model import ApprovalDecision, Approve, Approver, Pending, PendingId
from assent.runtime import Session
from assent.testing import memory_store
from assent.tools.files import Dialect, FileSandbox, file_tools


class Person:
    """Approves everything unless told otherwise; remembers what they were shown, and may act meanwhile."""

    def __init__(
        self, answer: ApprovalDecision | None = None, *, meanwhile: Callable[[Pending], object] | None = None
    ) -> None:
        self.answer = answer or Approve(by="ana")
        self.meanwhile = meanwhile
        self.asked: list[Pending] = []

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        for pending in batch:
            self.asked.append(pending)
            if self.meanwhile is not None:
                self.meanwhile(pending)
        return {pending.id: self.answer for pending in batch}

    @property
    def shown(self) -> Any:  # noqa: ANN401 — whichever presentation the test expects
        """The presentation of the last question."""
        return self.asked[-1].preview.presentation


def session(
    sandbox: FileSandbox,
    approver: Approver | None = None,
    *,
    mode: Mode = "interactive",
    dialect: Dialect = "assent",
    run: str = "run",
) -> Session:
    """A run of an agent that has the file tools."""
    gate = Gate(approver=approver, store=memory_store(), mode=mode)
    return Session(gate, file_tools(sandbox, dialect), run=run)


def refused(result: object) -> str:
    """The code of an error result."""
    return cast("dict[str, str]", result)["error"]


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file beneath a folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
