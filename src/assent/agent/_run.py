"""One prompt at work: the agent's loop, and those of its sub-agents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assent.agent._conversation import Conversation
from assent.agent._events import Event, RunResult, ToolResult
from assent.agent._live import Live
from assent.agent._loop import Ending, Limits, Loop, Pause
from assent.agent._mending import mend
from assent.agent._model import Model, ModelFailed, spellable
from assent.agent._task import TASK, TaskTool
from assent.agent._tools import described
from assent.agent._usage import Usage
from assent.gate import Gate
from assent.model import Tool
from assent.runtime import Session

if TYPE_CHECKING:
    from assent.config import Prices

OnEvent = Callable[[Event], object]
"""Called with each event; may be async."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an agent is made of."""

    model: Model
    gate: Gate
    tools: tuple[Tool, ...]
    """All but `Task`, which a sub-agent does not have."""
    read: Tool
    """The tool by which attachments are read."""
    live: Live
    """What its commands write while they run."""
    system: str
    limits: Limits
    prices: Prices | None
    pause: Pause


class Run:
    """One prompt in a conversation."""

    def __init__(self, parts: Parts, said: Conversation, on_event: OnEvent | None, *, grouped: bool = True) -> None:
        self._parts = parts
        self._said = said
        self._on_event = on_event
        self._grouped = grouped
        self._loops: list[Loop] = []

    async def work(self, prompt: str) -> Ending:
        """Work until it ends; as `Loop.run`."""
        said = self._said
        self._go_on()
        mend(said, self._parts.gate.store)
        before = len(said.messages)
        said.add({"role": "user", "content": spellable(prompt)})
        loop = self._loop([*self._parts.tools, TaskTool(self._parts.read, self._sub_agent)])
        ending = await loop.run(said)
        if ending.status == "refusal":
            # A refused exchange would be refused again with every prompt that follows it.
            said.back_to(before)
        return ending

    async def emit(self, event: Event) -> None:
        """Tell whoever listens, and wait for them."""
        if isinstance(event, ToolResult):
            await self._parts.live.flush()
        if self._on_event is not None:
            await called(self._on_event, event)

    def result(self, ending: Ending) -> RunResult:
        """How it ended, and what it used, sub-agents included."""
        usage = sum((loop.usage for loop in self._loops), Usage())
        return RunResult(
            status=ending.status,
            message=ending.message,
            text=ending.text,
            usage=usage,
            cost=usage.cost(self._parts.prices),
            conversation=self._said.id,
            refused=sum(loop.refused for loop in self._loops),
        )

    async def _sub_agent(self, prompt: str) -> Ending:
        said = Conversation()
        said.add({"role": "user", "content": prompt})
        try:
            return await self._loop(self._parts.tools, (TASK,)).run(said)
        except ModelFailed as failure:
            return Ending(status="failed", message=str(failure))

    def _loop(self, tools: Iterable[Tool], agents: tuple[str, ...] = ()) -> Loop:
        parts = self._parts
        session = Session(parts.gate, tools, run=self._said.id, agents=agents)
        loop = Loop(
            parts.model,
            session,
            system=parts.system,
            tools=[described(tool) for tool in session.tools.values()],
            limits=parts.limits,
            emit=self.emit,
            pause=parts.pause,
            grouped=self._grouped,
        )
        self._loops.append(loop)
        return loop

    def _go_on(self) -> None:
        """A person who stopped the run and now gives it a prompt wants it to go on."""
        gate = self._parts.gate
        if gate.store.history(self._said.id).stopped is not None:
            gate.end(self._said.id, goes_on=True)


async def called(callback: Callable[..., object], argument: object) -> None:
    """Call it, and wait if it is async."""
    given = callback(argument)
    if inspect.isawaitable(given):
        await given
