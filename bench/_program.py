"""An approver that is no person."""

from __future__ import annotations

from assent.model import ApprovalDecision, Approve, Pending
from assent.testing import Answers


class Program(Answers):
    """Approves every call, and need not be waited for."""

    def __init__(self) -> None:
        super().__init__(Approve())

    def at_once(self, _pending: Pending, /) -> ApprovalDecision:
        return Approve()
