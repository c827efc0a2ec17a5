"""The calls of one turn: asked about as soon as each is complete, run only when the turn is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assent.agent._model import Block, WantedCall, spellable
from assent.errors import AssentError, Refused, Rejected, Responded, Stopped, ToolError, UnknownTool
from assent.gate import Inherited, inherit
from assent.model import Permit, Tool, ToolCall, Validates
from assent.runtime import Session, announced

NOT_RUN: Final = "Not executed: {why}"
_MOST_CHARACTERS: Final = 200_000
"""More would fill the conversation, and then no prompt could follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the model is told of a call."""

    content: str
    is_error: bool = False
    code: str = ""
    refused: bool = False
    """Whether a rule, a mode or a person said no."""


class TurnCalls:
    """The calls of one turn behind one session; each is admitted early and run late, in order."""

    def __init__(self, session: Session, group_id: str | None) -> None:
        self._session = session
        self._group = group_id
        self._admitted: dict[str, asyncio.Task[Permit]] = {}
        self._started: set[str] = set()
        # Questions are put in the order of the calls, however long each takes to draw.
        self._one_at_a_time = asyncio.Lock()

    @property
    def ids(self) -> frozenset[str]:
        """The calls that were taken so far."""
        return frozenset(self._admitted)

    def started(self, call_id: str) -> bool:
        """Whether the call was begun; if so, how far it got may be unknown."""
        return call_id in self._started

    def take(self, call: WantedCall) -> None:
        """Judge it, and ask if somebody must be asked; nothing runs."""
        self._admitted[call.id] = asyncio.create_task(self._admit(call), name=f"admit {call.id}")

    async def run(self, call: WantedCall) -> Outcome:
        """Run it if it was let through.

        Raises:
            Stopped: a person ended the run.
        """
        try:
            permit = await self._permit(call)
            result = await self._spend(permit)
        except Stopped:
            raise
        except Responded as answer:
            return Outcome(content=_text(answer.result))
        except Exception as error:  # noqa: BLE001 — a tool may raise anything, and the model is told
            return told(error)
        return Outcome(content=_text(result))

    async def cancel(self) -> None:
        """Take back every question; what was let through is not run."""
        tasks = [*self._admitted.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _permit(self, call: WantedCall) -> Permit:
        try:
            return await self._admitted[call.id]
        except ToolError:
            if not self._started:
                raise
            # It was judged before the calls in front of it ran: they may have made what was missing.
            return await self._admit(call)

    async def _admit(self, call: WantedCall) -> Permit:
        tool = self._tool(call.name)
        args: Mapping[str, object] = call.args
        if isinstance(tool, Validates):
            args = tool.validate(args)
        wanted = ToolCall(
            run=self._session.run,
            id=call.id,
            tool_name=tool.name,
            args=args,
            agents=self._session.agents,
            group_id=self._group,
        )
        gate = self._session.gate
        async with self._one_at_a_time:
            judged = await gate.judge(wanted, tool)
        if isinstance(judged, Permit):
            return judged
        (answer,) = await gate.ask_all([judged], cancel=True)
        if isinstance(answer, Refused):
            raise answer
        return await gate.settle(judged, answer, tool)

    async def _spend(self, permit: Permit) -> object:
        session = self._session
        around = Inherited(gate=session.gate, run=session.run, agents=session.agents)
        self._started.add(permit.call.id)
        with inherit(around), session.gate.spend(permit):
            return announced(permit, await self._tool(permit.call.tool_name).run(permit))

    def _tool(self, name: str) -> Tool:
        tool = self._session.tools.get(name)
        if tool is None:
            raise UnknownTool(name, list(self._session.tools))
        return tool


def told(error: Exception) -> Outcome:
    """An error in the words of the dialect."""
    code = error.code if isinstance(error, AssentError) else "tool_error"
    match error:
        case Rejected():
            content = f"User rejected: {error.note}" if error.note else "User rejected"
        case Refused():
            content = str(error)
        case UnknownTool():
            content = f"Unknown tool: {error}"
        case AssentError():
            content = f"Error: {error}"
        case _:
            content = f"Error: {type(error).__name__}: {error}"
    return Outcome(content=_text(content), is_error=True, code=code, refused=isinstance(error, Refused))


def result_block(call_id: str, outcome: Outcome) -> Block:
    """The outcome as the API takes it."""
    return {
        "type": "tool_result",
        "tool_use_id": call_id,
        # The API refuses an empty text.
        "content": outcome.content or "(nothing)",
        "is_error": outcome.is_error,
    }


def _text(result: object) -> str:
    """What the model reads: text that every encoding can spell, and not more than it can hold."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    if len(text) > _MOST_CHARACTERS:
        rest = len(text) - _MOST_CHARACTERS
        text = f"{text[:_MOST_CHARACTERS]}\n[… {rest} of {len(text)} characters are cut here; ask for a smaller part …]"
    return spellable(text)
