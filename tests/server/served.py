"""A real server on a free port of loopback, with a scripted agent and real tools."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect, unix_connect

from assent.config import Approvals, Mode, Sandbox, SandboxPath, ServerSettings, Settings, Shell
from assent.gate import Gate
from assent.model import Tool
from assent.runtime import Session
from assent.server import Access, Emit, Runner, Wanted, create_app, hashed
from assent.server._doors import listen, local_door, origins_of
from assent.server._serving import ByDoor, serve_doors
from assent.tools.command import command_tools
from assent.tools.files import FileSandbox, file_tools

TOKENS = {"ana": "a" * 43, "ben": "b" * 43}
PLAIN = {"assistant", "user", "tool_approval_request", "result", "error"}
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Saves every client the reading of all the world's certificates."""
_WAIT = 60.0
Message = dict[str, Any]
Script = Callable[["Play"], Awaitable[None]]


def settings_in(folder: Path, *, mode: Mode = "interactive", timeout: float | None = 300.0, **server: Any) -> Settings:  # noqa: ANN401 — as the settings have it
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return Settings(
        store=folder / "state" / "assent.db",
        approvals=Approvals(mode=mode, timeout=timeout),
        sandbox=Sandbox(paths={"work": SandboxPath(root=work, mode="rw")}),
        shell=Shell(),
        server=ServerSettings(port=0, approvers={name: hashed(token) for name, token in TOKENS.items()}, **server),
    )


@dataclass
class Play:
    """What a script may do in its run."""

    wanted: Wanted
    emit: Emit
    session: Session

    async def say(self, text: str) -> None:
        await self.emit({"type": "assistant", "subtype": "text", "content": {"text": text}})

    async def call(self, name: str, args: Mapping[str, object], *, call_id: str) -> object:
        await self.emit(
            {"type": "assistant", "subtype": "tool_use", "content": {"id": call_id, "name": name, "input": dict(args)}}
        )
        result = await self.session.call(name, args, call_id=call_id)
        failed = isinstance(result, dict) and "error" in result
        content = result["message"] if isinstance(result, dict) and failed else result
        told = {"tool_use_id": call_id, "content": str(content), "is_error": failed}
        await self.emit({"type": "user", "subtype": "tool_result", "content": told})
        return result


class Scripted:
    """An agent that does what its script says, with real tools behind the real gate."""

    def __init__(self, settings: Settings, gate: Gate, script: Script) -> None:
        self._sandbox = FileSandbox.from_settings(settings)
        self._tools: list[Tool] = [
            *file_tools(self._sandbox, "claude"),
            *command_tools(settings, "claude", cwd=settings.sandbox.paths["work"].root),
        ]
        self._gate = gate
        self._script = script
        self._runs = 0
        self.run = ""
        self.wanted: list[Wanted] = []

    async def work(self, wanted: Wanted, emit: Emit, /) -> None:
        self.wanted.append(wanted)
        if not (wanted.go_on and self.run):
            self._runs += 1
            self.run = f"run-{self._runs}"
        gate = self._gate if wanted.mode == self._gate.mode else Gate(store=self._gate.store, mode=wanted.mode)
        await self._script(Play(wanted, emit, Session(gate, self._tools, run=self.run)))

    def close(self) -> None:
        self._sandbox.close()


@dataclass
class Server:
    """A server that runs, and ways to talk to it."""

    folder: Path
    address: str
    port: int
    access: Access
    gate: Gate
    settings: Settings
    socket: Path
    runner: Runner | None
    log: Any
    opened: list[Any] = field(default_factory=list)

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def headers(self, who: str = "ana") -> dict[str, str]:
        return {"Authorization": f"Bearer {TOKENS[who]}"}

    def http(self, who: str | None = "ana") -> httpx.AsyncClient:
        headers = self.headers(who) if who else {}
        return httpx.AsyncClient(base_url=self.address, headers=headers, timeout=_WAIT, verify=NO_TLS)

    @asynccontextmanager
    async def client(self, who: str = "ana", *, since: int | None = None) -> AsyncGenerator[Talk]:
        query = "" if since is None else f"?since={since}"
        url = f"ws://127.0.0.1:{self.port}/api/terminal/ws/agent{query}"
        async with connect(url, additional_headers=self.headers(who), max_size=None, open_timeout=None) as connection:
            yield Talk(connection)

    @asynccontextmanager
    async def local(self, *, since: int | None = None) -> AsyncGenerator[Talk]:
        query = "" if since is None else f"?since={since}"
        url = f"ws://localhost/api/terminal/ws/agent{query}"
        async with unix_connect(str(self.socket), url, open_timeout=None) as connection:
            yield Talk(connection)


class Talk:
    """One WebSocket client."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.heard: list[Message] = []

    async def say(self, message: Mapping[str, object]) -> None:
        await self.connection.send(json.dumps(message))

    async def run(self, prompt: str = "go", **more: object) -> None:
        await self.say(
            {"command": "run", "prompt": prompt, "continue": False, "permission_mode": "sdk", "auto_approve_safe": True}
            | more
        )

    async def answer(self, request: Message, *, approved: bool, feedback: str | None = None) -> None:
        said: Message = {"command": "tool_approval_response", "request_id": request["request_id"], "approved": approved}
        await self.say(said if feedback is None else said | {"feedback": feedback})

    async def next(self) -> Message:
        message: Message = json.loads(await asyncio.wait_for(self.connection.recv(), _WAIT))
        self.heard.append(message)
        return message

    async def closed(self) -> int | None:
        """How the server ended the connection."""
        await asyncio.wait_for(self.connection.wait_closed(), _WAIT)
        return self.connection.close_code

    async def until(self, kind: str, subtype: str | None = None) -> Message:
        while True:
            message = await self.next()
            if message["type"] == kind and subtype in (None, message.get("subtype")):
                return message


@asynccontextmanager
async def serving(
    folder: Path,
    script: Script | None = None,
    *,
    runner: Callable[[Settings, Gate], Runner] | None = None,
    kept: int = 10_000,
    **more: Any,  # noqa: ANN401 — as `settings_in` has it
) -> AsyncGenerator[Server]:
    """A server that has started; ended at the end, in good order."""
    settings = settings_in(folder, **more)
    gate = Gate.from_settings(settings)
    made: Runner | None = runner(settings, gate) if runner else Scripted(settings, gate, script) if script else None
    tcp, local = listen(settings.server), local_door(settings.store.parent)
    port: int = tcp.getsockname()[1]
    access = Access(approvers=settings.server.approvers, cookie=f"assent-{port}")
    origins = origins_of(tcp, settings.server)
    app = create_app(
        gate, origins=origins, access=access, runner=made, allow_bypass=settings.server.allow_bypass, kept=kept
    )
    path = Path(local.getsockname())
    started = asyncio.Event()
    task = asyncio.create_task(
        serve_doors(ByDoor(app, who="operator", path=str(path)), [tcp, local], ready=started.set)
    )
    waiting = asyncio.create_task(started.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield Server(folder, origins[0], port, access, gate, settings, path, made, app.state.log)
    finally:
        waiting.cancel()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        gate.close()


def free_connection(server: Server) -> socket.socket:
    """A bare TCP connection to the server."""
    return socket.create_connection(("127.0.0.1", server.port), timeout=_WAIT)
