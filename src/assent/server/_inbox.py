"""The inbox over HTTP: what waits, all of it page by page, and answering it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from assent.diff import Page, rows
from assent.gate import StoreClerk
from assent.model import Asked, PendingId, Store
from assent.server._answers import PROBLEMS, NotFound, as_json
from assent.server._guard import WHO
from assent.server._views import Decided, Decision, Detail, Inbox, item, read_decision
from assent.server.messages import approval_request, diff_text

if TYPE_CHECKING:
    from assent.server._desk import ServedDesk

_FAR: Final = 2**53 - 1
_CHUNK: Final = 1024 * 1024
_Id = Annotated[str, Path(max_length=64)]
_Offset = Annotated[int, Query(ge=0, le=_FAR)]
DECISION_SCHEMA: Final = "Decision"
_BYTES: Final = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_DECISION: Final = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{DECISION_SCHEMA}"}}},
    }
}


def inbox_routes(desk: ServedDesk) -> APIRouter:
    """The routes to questions and their answers."""
    router = APIRouter(prefix="/api/inbox", tags=["inbox"], responses=PROBLEMS)
    store, clerk = desk.gate.store, StoreClerk(desk.gate.store)

    @router.get("", response_model=Inbox)
    def waiting() -> Response:
        """What waits for an answer, oldest first."""
        now = time.time()
        store.expire(now)
        return as_json(Inbox(now=now, items=tuple(item(each, now) for each in store.desk())))

    @router.get("/{pending}", response_model=Detail)
    def detail(pending: _Id) -> Response:
        """All of a question; how it ended, if it has."""
        found = _asked(store, pending)
        message = approval_request(found.pending, partial(clerk.content, found.pending))
        shown = item(found.pending, time.time())
        return as_json(Detail(item=shown, pending=found.pending, message=message, ruling=found.ruling))

    @router.post("/{pending}/decision", response_model=Decided, openapi_extra=_DECISION)
    async def decide(pending: _Id, request: Request) -> Response:
        """Answer it, naming the digest of what was seen; the first answer stands."""
        wanted: Decision = read_decision(await request.body())
        decision = replace(wanted.decision, by=request.scope[WHO])
        ruling = await asyncio.to_thread(desk.answer, PendingId(pending), decision, seen=wanted.digest)
        return as_json(Decided(ruling=ruling))

    return router


def content_routes(store: Store) -> APIRouter:
    """The routes to all of what a question shows."""
    router = APIRouter(prefix="/api/inbox", tags=["inbox"], responses=PROBLEMS)
    clerk = StoreClerk(store)

    @router.get("/{pending}/diff", response_model=Page)
    def diff(pending: _Id, offset: _Offset = 0, limit: Annotated[int, Query(ge=1, le=2000)] = 500) -> Response:
        """The rows of the change, page by page; none where nothing is compared."""
        return as_json(rows(diff_text(_asked(store, pending).pending), offset=offset, limit=limit))

    @router.get("/{pending}/content/{sha256}", response_class=Response, responses={200: {"content": _BYTES}})
    def content(
        pending: _Id,
        sha256: Annotated[str, Path(pattern="^[0-9a-f]{64}$")],
        offset: _Offset = 0,
        limit: Annotated[int, Query(ge=1, le=_CHUNK)] = _CHUNK,
    ) -> Response:
        """The bytes of a version that the question speaks of, in chunks; while it waits."""
        data = clerk.content(_asked(store, pending).pending, sha256)
        if data is None:
            raise NotFound("this version is not at hand: the question has ended, or does not speak of it")
        chunk = data[offset : offset + limit]
        span = f"{offset}-{offset + len(chunk) - 1}" if chunk else "*"
        headers = {"content-range": f"bytes {span}/{len(data)}"}
        return Response(chunk, media_type="application/octet-stream", headers=headers)

    return router


def _asked(store: Store, pending: str) -> Asked:
    store.expire(time.time())
    found = store.asked(PendingId(pending))
    if found is None:
        raise NotFound(f"there is no question {pending!r}; /api/inbox lists what waits")
    return found
