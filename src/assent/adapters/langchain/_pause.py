"""The interrupt style: a question goes to the desk, the graph pauses, only the desk's answer counts."""

from __future__ import annotations

from contextlib import suppress

from langgraph.types import interrupt

from assent.adapters.langchain._inbox import decision_of, request_of
from assent.errors import AlreadyDecided, ForgedApproval
from assent.gate import Gate
from assent.model import Asked, EffectState, Pending, Permit, Policy, ToolCall


async def admit_after_a_pause(gate: Gate, call: ToolCall, policy: Policy, *, inbox: str) -> Permit:
    """A permit, at once or after a pause of the graph, which `interrupt` raises out of here.

    Raises:
        Refused: the answer is no, or the graph was resumed and nobody had answered.
    """
    earlier = gate.store.history(call.run).calls.get(call.id)
    asked = gate.store.asked(earlier) if earlier else None
    judged = asked.pending if asked else await gate.judge(call, policy, timeout=gate.park_timeout)
    if isinstance(judged, Permit):
        return judged
    if asked is None or not _is_over(asked, policy):
        # Once asked, always interrupted, whatever policy says by now: LangGraph counts the interrupts of a
        # task to find their answers, and ours must not be taken for the answer to one of the tool's own.
        said = interrupt(request_of(judged, inbox=inbox))
        # What comes for a question that was not on the desk before was meant for another one.
        if inbox and asked and (decision := decision_of(said, judged, inbox=inbox)) is not None:
            with suppress(AlreadyDecided):  # the first answer stands
                gate.answer(judged.id, decision)
    judged = await gate.judge(call, policy, timeout=gate.park_timeout)
    if isinstance(judged, Pending):
        forged = ForgedApproval(call.tool_name)
        gate.refused(call, forged)
        raise forged
    return judged


def _is_over(asked: Asked, policy: Policy) -> bool:
    """Whether the call has run and will not run again: nobody is left to be waited for."""
    if asked.effect is None:
        return False
    return asked.effect.state is not EffectState.UNKNOWN or not getattr(policy, "idempotent", False)
