"""The page at /agent: three files, and nothing inline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse, RedirectResponse

_FOLDER: Final = Path(__file__).with_name("page")
_FILES: Final = {
    "/agent": ("agent.html", "text/html"),
    "/agent/agent.js": ("agent.js", "text/javascript"),
    "/agent/agent.css": ("agent.css", "text/css"),
}
PUBLIC: Final = frozenset(f"{method} {path}" for method in ("GET", "HEAD") for path in ("/", *_FILES))


def page_routes() -> APIRouter:
    """The routes to the page."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def start() -> Response:
        """To the page, wherever this is mounted."""
        return RedirectResponse("agent")

    for path, (name, kind) in _FILES.items():
        router.add_api_route(path, _sender(name, kind), methods=["GET", "HEAD"], response_class=Response)
    return router


def _sender(name: str, kind: str) -> Callable[[], Response]:
    def send() -> Response:
        return FileResponse(_FOLDER / name, media_type=kind)

    return send
