"""Whom an approver asks for more: whole files, what an answer would cover, an edited call drawn anew."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from assent.errors import ChangedSinceApproval, StoreFailed
from assent.functions import simple_approval_request
from assent.gate._judge import Judge
from assent.gate._rulings import drawing_of
from assent.gate._settle import draw, edited, narrowed
from assent.model import (
    Allow,
    ApprovalRequest,
    Approve,
    Evidence,
    Grant,
    Outcome,
    Pending,
    PendingId,
    Policy,
    Ruling,
    Store,
    ToolCall,
    Wider,
    operations,
)

_KEPT = 1024
_EDITS = 64
"""Of one question; an approval that names an older one is stale."""


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
        ended = self.ended(last)
        return len(covered_by(grant, ended)), len(ended)

    def ended(self, last: int) -> list[Pending]:
        """Those of the last questions that have ended, newest first."""
        return [asked.pending for asked in self._store.recent(last) if asked.ruling is not None]

    async def redraw(self, _pending: Pending, _args: Mapping[str, object], /) -> Pending | None:
        """None: here is no policy to judge it."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redrawn:
    """A question as it would be with a person's arguments."""

    pending: Pending
    asks: bool
    """Whether somebody would be asked about it; otherwise its policy allows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawing:
    """What an approval of an edited call binds to; whole files would stay in memory."""

    call: str
    """The digest of the call, as the tool takes it: however it was spelled."""
    evidence: tuple[Evidence, ...]
    name: str = ""


_Drawings = dict[str, _Drawing]
"""The last drawing of each edit, by the digest of its call."""


@dataclass(slots=True)
class _Open:
    """A question of this process, who judges it, and what was last shown of edits of it."""

    pending: Pending
    policy: Policy
    own: _Drawings = field(default_factory=_Drawings)
    """What our approver was shown; nobody else's look changes that."""
    named: _Drawings = field(default_factory=_Drawings)
    """What others were shown: their answers name it."""
    settled: bool = False

    def may_go(self, ruling: Ruling | None) -> bool:
        """Whether it has ended, and no answer is left that binds to what was shown."""
        if ruling is None:
            return False
        return self.settled or ruling.outcome is not Outcome.APPROVED or not (self.own or self.named)


