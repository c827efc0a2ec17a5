"""A local server that speaks the Messages API from a script, faults included."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, Self, cast

from assent.testing._fake_anthropic_script import (
    Answer,
    Cut,
    Drip,
    Drop,
    HangUp,
    Hold,
    Page,
    Received,
    Scripted,
    Status,
    Turn,
)
from assent.testing._fake_anthropic_wire import complaint, error_body, events, message

_WAIT: Final = 60.0
"""Seconds after which a `Hold` that nobody releases lets go, so that no test hangs for ever."""


class FakeAnthropic:
    """Answers the requests of a real SDK in the order of the script, on a port of its own.

    Give the client `base_url=server.url` and any key. `requests` holds what came. A request that
    the real API would refuse (a call without its result, the same id twice) is refused with 400
    and takes nothing from the script; so is one for which nothing is scripted.
    """

    def __init__(self, *script: Scripted) -> None:
        self._script = list(script)
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), name="fake-anthropic")
        self.ids = itertools.count(1)
        """What the ids of messages and calls are made of."""
        self.requests: list[Received] = []
        self.ended = threading.Event()
        """Set once a client has gone away before all of its answer was sent."""

    @property
    def url(self) -> str:
        """What the client is given as its `base_url`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def left(self) -> int:
        """How many scripted answers nobody asked for yet."""
        with self._lock:
            return len(self._script)

    def add(self, *script: Scripted) -> None:
        """Let the script go on."""
        with self._lock:
            self._script.extend(script)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, received: Received) -> Answer:
        """The answer to a request; for the server itself."""
        with self._lock:
            self.requests.append(received)
            if wrong := complaint(received.body):
                return Status(400, "invalid_request_error", wrong)
            if not self._script:
                return Status(400, "invalid_request_error", "the script has no answer left for this request")
            scripted = self._script.pop(0)
        return scripted(received.body) if callable(scripted) else scripted


class _Server(ThreadingHTTPServer):
    """One thread per connection; they end with their connections."""

    daemon_threads = True

    def __init__(self, fake: FakeAnthropic) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fake = fake

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in the middle is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    drip: float | None = None

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the name is the base class's
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer as the script says."""
        fake = cast("_Server", self.server).fake
        body = cast("Mapping[str, object]", json.loads(self.rfile.read(int(self.headers["content-length"]))))
        answer = fake.take(
            Received(path=self.path, headers={name.lower(): value for name, value in self.headers.items()}, body=body)
        )
        try:
            self._answer(answer, body, fake.ids)
        except OSError:
            fake.ended.set()
            self.close_connection = True

    def _answer(self, answer: Answer, body: Mapping[str, object], ids: Iterator[int]) -> None:
        match answer:
            case Turn() if body.get("stream"):
                self._stream(answer, str(body["model"]), ids)
            case Turn():
                self._send(200, message(answer, str(body["model"]), ids), "application/json")
            case Status():
                self._send(answer.code, error_body(answer.type, answer.message), "application/json", answer.headers)
            case Page():
                self._send(200, answer.body, answer.content_type)
            case HangUp():
                self.close_connection = True

    def _send(self, code: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, turn: Turn, model: str, ids: Iterator[int]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.drip = None
        for step in events(turn, model, ids):
            match step:
                case bytes():
                    self._write(step)
                case Drip():
                    self.drip = step.seconds
                case Hold():
                    step.reached.set()
                    step.event.wait(_WAIT)
                case Cut():
                    break
                case Drop():
                    self.close_connection = True
                    return
        with suppress(OSError):
            self.wfile.write(b"0\r\n\r\n")

    def _write(self, data: bytes) -> None:
        pieces = [data] if self.drip is None else [data[at : at + 1] for at in range(len(data))]
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            if self.drip:
                time.sleep(self.drip)
