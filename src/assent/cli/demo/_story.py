"""Telling the demo: what the agent wants, what the gate answers and why, what comes back."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import json
import textwrap

from assent.cli.demo._answers import Answer, answer_to
from assent.errors import Stopped
from assent.runtime import Session
from assent.ui import visible

WIDTH = 80


class Story:
    """Makes the agent's calls, and says what happens to each."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.answers: list[Answer] = []

    async def step(self, intent: str, tool: str, **args: object) -> Answer:
        """One call through the gate.

        Raises:
            Stopped: the person ended the run.
        """
        call, number = f"{tool}({next(iter(args.values()), '')})", str(len(self.answers) + 1)
        print(f"\n{number}. {call}")
        self.say("Agent", intent)
        try:
            result = await self._session.call(tool, args, call_id=number)
        except Stopped:
            self._hear(call, number)
            raise
        answer = self._hear(call, number)
        self.say("Result", _told(result))
        return answer

    def say(self, who: str, text: str) -> None:
        """A line of the dialogue, wrapped."""
        start = f"   {who + ':':<8}"
        print(textwrap.fill(visible(text, keep=""), WIDTH, initial_indent=start, subsequent_indent=" " * len(start)))

    def _hear(self, call: str, number: str) -> Answer:
        answer = answer_to(call, number, self._session.gate.store.journal())
        self.answers.append(answer)
        self.say("Gate", answer.sentence)
        return answer


def _told(result: object) -> str:
    """The result as the model reads it."""
    match result:
        case str():
            return result
        case {"message": str(message)}:
            return message
        case _:
            return json.dumps(result)
