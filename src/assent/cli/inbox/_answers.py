"""One answer: posted, or told that another was first."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from assent.cli._failures import USAGE
from assent.cli._record import failure, the_one
from assent.cli.inbox._wanted import line
from assent.gate import Gate
from assent.model import ApprovalDecision, Approve, Pending, PendingId, Reject, Scope, Store, Wider
from assent.ui import visible

_LEAST: Final = 4
"""Characters of an id. Fewer may be a number, of a list that somebody has in mind."""


def answer_by_program(store: Store, options: Namespace, *, by: str) -> str:
    """Answer the question whose id is given; what is said of it.

    Raises:
        AlreadyDecided: another answer was first, and stands.
    """
    pending = _question(store, options.id)
    try:
        decision = _decision(options, pending, by)
    except ValueError as error:
        raise failure(str(error), USAGE) from None
    Gate(store=store).answer(pending.id, decision)
    return told(pending, decision)


def told(pending: Pending, decision: ApprovalDecision) -> str:
    """What was answered, in a line, and what follows from it."""
    match decision:
        case Approve():
            # The record does not know whether that program still runs.
            word, then = "Approved", "; it runs when the program that asked takes it up"
        case Reject(stop=True):
            word, then = "Stopped the run", ""
        case Reject():
            word, then = "Rejected", ""
        case _:
            word, then = "Answered", ""
    scope = Scope.ONCE if not isinstance(decision, (Approve, Reject)) else decision.scope
    kept = "" if scope is Scope.ONCE else f" (remembered: {scope.value}; `assent grants` lists it)"
    return f"{word}: {visible(line(pending), keep='')}{then}{kept}"


def _question(store: Store, start: str) -> Pending:
    """The question with this id; one that has ended says so when it is answered."""
    asked = store.asked(PendingId(start))
    if asked is not None:
        return asked.pending
    # Also those that have ended: an agent chooses the ids of its calls, and so might put a question of the same
    # beginning in the place of one that somebody saw.
    known = {each.pending.id: each.pending for each in store.recent(1000)} | {each.id: each for each in store.desk()}
    return known[the_one(start, known, what="question", where="assent inbox", least=_LEAST)]


def _decision(options: Namespace, pending: Pending, by: str) -> ApprovalDecision:
    covers = _covered(options.covers, pending.request.wider)
    if covers and options.scope == "once":
        message = "--covers says for what else it is remembered, so it needs --scope session or always"
        raise ValueError(message)
    if options.kind == "reject":
        return Reject(
            note=options.note,
            stop=options.stop,
            scope=Scope(options.scope),
            seconds=options.seconds,
            covers=covers,
            every_agent=options.every_agent,
            by=by,
        )
    return Approve(
        note=options.note,
        scope=Scope(options.scope),
        seconds=options.seconds,
        calls=options.calls,
        covers=covers,
        every_agent=options.every_agent,
        by=by,
    )


def _covered(pattern: str, wider: tuple[Wider, ...]) -> str:
    """The name of what the pattern stands for; nothing for nothing."""
    if not pattern:
        return ""
    for each in wider:
        if pattern in (each.pattern, each.name):
            return each.name
    offered = ", ".join(repr(each.pattern or each.name) for each in wider) or "nothing"
    message = f"{pattern!r} is not offered; this question may be remembered for itself or for: {offered}"
    raise ValueError(message)
