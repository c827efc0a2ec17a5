"""Whom an approver asks for more: whole files, what an answer would cover, an edited call drawn anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assent.functions import simple_approval_request
from assent.gate._judge import Judge
from assent.gate._settle import draw, edited
from assent.model import ApprovalRequest, Grant, Pending, PendingId, Policy, Preview, Store, ToolCall, operations

_KEPT = 1024


class StoreClerk:
    """A clerk for any process that shares the record; what would become of an edited call, only its run can tell."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def content(self, pending: Pending, sha256: str, /) -> bytes | None:
        """The whole of a version that the question speaks of; None if it is not at hand."""
        found = pending.preview.contents.get(sha256)
        return self._store.content(pending.id, sha256) if found is None else found

    def covered(self, grant: Grant, /, *, last: int) -> tuple[int, int]:
        """How many of the last questions this would have answered, in whichever run, and of how many.

        What still waits is not counted: the answer is about that.
        """
        recent = [asked.pending for asked in self._store.recent(last) if asked.ruling is not None]
        return sum(_covers(grant, each) for each in recent), len(recent)

    async def redraw(self, _pending: Pending, _args: Mapping[str, object], /) -> Pending | None:
        """None: here is no policy to judge it."""
        return None


@dataclass(slots=True)
class _Open:
    """A question of this process, who judges it, and what was last shown of an edit of it."""

    pending: Pending
    policy: Policy
    redrawn: tuple[ToolCall, Preview] | None = None


class GateClerk(StoreClerk):
    """The clerk of the process that asks: it knows the policies of its questions."""

    def __init__(self, store: Store, judge: Judge) -> None:
        super().__init__(store)
        self._judge = judge
        self._open: dict[PendingId, _Open] = {}

    def take(self, pending: Pending, policy: Policy) -> None:
        """A question was put on the desk."""
        if len(self._open) >= _KEPT:
            self._open.clear()
        self._open[pending.id] = _Open(pending, policy)

    def knows(self, pending: Pending) -> bool:
        """Whether it is our own question, untouched."""
        known = self._open.get(pending.id)
        return known is not None and known.pending is pending

    async def redraw(self, pending: Pending, args: Mapping[str, object], /) -> Pending | None:
        """The question as it would be with other arguments, judged and drawn; None if it is not ours."""
        known = self._open.get(pending.id)
        if known is None:
            return None
        call = edited(pending.call, args, known.policy)
        if hasattr(known.policy, "prepare"):
            await self._judge.prepare(call, known.policy)
        verdict = self._judge.check(call, known.policy)
        if isinstance(verdict, ApprovalRequest):
            request = verdict
            self._judge.deny_if_remembered(call, request)
        else:
            # Nobody would be asked about it: it has no words of its own, and nothing is remembered of the answer.
            why = verdict.reason if verdict is not None else "its policy allows it"
            request = simple_approval_request(call.tool_name, call.args, reason=f"you changed it: {why}")
        preview = await draw(call, request, known.policy)
        # What is shown now is what an approval of this edit binds to.
        known.redrawn = call, preview
        return replace(pending, call=call, request=request, preview=preview, digest=call.digest)

    def redrawn(self, pending: PendingId, call: ToolCall) -> Preview | None:
        """What was shown of this call; None if nobody saw it."""
        known = self._open.get(pending)
        if known is None or known.redrawn is None:
            return None
        shown, preview = known.redrawn
        known.redrawn = None  # it may hold whole files
        return preview if shown.digest == call.digest else None


def _covers(grant: Grant, pending: Pending) -> bool:
    return grant.agents in (None, pending.call.agents) and grant.operation in operations(pending.call, pending.request)
