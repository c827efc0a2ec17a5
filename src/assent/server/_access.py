"""Who may come in: links that are good once, sessions in a cookie, tokens of named approvers."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
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
        good = self._good(self._links, hashed(code))
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
        for session in self._named_in(cookies):
            self._sessions.pop(session, None)

    def session_in(self, cookies: str) -> str | None:
        """The session that the cookie opens; None if there is none."""
        # Several, if another program of this host chose our name for its cookie too: it shall lock out nobody.
        return next((each for each in self._named_in(cookies) if self.whose(each) is not None), None)

    def whose(self, session: str) -> str | None:
        """Whose session it is; None once it has ended."""
        good = self._good(self._sessions, session)
        return None if good is None else good.who

    def of_cookie(self, cookies: str) -> str | None:
        """Whose session the cookie opens; None if nobody's."""
        session = self.session_in(cookies)
        return None if session is None else self.whose(session)

    def named(self, token: str) -> str | None:
        """Whose token it is; None if nobody's."""
        given, found = hashed(token), None
        for who, expected in self.approvers.items():
            # Each is compared, so that the time taken tells nothing.
            if hmac.compare_digest(given, expected.lower()):
                found = who
        return found

    def _named_in(self, cookies: str) -> Iterator[str]:
        """The hash of each secret that comes under our name."""
        # Not `http.cookies`: it gives up at the first cookie, anybody's, that it does not understand.
        for pair in cookies.split(";"):
            name, _, secret = pair.strip().partition("=")
            if name == self.cookie:
                yield hashed(secret)

    def _keep(self, where: dict[str, _Good], secret: str, who: str, seconds: float) -> None:
        while len(where) >= _MOST_SESSIONS:
            del where[next(iter(where))]
        where[hashed(secret)] = _Good(who, self.clock() + seconds)

    def _good(self, where: dict[str, _Good], key: str) -> _Good | None:
        good = where.get(key)
        return good if good is not None and self.clock() < good.until else None
