"""Stands before every request: which host and origin, who it is, how much, in which form."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

from assent.server._access import Access
from assent.server._limits import Buckets

# As the ASGI specification has them.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

WHO: Final = "assent.who"
"""In the scope: who is asking, once the guard knows."""
SESSION: Final = "assent.session"
"""In the scope: the session it came with; not there for a token or the local door, which do not end."""
LOCAL: Final = "assent.local"
"""In the scope: whose socket this came through; set by the server itself for its local door."""
MOST_BODY: Final = 4 * 1024 * 1024
_BODY_SECONDS: Final = 30.0
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_FROM_ELSEWHERE: Final = b"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>assent: opened from another page</title>
</head>
<body>
<h1>This link was opened from another page</h1>
<p>It is good only if you open it yourself, so that no other site can sign you in.</p>
<p>Copy the whole address from the address bar, open a new tab, and paste it there.</p>
</body>
</html>
"""


class _Turned(Exception):
    """Not let in; a status, a code and what to do."""

    def __init__(self, status: int, code: str, text: str) -> None:
        self.status = status
        self.code = code
        super().__init__(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Whom the guard lets in."""

    access: Access
    origins: frozenset[str]
    """Exactly these, as a browser spells them: `http://127.0.0.1:8643`."""
    public: frozenset[str]
    """What everybody may do: `GET /agent`, `POST /api/session`."""
    failures: Buckets = field(default_factory=lambda: Buckets(most=20, rate=0.5))
    """Wrong tokens, by address."""
    requests: Buckets = field(default_factory=lambda: Buckets(most=400, rate=200))
    """Requests, by person."""

    @property
    def hosts(self) -> frozenset[str]:
        """What the Host header may say; a browser leaves out the port that the scheme has anyway."""
        return frozenset(each.partition("://")[2] for each in self.origins)


class Guard:
    """Lets through what obeys the rules and says why it does not let through the rest."""

    def __init__(self, app: App, rules: Rules) -> None:
        self._app = app
        self._rules = rules
        self._hosts = rules.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        try:
            scope[WHO] = self._who(scope)
            if scope["type"] == "http":
                await _Exchange(self._app, receive, send).run(scope)
            else:
                await self._app(scope, receive, send)
        except _Turned as turned:
            await _turn_away(turned, scope, send)

    def _who(self, scope: Scope) -> str | None:
        """Who it is; None where everybody may look.

        Raises:
            _Turned: it does not get in.
        """
        headers = _headers(scope)
        local = scope.get(LOCAL)
        if local is not None and "origin" in headers:
            raise _Turned(403, "foreign_origin", "a page has no business at this socket; open the server's own address")
        if local is None:
            self._check_place(headers)
        who: str | None = local if local is not None else self._known(scope, headers)
        if who is None and not (scope["type"] == "http" and f"{scope['method']} {_path(scope)}" in self._rules.public):
            raise self._stranger(scope, headers)
        if not self._rules.requests.take(who or _address(scope)):
            raise _Turned(429, "too_many_requests", "too many requests; wait a few seconds")
        return who

    def _check_place(self, headers: Mapping[str, str]) -> None:
        """That it is meant for us, and comes from nobody else's page."""
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            allowed = ", ".join(sorted(self._hosts))
            raise _Turned(403, "wrong_host", f"this server answers only as {allowed}; use one of these addresses")
        origin = headers.get("origin")
        if origin is not None and origin not in self._rules.origins:
            raise _Turned(403, "foreign_origin", "another site's page asks for this; open the server's own page")
        if headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            raise _Turned(403, "foreign_origin", "another site asks for this; open the server's own page")

    def _known(self, scope: Scope, headers: Mapping[str, str]) -> str | None:
        access = self._rules.access
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind:
            # Whoever names a token is not somebody else by their cookie.
            return access.named(token.strip()) if kind.lower() == "bearer" else None
        session = access.session_in(headers.get("cookie", ""))
        if session is None:
            return None
        asks_for_more = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if asks_for_more and "origin" not in headers:
            raise _Turned(403, "no_origin", "a session in a cookie needs the Origin header; programs use a token")
        scope[SESSION] = session
        return access.whose(session)

    def _stranger(self, scope: Scope, headers: Mapping[str, str]) -> _Turned:
        if ("authorization" in headers or "cookie" in headers) and not self._rules.failures.take(_address(scope)):
            return _Turned(429, "too_many_requests", "too many wrong tokens; wait a minute")
        return _Turned(
            401,
            "not_signed_in",
            "open the link that `assent serve` printed (`assent serve --link` prints a new one), or send a named "
            "approver's token as `Authorization: Bearer TOKEN`",
        )


class _Exchange:
    """One request that was let in: its body is bounded, and its response carries our headers."""

    def __init__(self, app: App, receive: Receive, send: Send) -> None:
        self._app = app
        self._receive = receive
        self._send = send
        self._left = MOST_BODY
        self._more = True
        self._started = False
        self._until = 0.0

    async def run(self, scope: Scope) -> None:
        headers = _headers(scope)
        if scope["method"] in {"POST", "PUT", "PATCH"} or headers.get("content-length", "0") != "0":
            _check_form(scope, headers)
        self._until = asyncio.get_running_loop().time() + _BODY_SECONDS
        try:
            await self._app(scope, self._bounded, self._dressed)
        except _Turned as turned:
            if not self._started:
                await _turn_away(turned, scope, self._send)

    async def _bounded(self) -> MutableMapping[str, Any]:
        if not self._more:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                event = await self._receive()
        except TimeoutError:
            raise _Turned(408, "too_slow", "the body of the request did not come; send it again at once") from None
        self._left -= len(event.get("body", b""))
        if self._left < 0:
            raise _too_large()
        self._more = event.get("more_body", False)
        return event

    async def _dressed(self, event: MutableMapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            self._started = True
            event["headers"] = _dressed(event.get("headers", ()))
        await self._send(event)


def _check_form(scope: Scope, headers: Mapping[str, str]) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if scope["method"] not in _SAFE and kind != "application/json":
        raise _Turned(415, "json_only", "only JSON is read here; send `Content-Type: application/json`")
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length[:12]) > MOST_BODY:
        raise _too_large()


def _too_large() -> _Turned:
    return _Turned(413, "too_large", f"the body is larger than {MOST_BODY} bytes; send less at once")


def _headers(scope: Scope) -> dict[str, str]:
    """Each header once: of one that came twice, both, so that neither passes for the other."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _path(scope: Scope) -> str:
    """The path below where we are mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")) or "/"


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _dressed(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    given = list(headers)
    names = {name.lower() for name, _ in given}
    ours = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
    return [*given, *((name, value) for name, value in ours if name not in names)]


async def _turn_away(turned: _Turned, scope: Scope, send: Send) -> None:
    body, written = json.dumps({"error": turned.code, "message": str(turned)}).encode(), b"application/json"
    if turned.code == "foreign_origin" and _follows_a_link(scope):
        body, written = _FROM_ELSEWHERE, b"text/html"
    headers = [(b"content-type", written), (b"content-length", str(len(body)).encode())]
    if scope["type"] == "http":
        kind = "http.response"
    elif "websocket.http.response" in scope.get("extensions", {}):
        kind = "websocket.http.response"
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": turned.code})
        return
    await send({"type": f"{kind}.start", "status": turned.status, "headers": _dressed(headers)})
    await send({"type": f"{kind}.body", "body": body})


def _follows_a_link(scope: Scope) -> bool:
    """Whether a person sees the answer: they clicked on a link, in a chat or a mail."""
    return scope["type"] == "http" and scope["method"] == "GET" and _headers(scope).get("sec-fetch-mode") == "navigate"
