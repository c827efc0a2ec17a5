"""Questions on a terminal, in plain text."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, TextIO

from assent.errors import AlreadyDecided
from assent.model import ApprovalDecision, Approve, Clock, Outcome, Pending, PendingId, Reject, Scope, Wider, operation
from assent.ui._draw import draw
from assent.ui._lines import EndOfInput, forget_typed, is_terminal, next_line
from assent.ui._visible import visible

_CHOICES: Final = ("[y] Approve", "[n] Reject", "[s] Approve for session", "[q] Stop the run")
_WIDER: Final = "[w] Approve more for session"
# Whoever types while a question appears has not read it: what comes this early is thrown away too.
_GRACE_SECONDS: Final = 0.35
_WIDEST: Final = 100
_NARROWEST: Final = 20


class TerminalApprover:
    """Shows each question whole and takes one line as the answer.

    What was typed before a question is shown is thrown away. The end of input rejects, and so
    does an input that is no terminal: there, nothing tells an answer from what was typed ahead.
    """

    def __init__(
        self,
        input: TextIO | None = None,  # noqa: A002 (the word every caller would try)
        output: TextIO | None = None,
        *,
        by: str = "",
        clock: Clock = time.time,
    ) -> None:
        self._input = input or sys.stdin
        self._output = output or sys.stdout
        self._by = by or _user()
        self._clock = clock

    @staticmethod
    def is_possible(input: TextIO | None = None, output: TextIO | None = None) -> bool:  # noqa: A002
        """Whether a person can see the question and answer it."""
        return is_terminal(input or sys.stdin) and is_terminal(output or sys.stdout)

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        """One question after the other; stopping the run answers the rest too."""
        answers: dict[PendingId, ApprovalDecision] = {}
        covered: set[tuple[str, str, tuple[str, ...]]] = set()
        try:
            for number, pending in enumerate(batch, start=1):
                same = operation(pending.call, pending.request), pending.call.run, pending.call.agents
                if same in covered:
                    answers[pending.id] = Approve(by=self._by)
                    continue
                self._say(draw(pending, position=(number, len(batch)), width=self._width(), now=self._clock()))
                answers[pending.id] = answer = await self._answer(pending)
                if isinstance(answer, Approve) and answer.scope is Scope.SESSION:
                    covered.add(same)
                if isinstance(answer, Reject) and answer.stop:
                    return {each.id: answers.get(each.id, answer) for each in batch}
        except asyncio.CancelledError:
            self._say("\nClosed: it was answered elsewhere, or its time is over.")
            raise
        return answers

    def lost(self, pending: Pending, first: AlreadyDecided) -> None:
        """Say that another answer was first; what our own stop closed needs no word."""
        if (first.outcome, first.by) != (Outcome.CANCELLED, self._by):
            self._say(f"{visible(pending.request.description, keep='')}: {visible(str(first), keep='')}")

    async def _answer(self, pending: Pending) -> ApprovalDecision:
        if not is_terminal(self._input):
            return Reject(by="nobody", note="there is no terminal to ask at")
        await asyncio.sleep(_GRACE_SECONDS)
        try:
            answer = await self._choice(pending.request.wider)
        except EndOfInput:
            # Where the input is gone, the output may be too; the answer is the same.
            with suppress(OSError):
                self._say("\nThe input ended: rejected.")
            return Reject(by="end of input", note="the input ended before an answer")
        self._say("")
        return answer

    async def _choice(self, wider: Sequence[Wider]) -> ApprovalDecision:
        while True:
            match (await self._typed(self._choices(wider))).lower():
                case "y" | "yes":
                    return Approve(by=self._by)
                case "s":
                    return Approve(by=self._by, scope=Scope.SESSION)
                case "w" if wider:
                    covers = await self._wider(wider)
                    if covers:
                        return Approve(by=self._by, scope=Scope.SESSION, covers=covers)
                case "n" | "no":
                    return Reject(by=self._by, note=await self._reason())
                case "q":
                    return Reject(by=self._by, stop=True)
                case _:
                    self._say(f"Please answer y, n, s{', w' if wider else ''} or q, and Enter.")

    async def _wider(self, wider: Sequence[Wider]) -> str:
        """What else the approval is to cover, by its name; nothing, if the person thinks better of it."""
        for number, each in enumerate(wider, start=1):
            self._say(f"  {number}  {visible(each.description, keep='')}")
        typed = await self._typed("Approve which of them for this session? (a number, or Enter to go back)")
        chosen = int(typed) if typed.isascii() and typed.isdecimal() else 0
        return wider[chosen - 1].name if 0 < chosen <= len(wider) else ""

    async def _reason(self) -> str:
        try:
            return await self._typed("Why? The agent will read it. (Enter for no reason)")
        except EndOfInput:
            return ""

    async def _typed(self, prompt: str) -> str:
        """The line typed after the prompt was shown."""
        # Typing ahead never approves. Before the prompt, not behind it: whoever answers what they see is heard.
        forget_typed(self._input)
        self._say(prompt, end="\n> ")
        return await next_line(self._input)

    def _choices(self, wider: Sequence[Wider]) -> str:
        choices = [*_CHOICES[:3], *([_WIDER] if wider else []), *_CHOICES[3:]]
        line = "  ".join(choices)
        return line if len(line) <= self._width() else "\n".join(choices)

    def _say(self, text: str, end: str = "\n") -> None:
        # A terminal that cannot spell a character gets its number: an error here would refuse the call.
        encoding = getattr(self._output, "encoding", None) or "utf-8"
        self._output.write((text + end).encode(encoding, "backslashreplace").decode(encoding))
        self._output.flush()

    def _width(self) -> int:
        try:
            columns = os.get_terminal_size(self._output.fileno()).columns
        except (OSError, ValueError):
            columns = 0
        return max(_NARROWEST, min(columns or 80, _WIDEST))


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        # A container may run under a number that has no name.
        return "the terminal"
