"""Small policies and calls that the gate's tests share."""

from collections.abc import Callable

from assent import Allow, ApprovalRequest, Deny, Fixed, Gate, Permit, Policy, ToolCall, Verdict
from assent.model import Preview, arguments_preview
from assent.testing import memory_store

ALLOW = Fixed(Allow(reason="harmless"))
ASK = Fixed(ApprovalRequest(description="write a.txt", fingerprint={"path": "a.txt"}))
DENY = Fixed(Deny(reason="never"))


def call(name: str = "write", id: str = "1", run: str = "run", **args: object) -> ToolCall:  # noqa: A002
    return ToolCall(run=run, id=id, tool_name=name, args=args)


class Recorder:
    """A tool that judges as told and writes down what it ran."""

    name = "write"
    idempotent = False

    def __init__(self, verdict: Verdict | Callable[[ToolCall], Verdict | None] | None = None) -> None:
        self._verdict = verdict
        self.ran: list[dict[str, object]] = []
        self.previews = 0

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        return self._verdict(call) if callable(self._verdict) else self._verdict

    async def preview(self, call: ToolCall, /) -> Preview:
        self.previews += 1
        return arguments_preview(call)

    async def run(self, permit: Permit, /) -> object:
        self.ran.append(permit.call.arguments())
        return f"ran {permit.call.tool_name}"


def asking(**fingerprint: object) -> ApprovalRequest:
    return ApprovalRequest(description="may I?", fingerprint=fingerprint)


def gate(approver: object = None, **options: object) -> Gate:
    return Gate(approver=approver, **({"store": memory_store()} | options))  # type: ignore[arg-type]


def kinds(gate: Gate) -> list[str]:
    """What the journal says happened, in order."""
    return [entry.kind for entry in gate.store.journal()]


__all__ = ["ALLOW", "ASK", "DENY", "Policy", "Recorder", "asking", "call", "gate", "kinds"]
