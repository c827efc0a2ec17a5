"""Sub-agents behind the gate: made, handed work and files, each with an approval of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from assent.errors import GateFailed, InvalidArguments
from assent.functions import simple_approval_request
from assent.gate import Inherited, inherit, inherited, new_call_id
from assent.model import (
    Deny,
    Permit,
    Tool,
    ToolCall,
    Verdict,
)
from assent.runtime import Attachment, execute

_MAKES = "a new agent is a call like any other"
_HANDS = "work is handed to another agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgent:
    """An agent that another one made."""

    name: str
    instructions: str
    tools: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()


Work = Callable[[SubAgent, str, Mapping[str, object]], Awaitable[object]]
"""What a sub-agent does with its input and with what the reading tool gave of each attachment."""


class SubAgents:
    """Two tools, `create_agent` and `call_agent`; what an agent does is the script you give.

    Every attachment passes the reading tool's own approval, with the receiver in the question;
    one that is refused refuses the hand-over.
    """

    def __init__(self, read_file: Tool, work: Work) -> None:
        self.agents: dict[str, SubAgent] = {}
        self._read_file = read_file
        self._work = work

    @property
    def tools(self) -> tuple[Tool, Tool]:
        """For a `Session`, or any adapter."""
        return _CreateAgent(self.agents), _CallAgent(self.agents, self._read_file, self._work)


@dataclass(frozen=True, slots=True)
class _CreateAgent:
    """`create_agent(name, instructions, tools, permissions)`: nothing exists before somebody agreed."""

    agents: dict[str, SubAgent]
    name: str = "create_agent"

    def check_approval(self, call: ToolCall, /) -> Verdict:
        agent = _described(call.args)
        return simple_approval_request(self.name, call.args, description=f"Create agent {agent.name}", reason=_MAKES)

    async def run(self, permit: Permit, /) -> object:
        agent = _described(permit.call.args)
        self.agents[agent.name] = agent
        return f"{agent.name} is ready"


@dataclass(frozen=True, slots=True)
class _CallAgent:
    """`call_agent(agent, input, attachments)`: the same agent, input and attachments are the same operation."""

    agents: dict[str, SubAgent]
    read_file: Tool
    work: Work
    name: str = "call_agent"

    def check_approval(self, call: ToolCall, /) -> Verdict:
        name = str(call.args.get("agent", ""))
        if name not in self.agents:
            known = ", ".join(self.agents) or "none yet; create_agent makes one"
            return Deny(reason=f"there is no agent named {name!r}; there are: {known}")
        files = _texts(call.args, "attachments")
        line = f"Hand work to {name}" + (f", with {', '.join(files)}" if files else "")
        return simple_approval_request(self.name, call.args, description=line, reason=_HANDS)

    async def run(self, permit: Permit, /) -> object:
        around = inherited()
        if around is None:
            raise GateFailed("gate", "an agent is called within a gated run; use Session.call")
        agent = self.agents[str(permit.call.args["agent"])]
        inside = replace(around, agents=(*around.agents, agent.name))
        with inherit(inside):
            files = await self._handed(permit, agent, inside)
            return await self.work(agent, str(permit.call.args.get("input", "")), files)

    async def _handed(self, permit: Permit, agent: SubAgent, inside: Inherited) -> Mapping[str, object]:
        """What the reading tool gave of each attachment; one batch, and one refusal ends it.

        Raises:
            Refused: a file may not be handed over.
        """
        paths = _texts(permit.call.args, "attachments")
        tool = Attachment(self.read_file, agent.name)
        calls = [
            ToolCall(
                run=permit.call.run,
                id=new_call_id(),
                tool_name=tool.name,
                args={"path": path},
                agents=inside.agents,
                group_id=f"{permit.call.id}/attachments",
            )
            for path in paths
        ]
        read = await asyncio.gather(*(execute(call, tool, inside.gate) for call in calls), return_exceptions=True)
        for given in read:
            if isinstance(given, BaseException):
                raise given
        return dict(zip(paths, read, strict=True))


def _described(args: Mapping[str, object]) -> SubAgent:
    name, instructions = args.get("name"), args.get("instructions", "")
    if not isinstance(name, str) or not name or not isinstance(instructions, str):
        raise InvalidArguments("an agent has a name and instructions, both text")
    return SubAgent(
        name=name,
        instructions=instructions,
        tools=_texts(args, "tools"),
        permissions=_texts(args, "permissions"),
    )


def _texts(args: Mapping[str, object], name: str) -> tuple[str, ...]:
    given = args.get(name) or ()
    if isinstance(given, (tuple, list)):
        items = cast("Sequence[object]", given)
        texts = tuple(each for each in items if isinstance(each, str))
        if len(texts) == len(items):
            return texts
    raise InvalidArguments(f"{name} is a list of texts")
