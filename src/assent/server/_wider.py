"""What an answer may be remembered for, and what it would have covered so far."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from assent.gate import grant_from
from assent.model import Approve, Pending, Scope, Wider
from assent.server._shown import Covered, WiderAnswers, WouldAlso

if TYPE_CHECKING:
    from assent.gate import StoreClerk

_LAST: Final = 200
_EXAMPLES: Final = 5


def wider_answers(pending: Pending, clerk: StoreClerk, *, by: str, at: float) -> WiderAnswers:
    """The operation itself, then everything wider that its policy offers."""
    request = pending.request
    itself = Wider(name="", description=request.covers or request.description, fingerprint={})
    offered = enumerate((itself, *request.wider))
    return WiderAnswers(wider=tuple(_covered(index, each, pending, clerk, by, at) for index, each in offered))


def _covered(index: int, wider: Wider, pending: Pending, clerk: StoreClerk, by: str, at: float) -> Covered:
    return Covered(
        index=index,
        name=wider.name,
        label=wider.description,
        pattern=wider.pattern,
        would_also=_would(pending, clerk, wider.name, by, at),
    )


def _would(pending: Pending, clerk: StoreClerk, name: str, by: str, at: float) -> WouldAlso:
    decision = Approve(by=by, scope=Scope.ALWAYS, covers=name, every_agent=True)
    grant = grant_from(decision, pending.call, pending.request, by=by, at=at)
    if grant is None:
        return WouldAlso(of=0, matches=0, examples=())
    # Had it stood all the time: in one run alone, hardly anything was asked before.
    found, of = clerk.covered_by(replace(grant, run=None), last=_LAST)
    examples = dict.fromkeys(each.request.description for each in found)
    return WouldAlso(of=of, matches=len(found), examples=tuple(examples)[:_EXAMPLES])
