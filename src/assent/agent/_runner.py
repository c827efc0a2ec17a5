"""The agent: a model, tools behind a gate, and a conversation that goes on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from assent.agent._asking import AskedBy, Asking
from assent.agent._choice import OFFLINE
from assent.agent._conversation import Conversation, Shelf
from assent.agent._events import Event, RunResult
from assent.agent._live import Live
from assent.agent._loop import Ending, Limits, Pause
from assent.agent._messages import message_of, usage_message
from assent.agent._model import Model, ModelFailed
from assent.agent._prompt import system_prompt
from assent.agent._run import OnEvent, Parts, Run, called
from assent.agent._tools import as_tool, settings_for
from assent.config import Settings, find_settings_file, read_settings
from assent.errors import ConfigError, GateFailed, InvalidArguments, Stopped
from assent.gate import Gate
from assent.model import Approver, Tool
from assent.tools.command import OnOutput, command_tools
from assent.tools.files import FileSandbox, file_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

LATEST: Final = "latest"
"""In place of a conversation's name: the one last spoken in from this folder, or a new one."""
OnMessage = Callable[[Mapping[str, object]], object]
"""Called with each message; may be async."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """What one runner does otherwise than the configuration says; None is as it says there."""

    cwd: str | os.PathLike[str] = "."
    """The folder it works in."""
    model: str | Model | None = None
    max_tokens: int | None = None
    """The most tokens of one answer."""
    system_prompt: str | None = None
    """What the model is told beside what it is told anyway."""
    api_key: str | None = None
    """Without one, the SDK looks in ANTHROPIC_API_KEY."""
    auto_approve_read: bool | None = None
    """False makes every read ask; true cannot take back what the configuration asks for."""


class AgentRunner:
    """One agent in one folder: it keeps its conversation, and works on one prompt at a time.

    The configuration is `settings`, else the nearest `assent.yaml` from the folder upwards. With
    `gate`, questions go to that gate's desk and its approvers; without, the runner has its own,
    with `approver` and the record of the configuration. `tools` come on top of its own: `Tool`s,
    or plain functions.
    """

    def __init__(
        self,
        config: AgentConfig | None = None,
        *,
        settings: Settings | None = None,
        gate: Gate | None = None,
        approver: Approver | None = None,
        tools: Iterable[Tool | Callable[..., object]] = (),
        conversation: str | None = None,
        on_output: OnOutput | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        config = config or AgentConfig()
        self.cwd = Path(os.path.realpath(config.cwd))
        self.settings = _settings(config, settings, self.cwd)
        self._asking = Asking(approver)
        self._own_gate = gate is None
        self._running: asyncio.Task[Ending] | None = None
        with ExitStack() as opened:
            self.gate = Gate.from_settings(self.settings, approver=self._asking) if gate is None else gate
            if gate is None:
                opened.callback(self.gate.close)
            sandbox = opened.enter_context(FileSandbox.from_settings(self.settings))
            files = file_tools(sandbox, "claude")
            live = Live(on_output)
            commands = command_tools(self.settings, "claude", cwd=self.cwd, on_output=live.heard)
            every: list[Tool] = [*files, *commands, *map(as_tool, tools)]
            self._parts = _parts(config, self.settings, self.gate, every, live, pause)
            self.conversation = self._opened(conversation)
            self._opened_too = opened.pop_all()

    @property
    def model(self) -> Model:
        """Who answers."""
        return self._parts.model

    async def run(
        self,
        prompt: str,
        on_event: OnEvent | None = None,
        on_tool_approval_request: AskedBy | None = None,
        *,
        fresh: bool = False,
    ) -> RunResult:
        """Work on a prompt; every event as it happens, the result last.

        The conversation goes on where it was; `fresh` begins another.

        Raises:
            InvalidArguments: the prompt is empty.
            GateFailed: it works on another prompt, or the callback would have no gate to answer to.
            StoreFailed: the conversation cannot be written down.
        """
        if not prompt.strip():
            raise InvalidArguments("the prompt is empty; say what the agent shall do")
        if self._running is not None:
            raise GateFailed("agent", "it works on another prompt; wait for it to end, or cancel it")
        if on_tool_approval_request is not None and not self._own_gate:
            raise GateFailed("agent", "its gate was given to it and has approvers of its own; answer there")
        if fresh:
            self._begin_another()
        self._asking.use(on_tool_approval_request)
        # A batch is answered as one: a callback that sees one question at a time answers one at a time.
        run = Run(self._parts, self.conversation, on_event, grouped=on_tool_approval_request is None)
        self._parts.live.use(None if on_event is None else run.emit)
        self._running = asyncio.ensure_future(run.work(prompt))
        try:
            ending = await _ended(self._running)
        finally:
            self._running = None
            self._parts.live.use(None)
            await self.model.close()
        result = run.result(ending)
        await run.emit(result)
        return result

    async def run_prompt(
        self,
        prompt: str,
        on_event: OnMessage | None = None,
        on_tool_approval_request: AskedBy | None = None,
        *,
        fresh: bool = False,
    ) -> RunResult:
        """As `run`, with each event as the message that goes over the wire."""

        async def send(event: Event) -> None:
            if on_event is not None:
                for message in _messages(event):
                    await called(on_event, message)

        return await self.run(prompt, send, on_tool_approval_request, fresh=fresh)

    def cancel(self) -> None:
        """End the run at hand, wherever it is; from the loop it runs in."""
        if self._running is not None:
            self._running.cancel()

    def close(self) -> None:
        """End the session: what was approved for it is forgotten, files and the record are let go."""
        self.conversation.close()
        self.gate.end(self.conversation.id, goes_on=True)
        self._opened_too.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self, name: str | None) -> Conversation:
        if not self.gate.store.shared:
            if name not in (None, LATEST):
                raise ConfigError("the record is kept in memory only, so there is no conversation to go on with")
            return Conversation()
        shelf = Shelf.beside(self.settings.store)
        wanted = shelf.latest(cwd=self.cwd) if name == LATEST else name
        return shelf.new(cwd=self.cwd) if wanted is None else shelf.open(wanted, cwd=self.cwd)

    def _begin_another(self) -> None:
        self.gate.end(self.conversation.id, goes_on=True)
        self.conversation.close()
        self.conversation = self._opened(None)


async def _ended(running: asyncio.Task[Ending]) -> Ending:
    try:
        return await asyncio.shield(running)
    except Stopped as stop:
        who = f"by {stop.by}" if stop.by else "by a person"
        return Ending(status="stopped", message=f"the run was stopped {who}{f': {stop.note}' if stop.note else ''}")
    except ModelFailed as failure:
        return Ending(status="failed", message=str(failure))
    except asyncio.CancelledError:
        if running.cancelled():
            return Ending(status="cancelled", message="the run was cancelled; nothing more is run")
        # It is the caller who is cancelled: the run ends with it, in good order.
        running.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await running
        raise


def _messages(event: Event) -> Sequence[Mapping[str, object]]:
    message = message_of(event)
    return (usage_message(event), message) if isinstance(event, RunResult) else (message,)


def _settings(config: AgentConfig, given: Settings | None, cwd: Path) -> Settings:
    if given is None:
        file = find_settings_file(cwd)
        given = Settings() if file is None else read_settings(file)
    # What the configuration asks for stays: a caller can only make it stricter.
    reads = given.agent.auto_approve_read and config.auto_approve_read is not False
    return settings_for(given, cwd, auto_approve_read=reads)


def _parts(
    config: AgentConfig, settings: Settings, gate: Gate, tools: Sequence[Tool], live: Live, pause: Pause
) -> Parts:
    agent, cwd = settings.agent, Path(os.path.realpath(config.cwd))
    told = agent.system_prompt if config.system_prompt is None else config.system_prompt
    return Parts(
        model=_model(agent.model if config.model is None else config.model, config.api_key, cwd),
        gate=gate,
        tools=tuple(tools),
        read=next(tool for tool in tools if tool.name == "Read"),
        live=live,
        system=system_prompt(cwd, told),
        limits=Limits(
            max_tokens=config.max_tokens or agent.max_tokens, max_turns=agent.max_turns, attempts=agent.attempts
        ),
        prices=agent.prices,
        pause=pause,
    )


def _model(model: str | Model, api_key: str | None, cwd: Path) -> Model:
    if not isinstance(model, str):
        return model
    if model == OFFLINE:
        from assent.agent.offline import OfflineModel

        return OfflineModel(cwd)
    from assent.agent._anthropic import AnthropicModel

    return AnthropicModel(model, api_key=api_key)
