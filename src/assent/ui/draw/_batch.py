"""The questions of a batch as a list, each with its answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from assent.model import ApprovalDecision, Approve, Pending, PendingId, Reject, Respond, Scope
from assent.ui.draw._body import body_of
from assent.ui.draw._head import line_of
from assent.ui.draw._ink import Ink, cells, paint, spelled, wrapped
from assent.ui.draw._look import Look

_KEYS: Final = 4


def batch_list(
    pendings: Sequence[Pending],
    answers: Mapping[PendingId, ApprovalDecision],
    look: Look,
    *,
    cursor: int,
    edited: Collection[PendingId] = (),
) -> str:
    """A line for each question, as many as fit around the cursor; what a person has `edited` is marked."""
    room = max(look.height - _KEYS - 3, 1)
    first = min(max(cursor - room // 2, 0), max(len(pendings) - room, 0))
    shown = range(first, min(first + room, len(pendings)))
    below = len(pendings) - shown.stop
    digits = len(str(len(pendings)))
    done = sum(pending.id in answers for pending in pendings)
    return "\n".join(
        [
            paint([Ink(f"{len(pendings)} questions, {done} answered", "title")], look),
            *([paint([Ink(f"  {first} more above", "dim")], look)] if first else []),
            *(
                _line(
                    pending,
                    answers.get(pending.id),
                    f"{at:>{digits}}",
                    look,
                    here=at == cursor + 1,
                    edited=pending.id in edited,
                )
                for at, pending in enumerate(pendings[shown.start : shown.stop], first + 1)
            ),
            *([paint([Ink(f"  {below} more below", "dim")], look)] if below else []),
        ]
    )


def _line(
    pending: Pending, answer: ApprovalDecision | None, number: str, look: Look, *, here: bool, edited: bool
) -> str:
    box, fore = _box(answer)
    body = body_of(pending, look, "diff")
    # The size of the change is that of the original.
    tail = "  edited" if edited else f"  {body.label.removeprefix('Changes: ')}" if body.diff else ""
    inks = [Ink("> " if here else "  ", "strong"), Ink(f"{box} ", fore), Ink(f"{number} ", "dim")]
    room = look.width - sum(cells(ink.text) for ink in inks) - len(tail)
    words = _short(spelled(line_of(pending), "strong" if here else "", keep=""), room, look)
    return paint([*inks, *words, Ink(tail)], look)


def _short(inks: list[Ink], room: int, look: Look) -> list[Ink]:
    """What fits in a line; the question itself shows the rest."""
    more = "..." if look.plain else "…"
    (first, used), *rest = [*wrapped(inks, room)]
    if not rest:
        return first
    (cut, _), *_ = wrapped(first, room - len(more)) if used > room - len(more) else [(first, used)]
    return [*cut, Ink(more, "dim")]


def _box(answer: ApprovalDecision | None) -> tuple[str, str]:
    match answer:
        case None:
            return "[ ]", "dim"
        case Approve(scope=Scope.ONCE):
            return "[y]", "allow"
        case Approve():
            return "[s]", "allow"
        case Reject(stop=True):
            return "[q]", "deny"
        case Reject():
            return "[n]", "deny"
        case Respond():
            return "[r]", "ask"
