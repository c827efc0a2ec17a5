"""A call that the gate agreed to: from the permit to the end that Claude Code reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from assent.adapters.claude_agent._calls import Wanted
from assent.adapters.claude_agent._tool import Counter, Ready
from assent.errors import ChangedSinceApproval
from assent.model import Permit, freeze


class Unseen(BaseException):
    """Nobody saw how the call ended."""


class _Failed(Exception):
    """Claude Code says that the call failed, or that it ran another one."""


@dataclass(frozen=True, slots=True)
class Going:
    """What may run, until its end is seen."""

    want: Wanted
    permit: Permit
    ready: Ready | None
    """What waits for the tool, if it runs in this process and spends the permit itself."""

    @classmethod
    async def start(cls, want: Wanted, permit: Permit) -> Going:
        """Put it on the record before Claude Code can start it, or keep the permit for the tool.

        Raises:
            AssentError: it may not run after all.
        """
        await _unchanged(want, permit)
        if want.shape is None:
            want.here.gate.spend(permit).__enter__()
            return cls(want, permit, None)
        return cls(want, permit, Ready(want.shape.tool.name, permit, want.here))

    def is_for(self, name: str, given: Mapping[str, object]) -> bool:
        """Whether this is exactly what was permitted."""
        return (name, freeze(given)) == (self.permit.call.tool_name, self.permit.call.args)

    def ended(self, seen: Mapping[str, object], counter: Counter | None) -> None:
        """Claude Code says how it ended, and with which arguments it ran."""
        error, given = seen.get("error"), cast("Mapping[str, object]", seen.get("tool_input") or {})
        if not self.is_for(self.permit.call.tool_name, given):
            error = f"it ran with other arguments than the permitted ones: {given!r}"
        self.finish(None if error is None else _Failed(str(error)), counter)

    def finish(self, error: BaseException | None, counter: Counter | None) -> None:
        """Put the end on the record."""
        spending = self.want.here.gate.spend(self.permit)
        if self.ready is not None:
            never_called = counter is not None and counter.drop(self.ready)
            if not never_called or isinstance(error, Unseen):
                return  # the tool itself has spent it, or nobody will
            # Another tool of that name ran in its place: it has a start and an end, too.
            spending.__enter__()
        spending.__exit__(type(error) if error else None, error, None)


async def _unchanged(want: Wanted, permit: Permit) -> None:
    """What was shown must still be there: Claude Code runs the call, and checks nothing of it."""
    drawing = getattr(want.policy, "preview", None)
    if permit.evidence and drawing is not None and (await drawing(permit.call)).evidence != permit.evidence:
        raise ChangedSinceApproval(
            f"what {permit.call.tool_name} would touch has changed since it was shown; look again"
        )
