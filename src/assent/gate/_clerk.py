"""Whom an approver asks for more: whole files, what an answer would cover, an edited call drawn anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assent.functions import simple_approval_request
from assent.gate._judge import Judge
from assent.gate._settle import draw, edited
from assent.model import ApprovalRequest, Grant, Pending, PendingId, Policy, Preview, Store, ToolCall, operations

_KEPT = 1024
_EDITS = 4
"""Of one question; the drawing of an older one is made anew if it is approved."""


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
        found, of = self.covered_by(grant, last=last)
        return len(found), of

    def covered_by(self, grant: Grant, /, *, last: int) -> tuple[list[Pending], int]:
        """The same with the questions themselves, newest first."""
        recent = [asked.pending for asked in self._store.recent(last) if asked.ruling is not None]
        return [each for each in recent if _covers(grant, each)], len(recent)

    async def redraw(self, _pending: Pending, _args: Mapping[str, object], /) -> Pending | None:
        """None: here is no policy to judge it."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redrawn:
    """A question as it would be with a person's arguments."""

    pending: Pending
    asks: bool
    """Whether somebody would be asked about it; otherwise its policy allows it."""


@dataclass(slots=True)
class _Open:
    """A question of this process, who judges it, and what was last shown of edits of it."""

    pending: Pending
    policy: Policy
    redrawn: dict[str, Preview] = field(default_factory=dict[str, Preview])
    """By the digest of the edited call: several people may look at several edits."""

    def keep(self, call: ToolCall, preview: Preview) -> None:
        """What is shown now is what an approval of this edit binds to."""
        self.redrawn.pop(call.digest, None)
        while len(self.redrawn) >= _EDITS:
            del self.redrawn[next(iter(self.redrawn))]
        # The evidence is what binds; whole files would stay in memory.
        self.redrawn[call.digest] = replace(preview, contents={})


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

    def policy_of(self, pending: PendingId) -> Policy | None:
        """Who judges the question; None if it is not ours."""
        known = self._open.get(pending)
        return None if known is None else known.policy

    async def redraw(self, pending: Pending, args: Mapping[str, object], /) -> Pending | None:
        """The question as it would be with other arguments, judged and drawn; None if it is not ours."""
        redrawn = await self.judge_edit(pending, args)
        return None if redrawn is None else redrawn.pending

    async def judge_edit(self, pending: Pending, args: Mapping[str, object], /) -> Redrawn | None:
        """As `redraw`, and whether somebody would be asked about it."""
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
        # Once it is answered, nobody's later look changes what that answer binds to.
        if self._store.ruling(pending.id) is None:
            known.keep(call, preview)
        drawn = replace(pending, call=call, request=request, preview=preview, digest=call.digest)
        return Redrawn(pending=drawn, asks=isinstance(verdict, ApprovalRequest))

    def redrawn(self, pending: PendingId, call: ToolCall) -> Preview | None:
        """What was shown of this call; None if nobody saw it."""
        known = self._open.get(pending)
        if known is None:
            return None
        shown = known.redrawn.get(call.digest)
        known.redrawn.clear()
        return shown


def _covers(grant: Grant, pending: Pending) -> bool:
    return grant.agents in (None, pending.call.agents) and grant.operation in operations(pending.call, pending.request)
