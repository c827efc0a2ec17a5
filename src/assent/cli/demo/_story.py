"""Telling the demo: what the agent wants, what the gate answers and why, what comes back."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace

from assent.cli.demo._answers import Answer, answer_to
from assent.cli.demo._told import error_in, exit_code_in, told
from assent.errors import Stopped
from assent.runtime import Session
from assent.ui import visible

WIDTH = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of one call: the gate's answer, and how the tool failed, if it did."""

    answer: Answer
    error: str
    exit_code: int | None
    """How a command ended; none if there was none."""
    blocked: bool = False
    """Whether the OS blocked what the gate let through."""

    @property
    def done(self) -> bool:
        """Whether the tool did what was wanted."""
        return not self.answer.refused and not self.error

    @property
    def is_limit(self) -> bool:
        """Whether a limit of the files stopped it, which has a code of its own."""
        return self.answer.kind == "denied" and self.error not in ("denied", "os_sandbox_failed")


class Story:
    """Makes the agent's calls, and says what happens to each."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._steps = 0
        self.replies: list[Reply] = []

    async def step(self, intent: str, tool: str, **args: object) -> Reply:
        """The next step: one call through the gate.

        Raises:
            Stopped: the person ended the run.
        """
        self._steps += 1
        return await self._call(f"{self._steps}.", intent, tool, args)

    async def again(self, intent: str, tool: str, **args: object) -> Reply:
        """One more call of the same step.

        Raises:
            Stopped: the person ended the run.
        """
        return await self._call("  ", intent, tool, args)

    def note_blocked(self, words: str) -> None:
        """Say that the OS blocked the last call, here and in the summary."""
        self.replies[-1] = replace(self.replies[-1], blocked=True)
        self.say("Note", words)

    def say(self, who: str, text: str) -> None:
        """A line of the dialogue, wrapped."""
        start = f"   {who + ':':<8}"
        print(textwrap.fill(visible(text, keep=""), WIDTH, initial_indent=start, subsequent_indent=" " * len(start)))

    async def _call(self, number: str, intent: str, tool: str, args: dict[str, object]) -> Reply:
        call, call_id = f"{tool}({next(iter(args.values()), '')})", str(len(self.replies) + 1)
        print(f"\n{number} {call}")
        self.say("Agent", intent)
        try:
            result = await self._session.call(tool, args, call_id=call_id)
        except Stopped:
            self._hear(call, call_id, None)
            raise
        reply = self._hear(call, call_id, result)
        self.say("Result", _heard(reply, told(result)))
        return reply

    def _hear(self, call: str, call_id: str, result: object) -> Reply:
        answer = answer_to(call, call_id, self._session.gate.store.journal())
        self.say("Gate", answer.sentence)
        self.replies.append(Reply(answer=answer, error=error_in(result), exit_code=exit_code_in(result)))
        return self.replies[-1]


def _heard(reply: Reply, words: str) -> str:
    """What the agent hears; what the gate has just said is not said again."""
    if reply.is_limit:
        return f"the agent is told so, with the code {reply.error}"
    return f"{reply.error}: {words}" if reply.error and not reply.answer.refused else words
