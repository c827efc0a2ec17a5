"""The approver at a terminal: who answers there, and what becomes of it when they leave."""

from __future__ import annotations

import asyncio
import getpass
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from assent.config import Display
from assent.errors import AlreadyDecided
from assent.model import ApprovalDecision, Clerk, Clock, Outcome, Pending, PendingId, Reject
from assent.ui._batch import Batch
from assent.ui._notify import waiting
from assent.ui._talk import Interrupted, Talk
from assent.ui._tty import DEVICE, EndOfInput, Tty, is_terminal, is_watched, opened, say
from assent.ui._turn import our_turn, turn_at
from assent.ui._visible import visible

_NOBODY: Final = Reject(
    by="nobody",
    note="there is no terminal to ask at. Run it at a terminal; or leave the approver out, and answer with "
    "`assent inbox`; or set a mode, `strict` or `approve_all`",
)
_LEFT: Final = Reject(by="end of input", note="the input ended before an answer")


class TerminalApprover:
    """Shows each question and takes one key as the answer.

    Keys come from the controlling terminal, not from the standard input. What was typed before a
    question could be read is thrown away. The end of input rejects, and so does an input that is no
    terminal: there, nothing tells an answer from what was typed ahead.
    """

    def __init__(
        self,
        input: TextIO | None = None,  # noqa: A002 (the word every caller would try)
        output: TextIO | None = None,
        *,
        by: str = "",
        clock: Clock = time.time,
        display: Display | None = None,
        where: str = "",
        plain: bool = False,
    ) -> None:
        self._input = input
        self._output = output
        self._by = by or _user()
        self._clock = clock
        self._display = display or Display()
        self._where = where
        self._plain = plain

    @staticmethod
    def is_possible(input: TextIO | None = None, output: TextIO | None = None) -> bool:  # noqa: A002
        """Whether a person can see the question and answer it."""
        if input is None and output is None:
            return is_watched()
        with opened(input, output, plain=True) as tty:
            return tty is not None and is_terminal(tty.screen)

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        """One question after the other, or as a list; stopping the run answers the rest too."""
        return await self._asked(batch, None)

    async def review(self, batch: Sequence[Pending], clerk: Clerk, /) -> Mapping[PendingId, ApprovalDecision]:
        """The same with somebody at hand who knows more than the questions say."""
        return await self._asked(batch, clerk)

    def lost(self, pending: Pending, first: AlreadyDecided) -> None:
        """Say that another answer was first; what our own stop closed needs no word."""
        if (first.outcome, first.by) != (Outcome.CANCELLED, self._by):
            self._tell(f"{visible(pending.request.description, keep='')}: {visible(str(first), keep='')}")

    async def _asked(self, batch: Sequence[Pending], clerk: Clerk | None) -> Mapping[PendingId, ApprovalDecision]:
        async with our_turn():
            with opened(self._input, self._output, plain=self._plain) as tty:
                if tty is None:
                    return {each.id: _NOBODY for each in batch}
                async with turn_at(tty) as waited:
                    return await self._at(tty, batch, clerk, startled=waited)

    async def _at(
        self, tty: Tty, batch: Sequence[Pending], clerk: Clerk | None, *, startled: bool
    ) -> Mapping[PendingId, ApprovalDecision]:
        talk = Talk(
            tty,
            clerk=clerk,
            by=self._by,
            clock=self._clock,
            display=self._display,
            where=self._where,
            plain=self._plain,
        )
        if startled:
            talk.keys.startle()
        asked = Batch(talk, batch)
        try:
            with tty.taken(), waiting(_title(batch), tty):
                return await asked.answers()
        except Interrupted:
            tty.say("\nInterrupted: the run is stopped.")
            return asked.filled(Reject(by=self._by, stop=True))
        except (EndOfInput, OSError):
            # Where the input is gone, the output may be too; the answer is the same.
            with suppress(OSError, ValueError):
                tty.say("\nThe input ended: no answer was given.")
            return asked.filled(_LEFT)
        except asyncio.CancelledError as closed:
            talk.keys.startle()
            with suppress(OSError, ValueError):
                tty.say(f"\n{self._closing(batch, closed)}")
            raise

    def _closing(self, batch: Sequence[Pending], closed: asyncio.CancelledError) -> str:
        """Why the question was taken from the screen, as far as anybody says."""
        if closed.args:
            return visible(str(closed.args[0]), keep="")
        if all(each.expires is not None and each.expires <= self._clock() for each in batch):
            return "Closed: its time is over. Nothing was approved."
        return "Closed: no answer was given here."

    def _tell(self, text: str) -> None:
        if self._output is not None:
            say(self._output, f"{text}\n")
            return
        with suppress(OSError), Path(DEVICE).open("w", encoding="utf-8") as screen:
            say(screen, f"{text}\n")


def _title(batch: Sequence[Pending]) -> str:
    more = f" (and {len(batch) - 1} more)" if len(batch) > 1 else ""
    return f"{batch[0].request.description}{more}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        # A container may run under a number that has no name.
        return "the terminal"
