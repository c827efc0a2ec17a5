"""The inbox over HTTP: what waits, one question, and answering."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request, Response

from assent.model import PendingId
from assent.server._answers import PROBLEMS, as_json, status_of
from assent.server._desk import Seen
from assent.server._guard import WHO
from assent.server._hidden import without_hidden
from assent.server._questions import Id, asked
from assent.server._views import (
    AllDecided,
    Decided,
    Detail,
    Inbox,
    ItemDecided,
    item,
    read_decision,
    read_decisions,
)
from assent.server.messages import approval_request

if TYPE_CHECKING:
    from assent.model import Ruling
    from assent.server._desk import ServedDesk

DECISION_SCHEMA: Final = "Decision"
DECISIONS_SCHEMA: Final = "Decisions"


def inbox_routes(desk: ServedDesk) -> APIRouter:
    """The routes to questions and their answers."""
    router = APIRouter(prefix="/api/inbox", tags=["inbox"], responses=PROBLEMS)
    store, clerk = desk.gate.store, desk.gate.clerk

    @router.get("", response_model=Inbox)
    def waiting() -> Response:
        """What waits for an answer, oldest first."""
        now = time.time()
        store.expire(now)
        return as_json(Inbox(now=now, items=tuple(item(each, now) for each in store.desk())))

    @router.get("/{pending}", response_model=Detail)
    def detail(pending: Id) -> Response:
        """All of a question; how it ended, if it has."""
        whole = asked(store, pending)
        found = whole if whole.ruling is None else without_hidden(whole)
        message = approval_request(found.pending, partial(clerk.content, found.pending))
        shown = item(whole.pending, time.time())
        return as_json(Detail(item=shown, pending=found.pending, message=message, ruling=found.ruling))

    @router.post("/decisions", response_model=AllDecided, openapi_extra=_takes(DECISIONS_SCHEMA))
    async def decide_all(request: Request) -> Response:
        """Answer several, each by itself; nothing else is answered by it."""
        wanted = read_decisions(await request.body())
        answers = {
            PendingId(each.id): Seen(
                decision=replace(each.decision, by=request.scope[WHO]), digest=each.digest, redrawn=each.redrawn
            )
            for each in wanted.answers
        }
        ended = await asyncio.to_thread(desk.answer_all, answers)
        return as_json(AllDecided(results=tuple(_result(name, each) for name, each in ended.items())))

    @router.post("/{pending}/decision", response_model=Decided, openapi_extra=_takes(DECISION_SCHEMA))
    async def decide(pending: Id, request: Request) -> Response:
        """Answer it, naming the digest of what was seen; the first answer stands."""
        wanted = read_decision(await request.body())
        decision = replace(wanted.decision, by=request.scope[WHO])
        seen = Seen(decision=decision, digest=wanted.digest, redrawn=wanted.redrawn)
        ruling = await asyncio.to_thread(desk.answer, PendingId(pending), seen)
        return as_json(Decided(ruling=ruling))

    return router


def _result(name: str, ended: Ruling | Exception) -> ItemDecided:
    if not isinstance(ended, Exception):
        return ItemDecided(id=name, status=200, ruling=ended)
    return ItemDecided(
        id=name, status=status_of(ended), error=str(getattr(ended, "code", "failed")), message=str(ended)
    )


def _takes(schema: str) -> dict[str, object]:
    """What the body is, for the OpenAPI: it is read strictly, and not by FastAPI."""
    body = {"$ref": f"#/components/schemas/{schema}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": body}}}}
