"""One client at the WebSocket: what it is told, in order, and what it says."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from assent.errors import AssentError
from assent.model import ApprovalDecision, Approve, Reject
from assent.server._client import SLOW_SECONDS, Begun, Client, is_gone
from assent.server._desk import Question, ServedDesk, Stale
from assent.server._log import Entry, EventLog
from assent.server._session import AgentSession, NotStarted
from assent.server.messages import (
    Answer,
    Command,
    Run,
    Standing,
    WrongMessage,
    complaint,
    hello,
    in_list,
    read_command,
    spelled,
)

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from assent.server._access import Access

_LAGS: Final = 1013
_REFUSED: Final = 1008
_CLOSE_SECONDS: Final = 1.0
_ABOUT_QUESTIONS: Final = frozenset({"tool_approval_request", "tool_approval_ended"})


class Clients:
    """Everybody who is connected; while somebody is, the desk is watched."""

    def __init__(self, desk: ServedDesk, session: AgentSession, log: EventLog, access: Access) -> None:
        self._desk = desk
        self._access = access
        self._session = session
        self._log = log
        self._all: set[Client] = set()
        self._watching: asyncio.Task[None] | None = None
        self._sweeping: asyncio.Task[None] | None = None
        log.on_publish = self._tell

    async def serve(self, socket: WebSocket, who: str, *, session: str | None, since: int | None) -> None:
        """Talk with one client until it goes, or its session does.

        `since` is the last number it has seen, if it counts.
        """
        await socket.accept()
        await self._desk.look()
        client = Client(socket, who, session=session, counts=since is not None)
        if self._stands(client):
            await self._talk(client, since)
        if not self._stands(client):
            await _turn_out(client)

    def let_go(self) -> None:
        """End the connections of every session that has ended."""
        for client in self._all:
            if not self._stands(client):
                client.leave()

    def _stands(self, client: Client) -> bool:
        """Whether who it is may still do anything."""
        return client.session is None or self._access.whose(client.session) is not None

    async def _talk(self, client: Client, since: int | None) -> None:
        listening: asyncio.Task[None] | None = None
        try:
            # Together: what is said from here on is told, and what was said before is not told twice.
            self._pump(client, self._first(client, since))
            self._all.add(client)
            self._watch()
            listening = asyncio.create_task(self._listen(client), name="assent-listen")
            await asyncio.wait({listening, client.gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._all.discard(client)
            if not self._all:
                self._rest()
            await _ended(listening, client.pump)

    # What it is told

    def _first(self, client: Client, since: int | None) -> list[str]:
        """Where it stands, and what it missed; from here on it reads the log."""
        client.cursor = self._log.head
        if since is None:
            return []
        missed = self._log.after(since) if since else self._log.all()
        about = self._session.about
        greeting = hello(
            Standing(
                you=client.who,
                running=self._session.running,
                since=since,
                head=self._log.head,
                missed=missed is None,
                pending=[in_list(each.entry.message) for each in self._desk.waiting()],
                modes=self._session.modes,
                allow_bypass=self._session.allow_bypass,
                cwd=about.cwd,
                model=about.model,
                offline=about.offline,
                now=time.time(),
            )
        )
        entries = self._log.all() if missed is None else missed
        return [spelled(greeting), *(each.text for each in entries if each.text and not each.is_question)]

    def _tell(self, entry: Entry) -> None:
        """Give it to everybody who takes it at once; whoever does not, has it brought by a pump."""
        for client in [*self._all]:
            if client.is_pumped:
                continue
            if not client.counts and entry.message.get("type") in _ABOUT_QUESTIONS:
                self._pump(client, [])
                continue
            text = self._text(client, entry)
            begun = client.offer(text) if text else None
            client.cursor = entry.seq
            if begun is not None:
                self._pump(client, [], begun)

    def _pump(self, client: Client, first: list[str], begun: Begun | None = None) -> None:
        client.pump_with(self._bring(client, first, begun))

    async def _bring(self, client: Client, first: list[str], begun: Begun | None) -> None:
        """Bring a client up to date, at its own pace."""
        if begun is not None:
            await client.finish(begun)
        for text in first:
            await client.send(text)
        while True:
            entries = self._log.after(client.cursor)
            if entries is None:
                await client.socket.close(_LAGS, "too slow: connect again with ?since= the last number you saw")
                client.leave()
                return
            for entry in entries:
                if text := self._text(client, entry):
                    await client.send(text)
                client.cursor = entry.seq
            if not client.counts and (question := self._next(client)) is not None:
                client.asked = question.request_id
                await client.send(question.plain_text())
            elif client.cursor == self._log.head:
                return

    def _text(self, client: Client, entry: Entry) -> str:
        if client.counts:
            return entry.text
        return entry.plain_text() if entry.plain and not entry.is_question else ""

    def _next(self, client: Client) -> Question | None:
        """The question a plain client is asked next: the oldest, once the one before has ended."""
        if client.asked and self._desk.waits(client.asked):
            return None
        return next(iter(self._desk.waiting()), None)

    # What it says

    async def _listen(self, client: Client) -> None:
        while True:
            event = await client.socket.receive()
            if event["type"] == "websocket.disconnect" or not self._stands(client):
                return
            if not client.limit.take():
                await client.socket.close(_REFUSED, "too many messages; connect again and send fewer")
                return
            try:
                await self._do(_read(event.get("text")), client)
            except NotStarted as wrong:
                await client.send(_told(wrong.code, wrong))
            except WrongMessage as wrong:
                await client.send(_told("invalid_message", wrong))
            except Stale as wrong:
                await client.send(_told("stale", wrong))
            except AssentError as wrong:
                await client.send(_told(wrong.code, wrong))

    async def _do(self, command: Command, client: Client) -> None:
        match command:
            case Run():
                self._session.start(command, by=client.who)
            case Answer():
                await self._desk.answer_shown(command.request_id, _decision(command, client.who))
            case _:
                await self._session.stop(by=client.who)

    # Looking after them

    def _watch(self) -> None:
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._keep_watching(), name="assent-desk")
            self._sweeping = asyncio.create_task(self._sweep(), name="assent-sweep")

    async def _keep_watching(self) -> None:
        while True:
            # A record that cannot be read now may be read again later; meanwhile nobody is told anything.
            with suppress(AssentError):
                await self._desk.watch()
            await asyncio.sleep(1)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SLOW_SECONDS / 4)
            now = time.monotonic()
            for client in [each for each in self._all if each.is_slow(now)]:
                client.leave()
            self.let_go()

    def _rest(self) -> None:
        for task in (self._watching, self._sweeping):
            if task is not None:
                task.cancel()
        self._watching = self._sweeping = None


async def _ended(*tasks: asyncio.Task[None] | None) -> None:
    """End what a client had under way; that it went away is no failure."""
    begun = [each for each in tasks if each is not None]
    for task in begun:
        task.cancel()
    for result in await asyncio.gather(*begun, return_exceptions=True):
        if isinstance(result, Exception) and not is_gone(result):
            raise result


async def _turn_out(client: Client) -> None:
    """Say why it ends; whoever does not take even that is not waited for."""
    try:
        async with asyncio.timeout(_CLOSE_SECONDS):
            await client.socket.close(_REFUSED, "the session has ended; sign in and connect again")
    except Exception as error:
        if not is_gone(error):
            raise


def _read(text: str | None) -> Command:
    if text is None:
        raise WrongMessage("only text is read here; send JSON as text")
    return read_command(text)


def _decision(answer: Answer, who: str) -> ApprovalDecision:
    note = answer.feedback or ""
    return Approve(note=note, by=who) if answer.approved else Reject(note=note, by=who)


def _told(code: str, error: Exception) -> str:
    return spelled(complaint(code, str(error)))
