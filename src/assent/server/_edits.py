"""Calls that a person edits before they answer: judged and drawn by the tool itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from assent.diff import rows
from assent.errors import AssentError, DeniedByPolicy, GateFailed, StoreFailed
from assent.gate import run_sync
from assent.model import Approve, Pending, PendingId
from assent.server._shown import Redraw
from assent.server._wider import wider_answers
from assent.server.messages import approval_request, details, diff_text, shown_digest

if TYPE_CHECKING:
    from assent.gate import GateClerk, Redrawn

_ELSEWHERE: Final = (
    "the tool is not in this process; the edited call will be judged by the asker before it runs, and refused if its "
    "arguments do not fit"
)
_MOST_ROWS: Final = 20_000
"""As many lines as `message` has."""


class Edits:
    """Draws edits; what was shown of them, the clerk knows."""

    def __init__(self, clerk: GateClerk) -> None:
        self._clerk = clerk

    def schema(self, pending: PendingId) -> Mapping[str, object] | None:
        """The JSON Schema of the tool's arguments; None if it is not at hand."""
        from assent.agent import schema_of

        policy = self._clerk.policy_of(pending)
        return None if policy is None else schema_of(policy)

    async def redraw(self, pending: Pending, args: Mapping[str, object], *, by: str) -> Redraw:
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
        return await asyncio.to_thread(self._drawn, redrawn, schema, by)

    def _drawn(self, redrawn: Redrawn, schema: Mapping[str, object] | None, by: str) -> Redraw:
        drawn = redrawn.pending
        name = shown_digest(drawn)
        self._clerk.show(redrawn, name)
        message = approval_request(drawn, partial(self._clerk.content, drawn))
        return Redraw(
            verdict="ask" if redrawn.asks else "allow",
            reason=drawn.request.reason,
            digest=name,
            message={**message, **details(drawn)},
            presentation=drawn.preview.presentation,
            wider=wider_answers(drawn, self._clerk, by=by, at=time.time()).wider if redrawn.asks else (),
            rows=rows(diff_text(drawn), limit=_MOST_ROWS),
            schema=schema,
        )

    def pin(self, pending: PendingId, args: Mapping[str, object], seen: str) -> bool:
        """Let an approval bind to this drawing; whether it is how the edit was drawn last."""
        return self._clerk.pin(pending, args, seen)

    def offers(self, pending: Pending, decision: Approve) -> tuple[str, ...]:
        """Everything that the approval of a changed call may cover; waits, so not on the server's loop."""
        return tuple(each.name for each in run_sync(self._clerk.offered(pending, decision)))
