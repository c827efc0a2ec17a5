"""Calls that a person edits before they answer: judged and drawn by the tool itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from assent.diff import rows
from assent.errors import AssentError, DeniedByPolicy, GateFailed, StoreFailed
from assent.model import Pending, PendingId, digest
from assent.server._shown import Redraw
from assent.server.messages import approval_request, details, diff_text, shown_digest

if TYPE_CHECKING:
    from assent.gate import GateClerk, Redrawn

_ELSEWHERE: Final = (
    "the tool is not in this process; the edited call will be judged by the asker before it runs, and refused if its "
    "arguments do not fit"
)
_KEPT: Final = 1024


class Edits:
    """Draws edits, and knows what was last shown of each."""

    def __init__(self, clerk: GateClerk) -> None:
        self._clerk = clerk
        self._shown: dict[str, str] = {}

    def schema(self, pending: PendingId) -> Mapping[str, object] | None:
        """The JSON Schema of the tool's arguments; None if it is not at hand."""
        from assent.agent import schema_of

        policy = self._clerk.policy_of(pending)
        return None if policy is None else schema_of(policy)

    async def redraw(self, pending: Pending, args: Mapping[str, object]) -> Redraw:
        """What would become of the question with these arguments; nothing is decided."""
        schema = self.schema(pending.id)
        try:
            redrawn = await self._clerk.judge_edit(pending, args)
        except StoreFailed:
            raise
        except DeniedByPolicy as denied:
            return Redraw(verdict="deny", reason=denied.reason, schema=schema)
        except AssentError as wrong:
            problem = wrong.reason if isinstance(wrong, GateFailed) else str(wrong)
            return Redraw(verdict="deny", reason="it could not run so", problem=problem, schema=schema)
        if redrawn is None:
            return Redraw(verdict="ask", reason=pending.request.reason, problem=_ELSEWHERE, schema=schema)
        # At once, as the clerk did: what both keep is the same drawing.
        self._keep(_key(pending.id, args), shown_digest(redrawn.pending))
        return await asyncio.to_thread(self._drawn, redrawn, schema)

    def _drawn(self, redrawn: Redrawn, schema: Mapping[str, object] | None) -> Redraw:
        drawn = redrawn.pending
        message = approval_request(drawn, partial(self._clerk.content, drawn))
        return Redraw(
            verdict="ask" if redrawn.asks else "allow",
            reason=drawn.request.reason,
            digest=shown_digest(drawn),
            message={**message, **details(drawn)},
            rows=rows(diff_text(drawn)),
            schema=schema,
        )

    def is_last_shown(self, pending: PendingId, args: Mapping[str, object], seen: str) -> bool:
        """Whether this is how the edit was drawn last: that is what an approval of it binds to."""
        return self._shown.get(_key(pending, args)) == seen

    def _keep(self, key: str, shown: str) -> None:
        while len(self._shown) >= _KEPT:
            del self._shown[next(iter(self._shown))]
        self._shown[key] = shown


def _key(pending: PendingId, args: Mapping[str, object]) -> str:
    return digest((pending, args))
