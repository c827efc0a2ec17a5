"""Several answers at once: what one of them leaves behind answers none of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assent.errors import AssentError, UnknownPending
from assent.model import ApprovalDecision, ApprovalRequest, Approve, Pending, PendingId, Ruling, Store, ToolCall

Post = Callable[[Pending, ApprovalDecision], Ruling]
Remember = Callable[[ToolCall, ApprovalRequest, Ruling], None]


def is_edited(decision: ApprovalDecision) -> bool:
    """Whether what was approved is not what was asked about; what that is, only its policy knows."""
    return isinstance(decision, Approve) and not (decision.override_args is None and decision.hunks is None)


def answer_all(
    decisions: Mapping[PendingId, ApprovalDecision], store: Store, *, post: Post, remember: Remember
) -> dict[PendingId, Ruling | AssentError]:
    """How each question ended, or why its answer does not count.

    `post` remembers nothing; that comes last, when every question has the answer of its own, also
    as other processes see it.
    """
    ended: dict[PendingId, Ruling | AssentError] = {}
    posted: list[tuple[Pending, Ruling]] = []
    for name, decision in decisions.items():
        try:
            asked = store.asked(name)
            if asked is None:
                raise UnknownPending(name)
            ended[name] = ruling = post(asked.pending, decision)
        except AssentError as error:
            ended[name] = error
        else:
            posted.append((asked.pending, ruling))
    for pending, ruling in posted:
        if not is_edited(decisions[pending.id]):
            remember(pending.call, pending.request, ruling)
    return ended
