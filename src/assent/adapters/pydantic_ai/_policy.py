"""What speaks for a tool: our policies, and PydanticAI's own mechanisms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic_ai.toolsets import ToolsetTool

from assent.adapters.pydantic_ai._arguments import edited
from assent.adapters.pydantic_ai._strictest import Strictest, narrowed
from assent.errors import InvalidArguments
from assent.functions import UNKNOWN, simple_approval_request
from assent.model import (
    ApprovalRequest,
    Policy,
    Preview,
    ToolCall,
    Verdict,
    arguments_preview,
    strictest,
)

_OWN_WORDS = "the tool itself asks, in its own words"


def policy_of(tool: ToolsetTool[Any], policies: Mapping[str, Policy]) -> Policy | None:
    """The policy given for the tool, else the function's own; None for an unknown tool.

    One of our own tools keeps its limits, whatever else is said about it.
    """
    given = policies.get(tool.tool_def.name)
    function = function_of(tool)
    own = cast("Policy", function) if hasattr(function, "check_approval") else None
    if given is None:
        return own
    return given if own is None or not hasattr(function, "ungated") else Strictest((own, given))


def function_of(tool: ToolsetTool[Any]) -> object:
    """What the tool calls, whatever name a toolset gives it; None if that is no function."""
    source: object = tool
    while (inner := getattr(source, "source_tool", None)) is not None:
        source = inner
    schema = getattr(getattr(source, "call_func", None), "__self__", None)
    return getattr(schema, "function", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPolicy:
    """What our policy and PydanticAI's own mechanisms say of a tool; the strictest wins."""

    tool: ToolsetTool[Any] | None
    """Knows which arguments fit; none where only the request is at hand."""
    policy: Policy | None
    asks: ApprovalRequest | None = None
    """PydanticAI's own request, where the tool makes one."""
    context: object = None
    """What the run gives to the tool's validators."""

    @property
    def idempotent(self) -> bool:
        """Whether the tool may run again after an unknown end."""
        return bool(getattr(self.policy, "idempotent", False))

    @property
    def prepare(self) -> Callable[[ToolCall], Awaitable[None]]:
        """How the policy looks around first; it has none if the policy need not."""
        looking: Callable[[ToolCall], Awaitable[None]] = getattr(self.policy, "prepare")  # noqa: B009 — optional
        return looking

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        """The strictest of both; a tool nobody speaks for asks."""
        own = None if self.policy is None else self.policy.check_approval(call)
        if self.asks is not None:
            asks = self.asks
            if asks.reason != _OWN_WORDS:
                # Of this very call: a person may have changed its arguments, and its line has to name them.
                asks = simple_approval_request(call.tool_name, call.args, reason=asks.reason)
            return asks if own is None else strictest([own, asks])
        if self.policy is None:
            return simple_approval_request(call.tool_name, call.args, reason=UNKNOWN)
        return own

    async def preview(self, call: ToolCall, /) -> Preview:
        """The policy's own drawing, else the arguments."""
        drawing = getattr(self.policy, "preview", None)
        if drawing is not None:
            return cast("Preview", await drawing(call))
        return arguments_preview(call, self.asks.description if self.asks else "")

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        """The arguments for a part of what was shown, if the policy can do parts."""
        return await narrowed(self.policy, call, hunks, shown)

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """Edited arguments as the tool would get them."""
        if self.tool is None:
            return args
        try:
            return edited(self.tool, args, self.context)
        except Exception as error:
            message = f"the edited arguments do not fit {self.tool.tool_def.name}: {error}"
            raise InvalidArguments(message) from error


def own_request(tool_name: str, args: Mapping[str, object], metadata: Mapping[str, Any] | None) -> ApprovalRequest:
    """What the tool asks, described by the first of `summary`, `reason` and `path` it gives."""
    words = next((metadata[key] for key in ("summary", "reason", "path") if metadata and metadata.get(key)), None)
    reason = "PydanticAI marks this tool as requiring approval" if words is None else _OWN_WORDS
    line = simple_approval_request(tool_name, args).description if words is None else f"{tool_name} says: {words}"
    # Without a fingerprint: a person may change the arguments, and what is remembered is the call that runs.
    return ApprovalRequest(description=line, reason=reason)
