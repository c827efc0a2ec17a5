"""One answer: posted, or told that another was first."""

from __future__ import annotations

from argparse import Namespace

from assent.cli._failures import USAGE
from assent.cli._record import failure, the_one
from assent.cli.inbox._wanted import line
from assent.gate import Gate
from assent.model import ApprovalDecision, Approve, Pending, PendingId, Reject, Scope, Store, Wider
from assent.ui import visible


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
    """What was answered, in a line."""
    match decision:
        case Approve():
            word = "Approved"
        case Reject(stop=True):
            word = "Stopped the run"
        case Reject():
            word = "Rejected"
        case _:
            word = "Answered"
    scope = Scope.ONCE if not isinstance(decision, (Approve, Reject)) else decision.scope
    kept = "" if scope is Scope.ONCE else f" (remembered: {scope.value}; `assent grants` lists it)"
    return f"{word}: {visible(line(pending), keep='')}{kept}"


def _question(store: Store, start: str) -> Pending:
    """The question with this id; one that has ended says so when it is answered."""
    asked = store.asked(PendingId(start))
    if asked is not None:
        return asked.pending
    waiting = {pending.id: pending for pending in store.desk()}
    recent = {each.pending.id: each.pending for each in store.recent(1000)} | waiting
    known = waiting if any(each.startswith(start) for each in waiting) else recent
    found = the_one(start, known, what="question", where="assent inbox")
    return known[found]


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
