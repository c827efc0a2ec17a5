"""Sessions of Claude Code behind a gate."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    Message,
    ResultError,
    SdkMcpTool,
    query,
)
from claude_agent_sdk.types import HookEvent

from assent.adapters.claude_agent._arguments import Shape
from assent.adapters.claude_agent._calls import OnReject, Settings, Style
from assent.adapters.claude_agent._door import Door
from assent.adapters.claude_agent._tool import Counter, behind
from assent.gate import Gate, inherited
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
        self._settings = Settings(gate=gate, policies=policies or {}, name=name, style=style, on_reject=on_reject)
        self._counter = Counter()
        self._shapes: dict[str, Shape] = {}

    def tools(self, *tools: SdkMcpTool[Any]) -> list[SdkMcpTool[Any]]:
        """Tools of this process, for `create_sdk_mcp_server`: they run only with a permit, which they spend.

        Raises:
            ValueError: two of them have the same name.
        """
        shapes = [Shape(tool) for tool in tools]
        for shape in shapes:
            if self._shapes.setdefault(shape.tool.name, shape).tool is not shape.tool:
                raise ValueError(f"two tools are named {shape.tool.name!r}: give one of them another name")
        return [behind(shape, self._counter) for shape in shapes]

    def options(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """The options for one session behind the gate, for `ClaudeSDKClient` or `query`.

        What would run without a question (`allowed_tools`, `bypassPermissions`) is taken out, as the gate
        decides; settings files are read only where `setting_sources` names them.

        Raises:
            ValueError: somebody else would answer Claude Code's questions.
        """
        return self._behind(Door(self._settings, self._shapes, self._counter), options)

    async def query(
        self, *, prompt: str | AsyncIterable[dict[str, Any]], options: ClaudeAgentOptions | None = None
    ) -> AsyncGenerator[Message]:
        """The SDK's `query` behind the gate.

        Raises:
            Stopped: a person ended the run.
        """
        door = Door(self._settings, self._shapes, self._counter)
        try:
            messages: Any = query(prompt=prompt, options=self._behind(door, options))
            async with aclosing(messages):
                async for message in messages:
                    yield message
        except ResultError:
            if door.stopped is None:
                raise
        finally:
            door.close()
        if door.stopped is not None:
            raise door.stopped

    def _behind(self, door: Door, options: ClaudeAgentOptions | None) -> ClaudeAgentOptions:
        options = options or ClaudeAgentOptions()
        if options.can_use_tool or options.permission_prompt_tool_name:
            raise ValueError("the gate answers Claude Code's questions: leave out can_use_tool and its like")
        hooks: dict[HookEvent, list[HookMatcher]] = {name: list(each) for name, each in (options.hooks or {}).items()}
        ours = HookMatcher(hooks=[door.before], timeout=self._patience(), on_failure="block")
        hooks["PreToolUse"] = [ours, *hooks.get("PreToolUse", ())]
        ended: tuple[HookEvent, ...] = ("PostToolUse", "PostToolUseFailure")
        for event in ended:
            hooks[event] = [HookMatcher(hooks=[door.after]), *hooks.get(event, ())]
        return replace(
            options,
            hooks=hooks,
            can_use_tool=door.confirm,
            allowed_tools=[],
            permission_mode=None if options.permission_mode == "bypassPermissions" else options.permission_mode,
            # A settings file may lie where the agent writes, and its hooks run commands and answer questions.
            setting_sources=options.setting_sources or [],
        )

    def _patience(self) -> float:
        """How long the hook may take: a little longer than the gate waits for people."""
        outer = inherited()
        gate = self._settings.gate or (outer.gate if outer else None)
        seconds = gate.timeout if gate else None
        return _FOREVER if seconds is None else min(seconds + _GRACE, _FOREVER)
