"""Sessions of Claude Code behind a gate."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Message, ResultError, SdkMcpTool

# What the SDK's `query` iterates over. Closed early, `query` leaves the session to the garbage collector: Claude Code
# would go on for a while.
from claude_agent_sdk._internal.client import InternalClient

from assent.adapters.claude_agent import _options
from assent.adapters.claude_agent._arguments import Shape
from assent.adapters.claude_agent._calls import OnReject, Settings, Style, spelled
from assent.adapters.claude_agent._door import Door
from assent.adapters.claude_agent._tool import Counter, behind
from assent.gate import Gate, check_gate, inherited
from assent.model import Policy

_FOREVER = 2_000_000.0
"""Seconds a hook may take at most: its timer counts milliseconds in 31 bits."""
_GRACE = 60.0


class Gated:
    """Every tool call of Claude Code passes the gate; without a gate, that of the surrounding run.

    `inline` waits for each answer. `deferred` puts the question on the desk and ends the run, which
    another process resumes (`ClaudeAgentOptions(resume=session_id)`). A tool without a policy (in
    `policies`, by the name Claude Code uses for it) asks. `name` is the main agent's.
    """

    def __init__(
        self,
        gate: Gate | None = None,
        *,
        policies: Mapping[str, Policy] | None = None,
        name: str = "",
        style: Style = "inline",
        on_reject: OnReject = "tell",
    ) -> None:
        check_gate(gate, policies)
        self._settings = Settings(gate=gate, policies=policies or {}, name=name, style=style, on_reject=on_reject)
        self._shapes: dict[str, Shape] = {}

    def tools(self, *tools: SdkMcpTool[Any]) -> list[SdkMcpTool[Any]]:
        """Tools of this process, for `create_sdk_mcp_server`: they run only with a permit, which they spend.

        Raises:
            ValueError: two of them have the same name, as Claude Code spells it.
        """
        shapes = [Shape(tool) for tool in tools]
        for shape in shapes:
            if self._shapes.setdefault(spelled(shape.tool.name), shape).tool is not shape.tool:
                raise ValueError(f"two tools are named {shape.tool.name!r}: give one of them another name")
        return [behind(shape) for shape in shapes]

    def options(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """The options for one session behind the gate, for a client of your own; `client` makes one and ends it.

        What would run without a question (`allowed_tools`, `bypassPermissions`) is taken out, as the gate
        decides; settings files are read only where `setting_sources` names them. Tools of this process
        refuse in such a session: nobody hands them their permits.

        Raises:
            ValueError: with these options the gate would not be asked.
        """
        return self._behind(Door(self._settings, self._shapes), options)

    @asynccontextmanager
    async def client(self, options: ClaudeAgentOptions | None = None) -> AsyncGenerator[ClaudeSDKClient]:
        """A connected client of one session behind the gate; its record is closed with it.

        Raises:
            Stopped: a person ended the run.
            GateFailed: Claude Code went past the gate's hooks.
        """
        counter = Counter()
        door = Door(self._settings, self._shapes, counter)
        client = ClaudeSDKClient(self._behind(door, options))
        try:
            with counter.serving():
                await client.connect()
            yield client
        finally:
            await client.disconnect()
            door.close()
        if door.ended is not None:
            raise door.ended

    async def query(
        self, *, prompt: str | AsyncIterable[dict[str, Any]], options: ClaudeAgentOptions | None = None
    ) -> AsyncGenerator[Message]:
        """The SDK's `query` behind the gate.

        Raises:
            Stopped: a person ended the run.
            GateFailed: Claude Code went past the gate's hooks.
        """
        counter = Counter()
        door = Door(self._settings, self._shapes, counter)
        try:
            messages: Any = InternalClient().process_query(prompt=prompt, options=self._behind(door, options))
            async with aclosing(messages):
                while (message := await _next(messages, counter)) is not None:
                    door.watch(message)
                    yield message
        except ResultError:
            if door.ended is None:
                raise
        finally:
            door.close()
        if door.ended is not None:
            raise door.ended

    def _behind(self, door: Door, options: ClaudeAgentOptions | None) -> ClaudeAgentOptions:
        return _options.behind(options or ClaudeAgentOptions(), door, self._patience())

    def _patience(self) -> float:
        """How long the hook may take: a little longer than the gate waits for people."""
        outer = inherited()
        gate = self._settings.gate or (outer.gate if outer else None)
        seconds = gate.timeout if gate else None
        return _FOREVER if seconds is None else min(seconds + _GRACE, _FOREVER)


async def _next(messages: AsyncGenerator[Message], counter: Counter) -> Message | None:
    with counter.serving():  # the session starts in here, with the first message
        return await anext(messages, None)