class GateClerk(StoreClerk):
    """The clerk of the process that asks: it knows the policies of its questions."""

    def __init__(self, store: Store, judge: Judge) -> None:
        super().__init__(store)
        self._judge = judge
        self._open: dict[PendingId, _Open] = {}
        self._most = _KEPT
        self._pinned: _Drawings = {}
        """What answers bind to, by its name."""
        self._pinning = threading.Lock()

    def take(self, pending: Pending, policy: Policy) -> None:
        """A question was put on the desk."""
        if len(self._open) >= self._most:
            self._let_go()
        self._open[pending.id] = _Open(pending, policy)

    def _let_go(self) -> None:
        """Of what has ended; what waits stays, however much it is."""
        with suppress(StoreFailed):  # then it is tried again, later
            for name, known in [*self._open.items()]:
                if known.may_go(self._store.ruling(name)):
                    self._open.pop(name, None)
        self._most = max(_KEPT, 2 * len(self._open))

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
        if redrawn is not None and (known := self._open.get(pending.id)):
            self._keep(redrawn.pending, known.own)
        return None if redrawn is None else redrawn.pending

    async def judge_edit(self, pending: Pending, args: Mapping[str, object], /) -> Redrawn | None:
        """As `redraw`, and whether somebody would be asked about it; nothing binds to it before `show`."""
        known = self._open.get(pending.id)
        if known is None:
            return None
        call = edited(pending.call, args, known.policy)
        verdict = await self._verdict(call, known.policy)
        if isinstance(verdict, ApprovalRequest):
            request = verdict
            self._judge.deny_if_remembered(call, request)
        else:
            # Nobody would be asked about it: it has no words of its own, and nothing is remembered of the answer.
            why = verdict.reason if verdict is not None else "its policy allows it"
            request = simple_approval_request(call.tool_name, call.args, reason=f"you changed it: {why}")
        preview = await draw(call, request, known.policy)
        drawn = replace(pending, call=call, request=request, preview=preview, digest=call.digest)
        return Redrawn(pending=drawn, asks=isinstance(verdict, ApprovalRequest))

    async def _verdict(self, call: ToolCall, policy: Policy) -> Allow | ApprovalRequest | None:
        if hasattr(policy, "prepare"):
            await self._judge.prepare(call, policy)
        return self._judge.check(call, policy)

    async def offered(self, pending: Pending, decision: Approve) -> Sequence[Wider]:
        """All that an answer with a changed call may cover beyond that call; nothing, if only its run can tell."""
        known = self._open.get(pending.id)
        if known is None:
            # Some hunks of a call are remembered for what the whole of it is.
            return () if decision.hunks is None else pending.request.wider
        if decision.hunks is not None:
            call = await narrowed(pending, decision.hunks, known.policy)
        else:
            # No arguments at all are an edit, too.
            args = pending.call.args if decision.override_args is None else decision.override_args
            call = edited(pending.call, args, known.policy)
        verdict = await self._verdict(call, known.policy)
        return verdict.wider if isinstance(verdict, ApprovalRequest) else ()

    def show(self, redrawn: Redrawn, name: str) -> None:
        """Somebody is shown this under this name; what was shown of the same edit before is stale."""
        if known := self._open.get(redrawn.pending.id):
            self._keep(redrawn.pending, known.named, name)

    def _keep(self, drawn: Pending, among: _Drawings, name: str = "") -> None:
        # Once it is answered, nobody's later look changes what that answer binds to.
        if self._store.ruling(drawn.id) is None:
            drawing = _Drawing(call=drawn.digest, evidence=drawn.preview.evidence, name=name)
            with self._pinning:
                _put(among, drawn.digest, drawing, most=_EDITS)

    def pin(self, pending: PendingId, args: Mapping[str, object], name: str) -> bool:
        """Let an answer bind to exactly this drawing; whether it is how the edit was shown last."""
        known = self._open.get(pending)
        if known is None:
            return False
        call = edited(known.pending.call, args, known.policy)
        with self._pinning:
            drawing = known.named.get(call.digest)
            if drawing is None or drawing.name != name:
                return False
            _put(self._pinned, name, drawing, most=_KEPT)
        return True

    def seen(self, ruling: Ruling, call: ToolCall) -> Sequence[Evidence] | None:
        """From what the call was drawn that the answer is for; None if nobody saw it drawn.

        Raises:
            ChangedSinceApproval: the answer names a drawing that is not at hand any more.
        """
        known = self._open.get(ruling.pending)
        if known is not None:
            known.settled = True
        name = drawing_of(ruling)
        if name is None:
            shown = None if known is None else known.own.get(call.digest) or known.named.get(call.digest)
            return None if shown is None else shown.evidence
        drawing = self._pinned.get(name)
        if drawing is None or drawing.call != call.digest:
            raise ChangedSinceApproval(
                f"{call.tool_name}: the drawing that was approved is not at hand any more, so nothing was done. "
                "Make a new call, and let it be looked at again."
            )
        return drawing.evidence


def _put(drawings: _Drawings, key: str, drawing: _Drawing, *, most: int) -> None:
    drawings.pop(key, None)
    while len(drawings) >= most:
        del drawings[next(iter(drawings))]
    drawings[key] = drawing


def covered_by(grant: Grant, pendings: Sequence[Pending]) -> list[Pending]:
    """Those that the grant would have answered, in whichever run."""
    return [
        each
        for each in pendings
        if grant.agents in (None, each.call.agents) and grant.operation in operations(each.call, each.request)
    ]
