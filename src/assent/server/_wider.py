"""What an answer may be remembered for, and what it would have covered so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assent.gate import covered_by, grant_from
from assent.model import Approve, Pending, Scope, Wider, coverage
from assent.server._shown import Covered, WiderAnswers, WouldAlso

if TYPE_CHECKING:
    from assent.gate import StoreClerk

_LAST: Final = 200
_EXAMPLES: Final = 5


def wider_answers(pending: Pending, clerk: StoreClerk, *, by: str, at: float) -> WiderAnswers:
    """The operation itself, then everything wider that its policy offers."""
    request = pending.request
    itself = Wider(name="", description=coverage(pending.call, request), fingerprint={})
    offered = enumerate((itself, *request.wider))
    ended = clerk.ended(_LAST)
    return WiderAnswers(wider=tuple(_covered(index, each, pending, ended, by, at) for index, each in offered))


def _covered(index: int, wider: Wider, pending: Pending, ended: Sequence[Pending], by: str, at: float) -> Covered:
    return Covered(
        index=index,
        name=wider.name,
        label=wider.description,
        pattern=wider.pattern,
        would_also=_would(pending, ended, wider.name, by, at),
    )


def _would(pending: Pending, ended: Sequence[Pending], name: str, by: str, at: float) -> WouldAlso:
    decision = Approve(by=by, scope=Scope.ALWAYS, covers=name, every_agent=True)
    grant = grant_from(decision, pending.call, pending.request, by=by, at=at)
    if grant is None:
        return WouldAlso(of=0, matches=0, examples=())
    # Had it stood all the time: in one run alone, hardly anything was asked before.
    found = covered_by(grant, ended)
    examples = dict.fromkeys(each.request.description for each in found)
    return WouldAlso(of=len(ended), matches=len(found), examples=tuple(examples)[:_EXAMPLES])
