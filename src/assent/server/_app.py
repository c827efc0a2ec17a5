"""The server as an ASGI app: to be served by us, or mounted in somebody else's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import FastAPI, Query, WebSocket
from pydantic import TypeAdapter

from assent import __version__
from assent.server._access import Access
from assent.server._answers import handle_errors
from assent.server._contents import EDIT_SCHEMA, content_routes, edit_routes
from assent.server._desk import ServedDesk
from assent.server._guard import SESSION, WHO, Guard, Rules
from assent.server._history import history_routes
from assent.server._inbox import DECISION_SCHEMA, DECISIONS_SCHEMA, inbox_routes
from assent.server._log import KEPT, EventLog
from assent.server._page import Page
from assent.server._records import record_routes, run_routes
from assent.server._session import AgentSession
from assent.server._sessions import session_routes
from assent.server._shown import Edit
from assent.server._socket import Clients
from assent.server._views import Decision, Decisions

if TYPE_CHECKING:
    from assent.gate import Gate
    from assent.server._seam import Runner

SOCKET: Final = "/api/terminal/ws/agent"
_BODIES: Final[Mapping[str, type]] = {DECISION_SCHEMA: Decision, DECISIONS_SCHEMA: Decisions, EDIT_SCHEMA: Edit}


def create_app(
    gate: Gate,
    *,
    origins: Sequence[str],
    approvers: Mapping[str, str] | None = None,
    runner: Runner | None = None,
    allow_bypass: bool = False,
    access: Access | None = None,
    kept: int = KEPT,
) -> FastAPI:
    """The inbox of this gate's record, and the WebSocket of an agent, if one is given.

    `origins` are the only addresses it answers under, as a browser spells them, the main one first:
    `https://example.org`. `approvers` are the SHA-256 of each named approver's token. The last
    `kept` messages are told again to whoever comes back. What a mounted app has begun is ended with
    `await app.state.close()`.
    """
    access = Access(approvers=dict(approvers or {})) if access is None else access
    page = Page.read()
    rules = Rules(access=access, origins=frozenset(origins), public=page.public | {"POST /api/session"})
    log = EventLog(most=kept)
    desk = ServedDesk(gate, log)
    session = AgentSession(runner, desk, log, mode=gate.mode, allow_bypass=allow_bypass)
    clients = Clients(desk, session, log, access)

    app = _app(session)
    app.state.close = session.close
    app.state.log = log
    app.add_middleware(Guard, rules=rules)
    handle_errors(app)
    app.include_router(page.routes())
    app.include_router(session_routes(access, session, clients, rules.failures, address=origins[0]))
    app.include_router(inbox_routes(desk))
    app.include_router(content_routes(desk))
    app.include_router(edit_routes(desk))
    app.include_router(history_routes(gate.store))
    app.include_router(record_routes(gate.store))
    app.include_router(run_routes(gate.store))

    @app.websocket(SOCKET)
    async def agent(socket: WebSocket, since: Annotated[int | None, Query(ge=0, le=2**53 - 1)] = None) -> None:
        scope = socket.scope
        await clients.serve(socket, scope[WHO], session=scope.get(SESSION), since=since)

    _describe_bodies(app)
    return app


def _app(session: AgentSession) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        yield
        await session.close()

    return FastAPI(
        title="assent",
        version=__version__,
        description="Questions that wait for a person, the answers, and the record of both.",
        openapi_url="/api/openapi.json",
        # The usual pages about an API load their scripts from somewhere else.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )


def _describe_bodies(app: FastAPI) -> None:
    """Put the schemas of what is read strictly, and not by FastAPI, into the OpenAPI."""
    written = app.openapi

    def openapi() -> dict[str, object]:
        made = written()
        place = "#/components/schemas/{model}"
        for name, kind in _BODIES.items():
            schema = TypeAdapter[object](kind).json_schema(ref_template=place)
            made["components"]["schemas"].update({**schema.pop("$defs", {}), name: schema})
        return made

    app.openapi = openapi  # type: ignore[method-assign]
