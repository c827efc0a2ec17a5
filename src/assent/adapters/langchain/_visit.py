"""One call on its way through the gate: admitted or refused, run, and told to the model."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from langgraph.errors import GraphBubbleUp, GraphInterrupt

from assent.adapters.langchain._calls import PAUSED
from assent.adapters.langchain._guard import permitting
from assent.adapters.langchain._pause import admit_after_a_pause
from assent.adapters.langchain._told import changed, failed, message, told
from assent.adapters.langchain._wanted import Wanted
from assent.errors import AssentError, OutcomeUnknown, Refused, Rejected, Responded, Stopped, ToolError
from assent.gate import inherit, run_sync
from assent.model import Permit


class Paused(BaseException):
    """LangGraph paused inside of an approved call: how far it got, nobody saw."""


class _Failed(Exception):
    """The tool failed, and LangChain made a result of it."""


class Visit(Wanted):
    """A call that passes the gate; `result` is what its caller gets."""

    result: Any = None
    _permit: Permit | None = None
    _spent: ExitStack

    def admit_sync(self) -> Permit | None:
        """The permit, already taken; if there is none, `result` says why."""
        with self._refusing():
            if self.settings.style == "inline":
                self._take(self.here.gate.admit_sync(self.call, self.policy))
            else:
                self._take(run_sync(self._pausing()))
        return self._permit

    async def admit(self) -> Permit | None:
        """The same for asynchronous code."""
        with self._refusing():
            if self.settings.style == "inline":
                self._take(await self.here.gate.admit(self.call, self.policy))
            else:
                self._take(await self._pausing())
        return self._permit

    async def _pausing(self) -> Permit:
        return await admit_after_a_pause(self.here.gate, self.call, self.policy, inbox=self.settings.inbox)

    def _take(self, permit: Permit) -> None:
        """Spend it at once: whoever was faster elsewhere refuses it here."""
        self._spent = ExitStack()
        self._spent.enter_context(self.here.gate.spend(permit))
        self._permit = permit

    @contextmanager
    def _refusing(self) -> Generator[None]:
        """A refusal is an answer to the model."""
        try:
            yield
        except Stopped:
            raise
        except Responded as answer:
            told_to = self.tool_call_id
            self.result = answer.result if told_to is None else message(self.tool.name, told_to, answer.result)
        except Rejected as refusal:
            if self.settings.on_reject == "stop":
                raise Stopped(note=refusal.note, by=refusal.by) from refusal
            self._tell(refusal)
        except AssentError as error:
            self._tell(error)

    @contextmanager
    def running(self, permit: Permit) -> Generator[None]:
        """The time in which the tool runs; how it ended is on the record."""
        pause: GraphBubbleUp | None = None
        try:
            with suppress(Paused, _Failed), self._spent, inherit(self.here), permitting(self.config):
                try:
                    yield
                except GraphBubbleUp as bubble:
                    pause = bubble
                    if permit.answered is not None and isinstance(bubble, GraphInterrupt):
                        raise Paused(PAUSED) from bubble
                if failed(self.result):
                    raise _Failed(self.result.text)
        except Stopped:
            raise
        except (ToolError, OutcomeUnknown) as error:
            self._tell(error)
        except Refused as error:
            # The tool ran, and something it called was refused: that is its failure, not its refusal.
            self._tell(ToolError(f"{self.tool.name} did not finish: {error}"))
        else:
            if permit.announcement and self.tool_call_id is not None:
                self.result = changed(permit, self.result)
        if pause is not None:
            raise pause

    def _tell(self, error: AssentError) -> None:
        """Tell the model; a caller who is none gets the exception."""
        if self.tool_call_id is None:
            raise error
        self.result = message(self.tool.name, self.tool_call_id, told(error), failed=True)
