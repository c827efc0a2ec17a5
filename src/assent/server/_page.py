"""The page at /agent: what `make web` built, and nothing inline."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

_FOLDER = Path(__file__).with_name("bundle")
_INDEX: Final = "index.html"
_KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""What the browser may have; other files of the bundle are for people."""
_FOREVER: Final = {"cache-control": "public, max-age=31536000, immutable", "vary": "Accept-Encoding"}
"""For names that change with their content; whatever names them is never kept."""
_MISSING: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>assent: the page is not built</title>
</head>
<body>
<h1>The page is not built</h1>
<p>The server runs and takes answers, but this installation has no page.</p>
<p>In a checkout of assent, <code>make web</code> builds it; then start the server again.
An installed assent has it unless it was installed with <code>ASSENT_BUILD_UI=0</code>.</p>
<p>Until then, <code>assent inbox</code> answers the same questions in a terminal.</p>
</body>
</html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The built files, read once: a build while the server runs cannot mix two of them."""

    index: bytes | None
    """None: nothing was built."""
    files: Mapping[str, bytes]

    @classmethod
    def read(cls) -> Page:
        """What is in the folder of the bundle."""
        try:
            index = (_FOLDER / _INDEX).read_bytes()
        except FileNotFoundError:
            return cls(index=None, files={})
        return cls(index=index, files={path.name: path.read_bytes() for path in _FOLDER.iterdir() if _kind(path.name)})

    @property
    def public(self) -> frozenset[str]:
        """What everybody may do: the page says nothing that is not in the package."""
        paths = ("/", "/agent", *(f"/agent/{name}" for name in self.files))
        return frozenset(f"{method} {path}" for method in ("GET", "HEAD") for path in paths)

    def routes(self) -> APIRouter:
        """The routes to the page."""
        router = APIRouter(include_in_schema=False)
        senders: dict[str, Callable[..., Response]] = {"/": _start, "/agent": self._send_index}
        senders |= {f"/agent/{name}": _sender(name, content) for name, content in self.files.items()}
        for path, send in senders.items():
            router.add_api_route(path, send, methods=["GET", "HEAD"], response_class=Response)
        return router

    def _send_index(self) -> Response:
        if self.index is None:
            return Response(_MISSING, status_code=503, media_type="text/html")
        return Response(self.index, media_type="text/html")


def _start() -> Response:
    """To the page, wherever this is mounted."""
    return RedirectResponse("agent")


def _sender(name: str, content: bytes) -> Callable[[Request], Response]:
    def send(request: Request) -> Response:
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers = {**_FOREVER, "content-encoding": "gzip"}
            return Response(_packed(content), media_type=_kind(name), headers=headers)
        return Response(content, media_type=_kind(name), headers=_FOREVER)

    return send


@lru_cache(maxsize=64)
def _packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _kind(name: str) -> str | None:
    return _KINDS.get(Path(name).suffix)
