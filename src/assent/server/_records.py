"""Grants, the journal and the runs over HTTP."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from assent.model import GrantId
from assent.server._answers import PROBLEMS, NotFound, as_json
from assent.server._guard import WHO
from assent.server._views import Chain, Done, Grants, Journal, Runs

if TYPE_CHECKING:
    from assent.model import Store

_FAR: Final = 2**53 - 1
_Id = Annotated[str, Path(max_length=200)]


def record_routes(store: Store) -> APIRouter:
    """The routes about what is remembered and what was written down."""
    router = APIRouter(prefix="/api", tags=["record"], responses=PROBLEMS)

    @router.get("/grants", response_model=Grants)
    def grants() -> Response:
        """What is remembered and not over, oldest first."""
        now = time.time()
        standing = [each for each in store.grants() if each.expires is None or each.expires > now]
        return as_json(Grants(grants=tuple(sorted(standing, key=lambda each: each.at))))

    @router.delete("/grants/{grant}", response_model=Done)
    def revoke(grant: _Id, request: Request) -> Response:
        """Forget it: what it covered asks again."""
        if not store.revoke(GrantId(grant), by=request.scope[WHO], at=time.time()):
            raise NotFound(f"there is no grant {grant!r}; /api/grants lists them")
        return as_json(Done())

    @router.get("/journal", response_model=Journal)
    def journal(
        after: Annotated[int, Query(ge=0, le=_FAR)] = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> Response:
        """Entries of the journal behind the one with this number, oldest first."""
        entries = tuple(store.journal(after=after, limit=limit))
        return as_json(Journal(entries=entries, next=entries[-1].seq if len(entries) == limit else None))

    @router.get("/journal/chain", response_model=Chain)
    def chain() -> Response:
        """Whether the journal is what was written, from the first entry to the last."""
        broken = store.verify()
        if broken is None:
            return as_json(Chain(whole=True))
        return as_json(Chain(whole=False, broken_at=broken.seq, reason=broken.reason))

    return router


def run_routes(store: Store) -> APIRouter:
    """The routes about runs."""
    router = APIRouter(prefix="/api", tags=["runs"], responses=PROBLEMS)

    @router.get("/runs", response_model=Runs)
    def runs() -> Response:
        """Every run in which somebody was asked, the latest first."""
        return as_json(Runs(runs=tuple(store.runs())))

    @router.post("/runs/{run}/stop", response_model=Done)
    def stop(run: _Id, request: Request) -> Response:
        """End every question of the run and refuse its later calls."""
        if not store.stop_run(run, by=request.scope[WHO], at=time.time()):
            raise NotFound(f"there is no run {run!r}; /api/runs lists them")
        return as_json(Done())

    @router.post("/runs/{run}/resume", response_model=Done)
    def resume(run: _Id, request: Request) -> Response:
        """Let a stopped run go on; whatever started it has to make the next call."""
        if not store.resume_run(run, by=request.scope[WHO], at=time.time()):
            raise NotFound(f"no run {run!r} is stopped; /api/runs lists them")
        return as_json(Done())

    return router
