"""How a handler answers: our values as JSON, and every error in one shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from assent.errors import AlreadyDecided, AssentError, StoreFailed, UnknownPending
from assent.model import wire
from assent.server._desk import Stale, WrongAnswer
from assent.server._views import Problem

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.requests import HTTPConnection
    from fastapi.responses import Response
    from starlette.websockets import WebSocket

PROBLEMS: Final[dict[int | str, dict[str, object]]] = {
    status: {"model": Problem} for status in (400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429)
}
"""What every route may answer instead."""


class NotFound(Exception):
    """There is no such thing; the text says where to look."""

    code = "not_found"


_STATUS: Final[Mapping[type[Exception], int]] = {
    NotFound: 404,
    UnknownPending: 404,
    AlreadyDecided: 409,
    Stale: 409,
    WrongAnswer: 422,
    StoreFailed: 503,
    AssentError: 422,
}
"""What each of our errors is over HTTP; the first kind that fits."""


def as_json(value: object, status: int = 200) -> Response:
    """One of our values."""
    from fastapi.responses import Response

    return Response(wire.dump(value), status_code=status, media_type="application/json")


def problem(status: int, code: str, text: str) -> Response:
    """What was not done, and why."""
    return as_json(Problem(error=code, message=text), status)


def handle_errors(app: FastAPI) -> None:
    """Let every error of ours become a problem."""
    from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
    from pydantic import ValidationError
    from starlette.exceptions import HTTPException

    async def ours(_request: HTTPConnection, error: Exception) -> Response:
        return _of(error)

    for kind in (AssentError, Stale, WrongAnswer, NotFound, RequestValidationError, ValidationError, HTTPException):
        app.add_exception_handler(kind, ours)

    async def refused(socket: WebSocket, error: Exception) -> None:
        if "websocket.http.response" in socket.scope.get("extensions", {}):
            await socket.send_denial_response(_of(error))
        else:
            await socket.close(1008, "invalid")

    app.add_exception_handler(WebSocketRequestValidationError, refused)


def status_of(error: Exception) -> int:
    """What an error of ours is over HTTP."""
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422)


def _of(error: Exception) -> Response:
    from starlette.exceptions import HTTPException

    if isinstance(error, HTTPException):
        return problem(error.status_code, "http", str(error.detail))
    if isinstance(error, tuple(_STATUS)):
        return problem(status_of(error), str(getattr(error, "code", "failed")), str(error))
    return problem(422, "invalid", _said(error))


def _said(error: Exception) -> str:
    """What is wrong with what was sent; both kinds of validation errors have the same list."""
    found: Callable[[], list[dict[str, Any]]] | None = getattr(error, "errors", None)
    details = [] if found is None else found()
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in details) or str(error)
