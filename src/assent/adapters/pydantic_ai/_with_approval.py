"""Running an agent behind a gate, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import DeferredToolRequests

from assent.adapters.pydantic_ai._capability import Gated
from assent.adapters.pydantic_ai._collect import collect_approvals
from assent.gate import Gate, run_sync
from assent.model import Policy


async def run_with_approval(
    agent: Agent[Any, Any],
    prompt: str | None = None,
    *,
    gate: Gate,
    policies: Mapping[str, Policy] | None = None,
    requests: DeferredToolRequests | None = None,
    **options: Any,  # noqa: ANN401 — handed to `Agent.run` as they are
) -> AgentRunResult[Any]:
    """Run the agent behind the gate, whatever its output type; takes all options of `Agent.run`.

    To resume a run that ended with `DeferredToolRequests`, give them as `requests` and the messages
    as `message_history`; the prompt is in the history already.
    """
    if requests is not None:
        options["deferred_tool_results"] = await collect_approvals(requests, gate=gate, policies=policies)
    capabilities = [*options.pop("capabilities", ()), Gated(gate, policies=policies or {})]
    return await agent.run(prompt, capabilities=capabilities, **options)


def run_with_approval_sync(
    agent: Agent[Any, Any],
    prompt: str | None = None,
    *,
    gate: Gate,
    policies: Mapping[str, Policy] | None = None,
    requests: DeferredToolRequests | None = None,
    **options: Any,  # noqa: ANN401 — handed to `Agent.run` as they are
) -> AgentRunResult[Any]:
    """`run_with_approval` for synchronous code, also inside a running loop."""
    return run_sync(run_with_approval(agent, prompt, gate=gate, policies=policies, requests=requests, **options))
