"""Messages that are queued while a run pauses: kept with the pause, delivered when it resumes.

PydanticAI delivers a queued message by another turn of the model, and drops the pause for it
(pydantic-ai#7537): the question would stay on the desk for a run that went on without it.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import UserPromptNode
from pydantic_ai.capabilities import AbstractCapability, AgentNode, NodeResult
from pydantic_ai.messages import ModelMessage
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, RunContext
from pydantic_graph import End

_QUEUED = "assent_queued"
_MESSAGES: TypeAdapter[list[tuple[Any, list[ModelMessage]]]] = TypeAdapter(list[tuple[Any, list[ModelMessage]]])


class Pausing(AbstractCapability[Any]):
    """Keeps what is queued with a pause, and delivers it when the run goes on."""

    async def before_node_run(self, ctx: RunContext[Any], *, node: AgentNode[Any]) -> AgentNode[Any]:
        """Deliver what was queued before the pause that now ends."""
        if isinstance(node, UserPromptNode) and node.deferred_tool_results is not None:
            _release(ctx, node.deferred_tool_results)
        return node

    async def after_node_run(
        self,
        ctx: RunContext[Any],
        *,
        node: AgentNode[Any],  # noqa: ARG002 — the hook's signature
        result: NodeResult[Any],
    ) -> NodeResult[Any]:
        """A pause is a pause: what is queued waits with it."""
        if isinstance(result, End) and isinstance(result.data.output, DeferredToolRequests):
            _hold(ctx, result.data.output)
        return result


def _hold(ctx: RunContext[Any], requests: DeferredToolRequests) -> None:
    """Move what is queued into the requests, which whoever resumes has at hand."""
    queue = ctx.pending_messages
    waiting = [*requests.approvals, *requests.calls]
    if queue and waiting:
        held = [(pending.priority, pending.messages) for pending in queue]
        queue.clear()
        metadata = requests.metadata.setdefault(waiting[0].tool_call_id, {})
        metadata[_QUEUED] = _MESSAGES.dump_python(held, mode="json")


def held(requests: DeferredToolRequests) -> dict[str, dict[str, Any]]:
    """What the results must carry on."""
    return {
        tool_call_id: {_QUEUED: metadata[_QUEUED]}
        for tool_call_id, metadata in requests.metadata.items()
        if _QUEUED in metadata
    }


def _release(ctx: RunContext[Any], results: DeferredToolResults) -> None:
    """Queue again what was held."""
    for metadata in results.metadata.values():
        for priority, messages in _MESSAGES.validate_python(metadata.pop(_QUEUED, [])):
            ctx.enqueue(*messages, priority=priority)
