"""From the SDK's calls to ours: who asks, in which run, and what speaks for the tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from assent.adapters.anthropic._arguments import Runnable, Shape
from assent.errors import GateFailed
from assent.functions import UNKNOWN, simple_approval_request
from assent.gate import Gate, Inherited, check_gate, inherited
from assent.model import Pending, Policy, ToolCall, Verdict

Style = Literal["inline", "deferred"]
OnReject = Literal["tell", "stop"]


class Waiting(Exception):
    """Questions of this turn are on the desk; ask for its results again once they are answered."""

    def __init__(self, pendings: Sequence[Pending]) -> None:
        self.pendings = tuple(pendings)
        super().__init__(f"{len(self.pendings)} of this turn's calls wait for an answer on the desk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How calls are decided; the same for every call of an agent."""

    gate: Gate | None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    name: str = ""
    run: str = ""
    style: Style = "inline"
    on_reject: OnReject = "tell"

    def __post_init__(self) -> None:
        check_gate(self.gate, self.policies)


def surroundings(settings: Settings, run: str = "") -> Inherited:
    """The gate, the run and the chain of agents; those of the surrounding run, inside one."""
    outer = inherited()
    gate = settings.gate or (outer.gate if outer else None)
    if gate is None:
        raise GateFailed("gate", "Gated() has no gate and is not inside a gated run; give it one: Gated(gate)")
    return Inherited(
        gate=gate,
        run=outer.run if outer else settings.run or run or gate.run,
        agents=(*(outer.agents if outer else ()), *([settings.name] if settings.name else ())),
    )


class ToolPolicy:
    """What speaks for a tool: the policy given for it, else its own, else nobody, and it asks."""

    def __init__(self, shape: Shape, policies: Mapping[str, Policy]) -> None:
        policy = policies.get(shape.name) or _own_policy(shape.tool)
        self._shape = shape
        self.idempotent = bool(getattr(policy, "idempotent", False))
        self.check_approval: Callable[[ToolCall], Verdict | None] = _ask if policy is None else policy.check_approval
        for name in ("preview", "prepare", "narrow"):
            if hasattr(policy, name):
                setattr(self, name, getattr(policy, name))

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """Edited arguments as the tool would get them."""
        return self._shape.spelled(args)


def _own_policy(tool: Runnable) -> Policy | None:
    for speaker in (tool, getattr(tool, "func", None)):
        if hasattr(speaker, "check_approval"):
            return cast("Policy", speaker)
    return None


def _ask(call: ToolCall, /) -> Verdict:
    return simple_approval_request(call.tool_name, call.args, reason=UNKNOWN)
