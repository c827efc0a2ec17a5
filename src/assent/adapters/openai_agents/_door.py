"""One call on its way through the gate: admitted or refused, run, and told to the model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agents import RunContextWrapper

from assent.adapters.openai_agents._arguments import Shape
from assent.adapters.openai_agents._calls import Place, inside
from assent.adapters.openai_agents._inner import goes_on, has_paused
from assent.adapters.openai_agents._policy import ToolPolicy
from assent.adapters.openai_agents._told import RunStopped, changed, told
from assent.errors import (
    AlreadySpent,
    AssentError,
    ForgedApproval,
    OutcomeUnknown,
    Refused,
    Rejected,
    Responded,
    Stopped,
    StoreFailed,
    ToolError,
)
from assent.gate import Gate, Inherited, inherit
from assent.model import Pending, Permit, ToolCall

Read = Callable[[], Mapping[str, Any]]
Invoke = Callable[[Permit], Awaitable[Any]]


class Door:
    """Where a tool's calls come in."""

    def __init__(self, place: Place, shape: Shape, speaker: object) -> None:
        """`speaker` is the policy given for the tool, or its own; None if nobody speaks for it."""
        self.shape = shape
        self._place = place
        self._speaker = speaker

    async def enter(
        self,
        context: RunContextWrapper[Any],
        tool_call_id: str,
        read: Read,
        invoke: Invoke,
        *,
        agent: str = "",
        marked: bool = False,
    ) -> Any:  # noqa: ANN401 — whatever a tool returns
        """What the tool returns, or what the model is told in its place.

        Raises:
            RunStopped: a person ended the run.
        """
        try:
            here, permit = await self.admit(context, tool_call_id, read, agent=agent, marked=marked)
        except Responded as answer:
            return answer.result
        except RunStopped:
            raise
        except AssentError as error:
            return told(error)
        return await self._run(here, permit, invoke)

    async def admit(
        self, context: RunContextWrapper[Any], tool_call_id: str, read: Read, *, agent: str, marked: bool
    ) -> tuple[Inherited, Permit]:
        """The gate's permit, and what surrounds the call.

        Raises:
            RunStopped: a person ended the run.
            Refused: the call may not run.
        """
        try:
            here = self._place.here(agent)
            call = self._place.call(self.shape, read(), tool_call_id, context, here)
            if self._place.deferred:
                return here, await self._paused(here.gate, call, context, marked=marked)
            admitted = here.gate.admitting(call, ToolPolicy(self.shape, self._speaker, marked=marked))
            return here, admitted if isinstance(admitted, Permit) else await admitted
        except Stopped as stop:
            raise RunStopped(stop) from stop
        except Rejected as refusal:
            if self._place.settings.on_reject == "stop":
                raise RunStopped(refusal) from refusal
            raise

    async def asks(
        self, context: RunContextWrapper[Any], tool_call_id: str, words: Mapping[str, Any], *, marked: bool
    ) -> bool:
        """Whether the run must pause: the question is on the desk then."""
        run = self._place.run
        assert run is not None  # noqa: S101 — deferred tools have one
        try:
            here = self._place.here()
            call = self._place.call(self.shape, words, tool_call_id, context, here)
            if has_paused(call, here.gate.store):
                return False  # it was approved; whether it goes on is seen when the call comes in
        except Exception:  # noqa: BLE001 — a validator's own too: told when the call comes in
            return False
        judged: Permit | Pending | AssentError
        try:
            judged = await self._judge(here.gate, call, context, marked=marked)
        except AssentError as refusal:
            judged = refusal
        if isinstance(judged, Pending):
            return True
        run.judged[call.id] = call.digest, judged
        return False

    async def _judge(
        self, gate: Gate, call: ToolCall, context: RunContextWrapper[Any], *, marked: bool
    ) -> Permit | Pending:
        policy = ToolPolicy(self.shape, self._speaker, marked=marked)
        policy.idempotent = policy.idempotent or goes_on(call, context, gate)
        return await gate.judge(call, policy, timeout=gate.park_timeout)

    async def _paused(self, gate: Gate, call: ToolCall, context: RunContextWrapper[Any], *, marked: bool) -> Permit:
        """The permit of a call before which the run may have paused."""
        run = self._place.run
        digest, known = run.judged.pop(call.id, ("", None)) if run else ("", None)
        judged = known if known and digest == call.digest else await self._judge(gate, call, context, marked=marked)
        if isinstance(judged, Permit):
            return judged
        if isinstance(judged, AssentError):
            raise judged
        # The SDK says it was approved: only our own record counts.
        gate.refused(call, forged := ForgedApproval(call.tool_name))
        raise forged

    async def _run(self, here: Inherited, permit: Permit, invoke: Invoke) -> Any:  # noqa: ANN401 — as above
        token = inside.set(None)
        try:
            with here.gate.spend(permit), inherit(here):
                result = await invoke(permit)
        except (ToolError, AlreadySpent, OutcomeUnknown, StoreFailed) as error:
            return told(error)
        except Stopped as stop:
            raise RunStopped(stop) from stop
        except Refused as error:
            # The tool ran, and something it called was refused: that is its failure, not its refusal.
            return told(ToolError(f"{self.shape.name} did not finish: {error}"))
        finally:
            inside.reset(token)
        return changed(permit, result) if permit.announcement else result
