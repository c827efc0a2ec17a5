"""What speaks for a LangChain tool at the gate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from langchain_core.tools import BaseTool

from assent.adapters.langchain._arguments import Shape
from assent.adapters.langchain._calls import Settings
from assent.functions import UNKNOWN, simple_approval_request
from assent.model import EffectState, Policy, Preview, Store, ToolCall, Verdict, pending_id

PAUSED = "LangGraph runs it again from its start"


class Known:
    """What is known of a tool before any call of it; worked out once, as every call needs it."""

    def __init__(self, tool: BaseTool, settings: Settings) -> None:
        self.tool = tool
        self.settings = settings
        self.shape = Shape(tool)
        self._own = _own_policy(tool)

    @property
    def policy(self) -> Policy | None:
        """The policy given for the tool, else its own."""
        # Not `or`: a policy may be empty, and says no all the same.
        given = self.settings.policies.get(self.tool.name)
        return self._own if given is None else given


class ToolPolicy:
    """What speaks for one call of a tool: its policy, or if it has none, nobody, and it asks."""

    preview: Callable[[ToolCall], Awaitable[Preview]]
    """Only where there is one."""

    def __init__(self, known: Known, store: Store, call: ToolCall, injected: Mapping[str, Any]) -> None:
        self._policy = policy = known.policy
        self._shape = known.shape
        self._store = store
        self._call = call
        self._injected = injected
        self.check_approval: Callable[[ToolCall], Verdict | None] = _ask if policy is None else policy.check_approval
        for name in ("preview", "prepare", "narrow"):
            if hasattr(policy, name):
                setattr(self, name, getattr(policy, name))

    @property
    def idempotent(self) -> bool:
        """Whether it may run again after an unknown end; LangGraph's own pause inside of it is one."""
        if getattr(self._policy, "idempotent", False):
            return True
        asked = self._store.asked(pending_id(self._call))
        effect = asked.effect if asked else None
        return effect is not None and effect.state is EffectState.UNKNOWN and effect.detail.endswith(PAUSED)

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """Edited arguments as the tool would get them."""
        return self._shape.validated(args, self._injected)


def _own_policy(tool: BaseTool) -> Policy | None:
    for speaker in (tool, getattr(tool, "func", None), getattr(tool, "coroutine", None)):
        if hasattr(speaker, "check_approval"):
            return cast("Policy", speaker)
    return None


def _ask(call: ToolCall, /) -> Verdict:
    return simple_approval_request(call.tool_name, call.args, reason=UNKNOWN)
