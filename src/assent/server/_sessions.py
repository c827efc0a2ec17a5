"""Signing in and out over HTTP: a link becomes a session in a cookie that no script can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from assent.server._access import SESSION_SECONDS, Access
from assent.server._answers import PROBLEMS, as_json, problem
from assent.server._guard import WHO
from assent.server._views import Done, Link, NewLink, Who
from assent.server.messages import PERMISSION_MODES

if TYPE_CHECKING:
    from assent.server._limits import Buckets
    from assent.server._session import AgentSession
    from assent.server._socket import Clients


def session_routes(
    access: Access, session: AgentSession, clients: Clients, failures: Buckets, *, address: str
) -> APIRouter:
    """The routes about who is there."""
    router = APIRouter(prefix="/api/session", tags=["session"], responses=PROBLEMS)

    @router.post("", response_model=Who)
    async def sign_in(link: Link, request: Request) -> Response:
        """Trade the code of a link, which is good once, or a named token, for a session.

        The session that this browser had before ends, with its connections.
        """
        made = access.new_session(link.code)
        if made is None:
            if not failures.take(request.client.host if request.client else ""):
                return problem(429, "too_many_requests", "too many wrong codes; wait a minute")
            return problem(
                401, "not_signed_in", "this link was used or is too old; `assent serve --link` prints a new one"
            )
        secret, name = made
        # Its cookie is replaced, so nobody could sign out of it any more, and an open page would still say who it was.
        access.end_session(request.headers.get("cookie", ""))
        clients.let_go()
        answer = as_json(_who(name, session))
        _set_cookie(answer, access.cookie, secret, request)
        return answer

    @router.get("", response_model=Who)
    def signed_in(request: Request) -> Response:
        """Who you are here."""
        return as_json(_who(request.scope[WHO], session))

    @router.delete("", response_model=Done)
    async def sign_out(request: Request) -> Response:
        """End the session of this browser, and its connections."""
        access.end_session(request.headers.get("cookie", ""))
        clients.let_go()
        answer = as_json(Done())
        answer.delete_cookie(access.cookie, path=_path(request))
        return answer

    @router.post("/link", response_model=NewLink)
    def link(request: Request) -> Response:
        """A new link for yourself, to open in another browser; good once."""
        place = f"{address}{request.scope.get('root_path', '')}"
        return as_json(NewLink(url=f"{place}/agent#code={access.new_link(request.scope[WHO])}"))

    return router


def _who(name: str, session: AgentSession) -> Who:
    return Who(
        name=name,
        permission_modes=dict(PERMISSION_MODES),
        allow_bypass=session.allow_bypass,
        running=session.running,
    )


def _set_cookie(answer: Response, name: str, secret: str, request: Request) -> None:
    answer.set_cookie(
        name,
        secret,
        max_age=int(SESSION_SECONDS),
        path=_path(request),
        httponly=True,
        samesite="strict",
        secure=request.headers.get("origin", "").startswith("https://") or request.url.scheme == "https",
    )


def _path(request: Request) -> str:
    """Where we are mounted: the cookie goes nowhere else."""
    return str(request.scope.get("root_path", "")) or "/"
