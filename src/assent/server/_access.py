"""Who may come in: links that are good once, sessions in a cookie, tokens of named approvers."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final

LINK_SECONDS: Final = 3600.0
SESSION_SECONDS: Final = 30 * 86400.0
_BYTES: Final = 32
"""256 bits for each secret."""
_MOST_SESSIONS: Final = 1000


def hashed(token: str) -> str:
    """What is kept of a token: it cannot be turned back."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class _Good:
    """For whom something is good, and until when."""

    who: str
    until: float


@dataclass(slots=True, kw_only=True)
class Access:
    """Every way in; nothing is kept but hashes, and nothing outlives the process but named tokens."""

    approvers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The SHA-256 of each named approver's token."""
    cookie: str = "assent"
    clock: Callable[[], float] = time.time
    _links: dict[str, _Good] = field(default_factory=dict[str, _Good])
    _sessions: dict[str, _Good] = field(default_factory=dict[str, _Good])

    def new_link(self, who: str) -> str:
        """A code that can be traded for a session, once."""
        code = secrets.token_urlsafe(_BYTES)
        self._keep(self._links, code, who, LINK_SECONDS)
        return code

    def new_session(self, code: str) -> tuple[str, str] | None:
        """A session's secret and whose it is, for a link that was not used or for a named token."""
        good = self._found(self._links, code)
        if good is not None:
            del self._links[hashed(code)]
        who = good.who if good is not None else self.named(code)
        if who is None:
            return None
        secret = secrets.token_urlsafe(_BYTES)
        self._keep(self._sessions, secret, who, SESSION_SECONDS)
        return secret, who

    def end_session(self, cookies: str) -> None:
        """The secret in the cookie is good no more."""
        self._sessions.pop(hashed(self._secret(cookies)), None)

    def of_cookie(self, cookies: str) -> str | None:
        """Whose session it is; None if nobody's."""
        secret = self._secret(cookies)
        good = self._found(self._sessions, secret) if secret else None
        return None if good is None else good.who

    def named(self, token: str) -> str | None:
        """Whose token it is; None if nobody's."""
        given, found = hashed(token), None
        for who, expected in self.approvers.items():
            # Each is compared, so that the time taken tells nothing.
            if hmac.compare_digest(given, expected.lower()):
                found = who
        return found

    def _secret(self, cookies: str) -> str:
        try:
            morsel = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return ""
        return "" if morsel is None else morsel.value

    def _keep(self, where: dict[str, _Good], secret: str, who: str, seconds: float) -> None:
        while len(where) >= _MOST_SESSIONS:
            del where[next(iter(where))]
        where[hashed(secret)] = _Good(who, self.clock() + seconds)

    def _found(self, where: dict[str, _Good], secret: str) -> _Good | None:
        good = where.get(hashed(secret))
        return good if good is not None and self.clock() < good.until else None
