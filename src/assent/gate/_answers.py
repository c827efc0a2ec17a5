"""Answers as the record keeps them; several at once are one step, so that none answers another."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from assent.errors import AlreadyDecided, AssentError, GateFailed, UnknownPending, shown
from assent.gate._rulings import as_drawn, grant_from, posting_order, ruling_of
from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Grant,
    Pending,
    PendingId,
    Reject,
    Respond,
    Ruling,
    Store,
    ToolCall,
)

if TYPE_CHECKING:
    from assent.gate._desk import Desk


def answer_of(
    pending: Pending, decision: ApprovalDecision, at: float, *, drawn: str | None = None
) -> tuple[Ruling, Grant | None]:
    """How the answer ends the question, and what is remembered of it; `drawn`, as it was shown changed.

    Raises:
        GateFailed: it is no answer to this question.
    """
    if not isinstance(decision, (Approve, Reject, Respond)):
        raise GateFailed("approver", f"{shown(decision)} is not an answer; Approve, Reject and Respond are")
    ruling = ruling_of(pending, decision, at)
    if drawn is not None:
        ruling = as_drawn(ruling, drawn)
    # What an edited call is remembered as, only its policy knows: `settle` does that.
    if isinstance(decision, Approve) and not (decision.override_args is None and decision.hunks is None):
        return ruling, None
    return ruling, grant_from(decision, pending.call, pending.request, by=ruling.by, at=at)


def plain_approval(
    pending: Pending, given: Mapping[PendingId, ApprovalDecision] | Exception | None, at: float
) -> Ruling | None:
    """The approval of exactly this call, for once; None if anything else was said, or nothing."""
    if given is None or isinstance(given, Exception) or type(decision := given[pending.id]) is not Approve:
        return None
    if decision.override_args is not None or decision.hunks is not None:
        return None
    try:
        ruling, grant = answer_of(pending, decision, at)
    except Exception:  # noqa: BLE001 — who takes the answer in the usual way says what is wrong with it
        return None
    return ruling if grant is None else None


def answer_all(
    decisions: Mapping[PendingId, ApprovalDecision],
    store: Store,
    desk: Desk,
    *,
    at: float,
    drawn: Mapping[PendingId, str],
) -> dict[PendingId, Ruling | AssentError]:
    """How each question ended, or why its answer does not count.

    All that counts is written in one step: nobody sees one of the answers, or what is remembered of
    it, without the others.
    """
    ended: dict[PendingId, Ruling | AssentError] = {}
    answers: dict[PendingId, tuple[Ruling, Grant | None]] = {}
    for name, decision in decisions.items():
        try:
            answers[name] = answer_of(_pending(store, name), decision, at, drawn=drawn.get(name))
        except AssentError as error:
            ended[name] = error
    ended.update(_write(answers, store))
    for ruling in ended.values():
        if isinstance(ruling, Ruling):
            desk.ended(ruling)
    # It is written, whatever is seen of it now; the desk looks again by itself.
    with suppress(AssentError):
        desk.look()
    return {name: ended[name] for name in decisions}


def remember_later(call: ToolCall, request: ApprovalRequest, ruling: Ruling, *, store: Store, desk: Desk) -> None:
    """Remember the answer to a call that a person changed: what it is remembered as, its policy has said now."""
    if ruling.decision is None:
        return
    grant = grant_from(ruling.decision, call, request, by=ruling.by, at=ruling.at)
    if grant is not None and store.remember(grant, of=ruling.pending):
        desk.look()


def _pending(store: Store, name: PendingId) -> Pending:
    asked = store.asked(name)
    if asked is None:
        raise UnknownPending(name)
    return asked.pending


def _write(
    answers: Mapping[PendingId, tuple[Ruling, Grant | None]], store: Store
) -> dict[PendingId, Ruling | AssentError]:
    # All in one step, and yet in an order: a stop ends what it finds unanswered.
    ordered = sorted(answers.items(), key=lambda item: posting_order(item[1][0].decision))
    try:
        before = store.decide_all([answer for _, answer in ordered])
    except AssentError as error:
        return dict.fromkeys(answers, error)
    return {
        name: ruling if first is None else AlreadyDecided(outcome=first.outcome, by=first.by, at=first.at)
        for (name, (ruling, _)), first in zip(ordered, before, strict=True)
    }
