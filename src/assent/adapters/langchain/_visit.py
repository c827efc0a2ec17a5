"""One call on its way through the gate: admitted or refused, run, and told to the model."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import Token
from types import TracebackType
from typing import Any

from langgraph.errors import GraphBubbleUp, GraphInterrupt

from assent.adapters.langchain._guard import Running, end, permit
from assent.adapters.langchain._pause import admit_after_a_pause
from assent.adapters.langchain._policy import PAUSED
from assent.adapters.langchain._stop import StoppedRun, stopped
from assent.adapters.langchain._task import refuse_to_pause, shares_its_task
from assent.adapters.langchain._told import changed, failed, message
from assent.adapters.langchain._wanted import Wanted
from assent.errors import AssentError, OutcomeUnknown, Refused, Rejected, Responded, Stopped, ToolError
from assent.gate import inherit, run_sync
from assent.model import Permit
from assent.runtime import told


class Paused(BaseException):
    """LangGraph paused inside of an approved call: how far it got, nobody saw."""


class _Failed(Exception):
    """The tool failed, and LangChain made a result of it."""


class Visit(Wanted):
    """A call that passes the gate; `with` it, once it is admitted, the tool runs.

    `result` is what its caller gets.
    """

    result: Any = None
    _permit: Permit
    _spending: AbstractContextManager[Permit]
    _inheriting: AbstractContextManager[None]
    _running: Token[Running | None]

    def admit_sync(self) -> Permit | None:
        """The permit, already taken; if there is none, `result` says why."""
        try:
            self.look()
            if self.settings.style == "inline":
                return self._taken(self.here.gate.admit_sync(self.call, self.policy, starts=True))
            return self._taken(run_sync(self._pausing()))
        except AssentError as error:
            self._refuse(error)
            return None

    async def admit(self) -> Permit | None:
        """The same for asynchronous code."""
        try:
            self.look()
            if self.settings.style == "inline":
                admitted = self.here.gate.admitting(self.call, self.policy)
                return self._taken(admitted if isinstance(admitted, Permit) else await admitted)
            return self._taken(await self._pausing())
        except AssentError as error:
            self._refuse(error)
            return None

    async def _pausing(self) -> Permit:
        if self.is_one_of_several and shares_its_task(self.config):
            self.policy.preview = refuse_to_pause
        return await admit_after_a_pause(self.here.gate, self.call, self.policy, inbox=self.settings.inbox)

    def _taken(self, permit: Permit) -> Permit:
        """Spend it at once: whoever was faster elsewhere refuses it here."""
        self._spending = self.here.gate.spend(permit)
        self._permit = self._spending.__enter__()
        return permit

    def _refuse(self, error: AssentError) -> None:
        """A refusal is an answer to the model."""
        match error:
            case Stopped():
                raise stopped(error, self.here) from error
            case Responded(result=result):
                told_to = self.tool_call_id
                self.result = result if told_to is None else message(self.tool.name, told_to, result)
            case Rejected() if self.settings.on_reject == "stop":
                raise stopped(error, self.here) from error
            case _:
                self._tell(error)

    def __enter__(self) -> None:
        """The tool starts, and what it starts itself is watched."""
        # By hand, as is leaving: every tool call comes through here, and a stack of contexts takes its time.
        self._inheriting = inherit(self.here)
        self._inheriting.__enter__()
        self._running = permit(self.config, self.tool.name)

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        """The tool ended: how, is on the record; what was no crash of the run, is told to the model."""
        end(self._running)
        self._inheriting.__exit__(None, None, None)
        try:
            self._spending.__exit__(None, self._end(error), None)
        except OutcomeUnknown as unknown:
            self._tell(unknown)
            return not isinstance(error, GraphBubbleUp)
        match error:
            case None if self._permit.announcement and self.tool_call_id is not None:
                self.result = changed(self._permit, self.result)
            case Stopped() if not isinstance(error, StoppedRun):
                raise stopped(error, self.here) from error
            case Stopped():
                return False
            case ToolError() | OutcomeUnknown():
                self._tell(error)
            case Refused():
                # The tool ran, and something it called was refused: that is its failure, not its refusal.
                self._tell(ToolError(f"{self.tool.name} did not finish: {error}"))
            case _:
                return False
        return True

    def _end(self, error: BaseException | None) -> BaseException | None:
        """How it ended, for the record: a pause is no failure, and a failure may look like a result."""
        match error:
            case GraphInterrupt() if self._permit.answered is not None:
                return Paused(PAUSED)
            case Stopped():
                return error
            case None | GraphBubbleUp():
                return _Failed(self.result.text) if failed(self.result) else None
            case _:
                return error

    def _tell(self, error: AssentError) -> None:
        """Tell the model; a caller who is none gets the exception."""
        if self.tool_call_id is None:
            raise error
        self.result = message(self.tool.name, self.tool_call_id, told(error), failed=True)
