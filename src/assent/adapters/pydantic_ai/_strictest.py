"""Several policies for one tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assent.errors import GateFailed
from assent.model import (
    Allow,
    Narrows,
    Policy,
    Prepares,
    Preview,
    Previews,
    ToolCall,
    Verdict,
    arguments_preview,
    strictest,
)


def merged(given: Mapping[str, Policy], others: Iterable[Mapping[str, Policy]]) -> Mapping[str, Policy]:
    """The policies given for a run, and those of the agent it stands in for: the strictest of both."""
    both = dict(given)
    for policies in others:
        for name, policy in policies.items():
            own = given.get(name)
            both[name] = policy if own is None else Strictest((own, policy))
    return both


@dataclass(frozen=True, slots=True)
class Strictest:
    """Several policies for one tool: none of them can be talked out of a denial."""

    policies: tuple[Policy, ...]

    def check_approval(self, call: ToolCall, /) -> Verdict:
        """The strictest of their verdicts; a `PermissionError` of any is a denial."""
        verdicts = (policy.check_approval(call) for policy in self.policies)
        return strictest(Allow(reason="its policy allows it") if each is None else each for each in verdicts)

    async def prepare(self, call: ToolCall, /) -> None:
        """Each of them looks around, if it must."""
        for policy in self.policies:
            if isinstance(policy, Prepares):
                await policy.prepare(call)

    async def preview(self, call: ToolCall, /) -> Preview:
        """The first drawing there is, else the arguments."""
        drawing = next((policy for policy in self.policies if isinstance(policy, Previews)), None)
        return arguments_preview(call) if drawing is None else await drawing.preview(call)

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        """By the one whose drawing was shown."""
        drawing = next((policy for policy in self.policies if isinstance(policy, Previews)), None)
        return await narrowed(drawing, call, hunks, shown)


async def narrowed(policy: object, call: ToolCall, hunks: Sequence[int], shown: Preview) -> Mapping[str, object]:
    """The arguments for these hunks, from a policy that may not know any."""
    if not isinstance(policy, Narrows):
        raise GateFailed("edit", f"{call.tool_name} can do all of it or nothing: it has no hunks to choose")
    return await policy.narrow(call, hunks, shown)
