"""From Claude Code's calls to ours: who asks, in which session, and what speaks for the tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from claude_agent_sdk import PreToolUseHookInput

from assent.adapters.claude_agent._arguments import Shape, as_numbered
from assent.errors import GateFailed
from assent.functions import UNKNOWN, simple_approval_request
from assent.gate import Gate, Inherited
from assent.model import Policy, ToolCall, Verdict

Style = Literal["inline", "deferred"]
OnReject = Literal["tell", "stop"]
_CONTEXT = ("session_id", "cwd", "permission_mode", "prompt_id", "agent_id", "agent_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How calls are decided; the same for every call of an agent."""

    gate: Gate | None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    name: str = ""
    style: Style = "inline"
    on_reject: OnReject = "tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call that Claude Code is about to make."""

    call: ToolCall
    policy: ToolPolicy
    here: Inherited
    shape: Shape | None
    """Of a tool that runs in this process, behind the gate; none for all others."""


def wanted(
    given: PreToolUseHookInput, settings: Settings, outer: Inherited | None, shapes: Mapping[str, Shape]
) -> Wanted:
    """The call as the gate knows it.

    Raises:
        AssentError: there is no gate, or the arguments do not fit.
    """
    gate = settings.gate or (outer.gate if outer else None)
    if gate is None:
        raise GateFailed("gate", "Gated() has no gate and is not inside a gated run; give it one: Gated(gate)")
    sub = [given.get("agent_type") or given.get("agent_id")] if given.get("agent_id") else []
    chain = (*(outer.agents if outer else ()), *([settings.name] if settings.name else ()), *map(str, sub))
    here = Inherited(gate=gate, run=outer.run if outer else given["session_id"], agents=chain)
    shape = _in_process(cast("Mapping[str, Any]", given), shapes)
    args = given["tool_input"]
    call = ToolCall(
        run=here.run,
        # Inside another run, ids of several sessions meet.
        id=f"{given['tool_use_id']}@{given['session_id']}" if outer else given["tool_use_id"],
        tool_name=given["tool_name"],
        args=args if shape is None else shape.validated(args),
        agents=here.agents,
        metadata={
            "tool_call_id": given["tool_use_id"],
            **{name: given.get(name) for name in _CONTEXT if given.get(name)},
        },
    )
    return Wanted(call=call, policy=ToolPolicy(call, settings.policies, shape), here=here, shape=shape)


def _in_process(given: Mapping[str, Any], shapes: Mapping[str, Shape]) -> Shape | None:
    """The tool behind the gate that a call will reach; Claude Code says whose server it is."""
    server: Mapping[str, object] = given.get("mcp_server") or {}
    name: str = given["tool_name"].removeprefix(f"mcp__{spelled(str(server.get('name')))}__")
    return shapes.get(spelled(name)) if server.get("source") == "sdk" else None


def spelled(name: str) -> str:
    """The name of a tool or a server as Claude Code spells it to the model."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)


class ToolPolicy:
    """What speaks for a tool: the policy given for it, else its own, else nobody, and it asks."""

    def __init__(self, call: ToolCall, policies: Mapping[str, Policy], shape: Shape | None) -> None:
        policy = policies.get(call.tool_name) or (_own_policy(shape, policies) if shape else None)
        self._shape = shape
        self._policy = policy
        self.idempotent = bool(getattr(policy, "idempotent", False))
        self.check_approval: Callable[[ToolCall], Verdict | None] = _ask if policy is None else policy.check_approval
        for name in ("preview", "prepare", "narrow"):
            if hasattr(policy, name):
                setattr(self, name, getattr(policy, name))

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """Edited arguments as the tool would get them; Claude Code checks those of its own tools again."""
        if self._shape is not None:
            return self._shape.validated(args)
        args = as_numbered(args)
        if hasattr(self._policy, "validate"):
            cast("Any", self._policy).validate(args)
        return args


def _own_policy(shape: Shape, policies: Mapping[str, Policy]) -> Policy | None:
    """By the name the tool was made with, else what its function says itself."""
    if shape.tool.name in policies:
        return policies[shape.tool.name]
    return cast("Policy", shape.tool.handler) if hasattr(shape.tool.handler, "check_approval") else None


def _ask(call: ToolCall, /) -> Verdict:
    return simple_approval_request(call.tool_name, call.args, reason=UNKNOWN)
