"""What was asked over HTTP, the latest first: proposed, approved, decided, executed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Query, Response

from assent.diff import blocks
from assent.model import Approve, Asked, Effect, Pending, PendingId, Reject, Ruling
from assent.server._answers import PROBLEMS, as_json
from assent.server._hidden import without_hidden
from assent.server._shown import Executed, History, Past, PastDecision
from assent.server.messages import diff_text

if TYPE_CHECKING:
    from assent.model import Store

_MOST: Final = 200


def history_routes(store: Store) -> APIRouter:
    """The route to the past."""
    router = APIRouter(prefix="/api", tags=["record"], responses=PROBLEMS)

    @router.get("/history", response_model=History)
    def history(
        before: Annotated[str | None, Query(max_length=64)] = None, limit: Annotated[int, Query(ge=1, le=_MOST)] = 50
    ) -> Response:
        """Every question and what became of it, before the one with this id, the latest first."""
        store.expire(time.time())
        found = store.recent(limit, before=None if before is None else PendingId(before))
        last = found[-1].pending.id if len(found) == limit else None
        return as_json(History(items=tuple(map(_past, found)), next=last))

    return router


def _past(whole: Asked) -> Past:
    asked = without_hidden(whole)
    pending, call = asked.pending, asked.pending.call
    return Past(
        id=pending.id,
        tool_name=call.tool_name,
        description=pending.request.description,
        run=call.run,
        agents=call.agents,
        created=pending.created,
        proposed=call.args,
        approved=_approved(asked),
        decision=None if asked.ruling is None else _decision(asked.ruling, whole.pending),
        executed=None if asked.effect is None else _executed(asked.effect),
    )


def _approved(asked: Asked) -> Mapping[str, object] | None:
    match asked.ruling:
        case Ruling(decision=Approve(hunks=hunks)) if hunks is not None:
            # Only a part: what that comes to as arguments, only the tool can say.
            return None
        case Ruling(decision=Approve(override_args=edited)):
            return asked.pending.call.args if edited is None else edited
        case _:
            return None


def _decision(ruling: Ruling, pending: Pending) -> PastDecision:
    decision = ruling.decision
    hunks = decision.hunks if isinstance(decision, Approve) else None
    remembers = decision if isinstance(decision, (Approve, Reject)) else None
    return PastDecision(
        kind=ruling.outcome.value if decision is None else decision.kind,
        outcome=ruling.outcome.value,
        note=ruling.detail if decision is None else decision.note,
        by=ruling.by,
        at=ruling.at,
        scope=None if remembers is None else remembers.scope.value,
        hunks=hunks,
        of=None if hunks is None else len(blocks(diff_text(pending))),
    )


def _executed(effect: Effect) -> Executed:
    at = effect.started if effect.ended is None else effect.ended
    return Executed(state=effect.state.value, at=at, detail=effect.detail)
