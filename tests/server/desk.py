"""Questions on a server's desk, asked with real tools that stay at hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assent.gate import Gate
from assent.model import Pending, Permit, Tool, ToolCall
from assent.tools.command import command_tools
from assent.tools.files import FileSandbox, file_tools
from tests.server.served import Server

if TYPE_CHECKING:
    import httpx


@dataclass
class Asker:
    """A run of this process: its questions are those of the server's own gate, or of another."""

    server: Server
    gate: Gate
    tools: Mapping[str, Tool]
    http: httpx.AsyncClient

    async def ask(self, tool: str, *, call: str = "call", run: str = "run", group: str | None = None, **args: object) -> Pending:  # fmt: skip
        wanted = ToolCall(run=run, id=call, tool_name=tool, args=args, group_id=group)
        found = await self.gate.judge(wanted, self.tools[tool])
        assert isinstance(found, Pending), found
        return found

    async def write(self, name: str, content: str = "x", **more: Any) -> Pending:  # noqa: ANN401 — as `ask` has it
        return await self.ask("Write", call=name, file_path=str(self.server.work / name), content=content, **more)

    async def run(self, pending: Pending) -> object:
        """What becomes of a question, once it is answered: its tool is run."""
        (answer,) = await self.gate.ask_all([pending])
        if isinstance(answer, Exception):
            raise answer
        tool = self.tools[pending.call.tool_name]
        permit: Permit = await self.gate.settle(pending, answer, tool)
        with self.gate.spend(permit):
            return await tool.run(permit)

    async def get(self, path: str, **query: object) -> Any:  # noqa: ANN401 — JSON
        answer = await self.http.get(path, params={name: str(value) for name, value in query.items()})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: object, status: int = 200) -> Any:  # noqa: ANN401 — JSON
        answer = await self.http.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def digest(self, pending: Pending) -> str:
        found: str = (await self.get(f"/api/inbox/{pending.id}"))["item"]["digest"]
        return found

    async def decide(self, pending: Pending, status: int = 200, *, redrawn: str | None = None, **decision: object) -> Any:  # fmt: skip # noqa: ANN401
        body = {"digest": await self.digest(pending), "decision": decision}
        if redrawn is not None:
            body["redrawn"] = redrawn
        return await self.post(f"/api/inbox/{pending.id}/decision", body, status)

    async def redraw(self, pending: Pending, status: int = 200, **args: object) -> Any:  # noqa: ANN401 — JSON
        body = {"digest": await self.digest(pending), "args": args}
        return await self.post(f"/api/inbox/{pending.id}/redraw", body, status)


@asynccontextmanager
async def asking(server: Server, *, elsewhere: bool = False, more: Mapping[str, Tool] | None = None) -> AsyncGenerator[Asker]:  # fmt: skip
    """Whoever asks; `elsewhere` with a gate that the server does not know, as in another process."""
    sandbox = FileSandbox.from_settings(server.settings)
    commands = command_tools(server.settings, "claude", cwd=server.work)
    every: list[Tool] = [*file_tools(sandbox, "claude"), *commands]
    tools = {each.name: each for each in every}
    gate = Gate(store=server.gate.store) if elsewhere else server.gate
    try:
        async with server.http() as http:
            yield Asker(server, gate, tools | dict(more or {}), http)
    finally:
        await asyncio.to_thread(sandbox.close)
