"""What speaks for a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from assent.adapters.openai_agents._arguments import Shape
from assent.functions import UNKNOWN, simple_approval_request
from assent.model import Allow, Policy, ToolCall, Verdict, strictest

MARKED = "the OpenAI Agents SDK marks this tool as needing approval"


class ToolPolicy:
    """What speaks for a tool: the policy given for it, else its own, else nobody, and it asks."""

    def __init__(self, shape: Shape, policy: object, *, marked: bool = False) -> None:
        self._shape = shape
        self._policy = cast("Policy | None", policy)
        self._marked = marked
        self.idempotent = bool(getattr(policy, "idempotent", False))
        for name in ("preview", "prepare", "narrow"):
            if hasattr(policy, name):
                setattr(self, name, getattr(policy, name))

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        """The policy's word; what nobody speaks for asks, and so does what the SDK marks."""
        if self._policy is None:
            return simple_approval_request(call.tool_name, call.args, reason=MARKED if self._marked else UNKNOWN)
        own = self._policy.check_approval(call)
        if not self._marked:
            return own
        marked = simple_approval_request(call.tool_name, call.args, reason=MARKED)
        return strictest([Allow(reason="its policy allows it") if own is None else own, marked])

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """Edited arguments as the tool would get them."""
        return self._shape.spelled(args)
