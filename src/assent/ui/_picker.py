"""What an answer is remembered for, and for how long: chosen by a person who sees it spelled out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from assent.gate import grant_from
from assent.model import ApprovalDecision, Approve, Pending, Reject, Scope
from assent.ui._keys import REDRAW
from assent.ui._talk import Talk, bar
from assent.ui.draw import Offer, covered, grant_lines

_LAST: Final = 200
_QUARTER: Final = 15 * 60.0
_CALLS: Final = 3
# As many as there are keys; a tool that offers more offers the narrowest first.
_MOST: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lasting:
    """One way to remember an answer, apart from what it covers."""

    text: str
    decision: Approve | Reject


async def remember(talk: Talk, pending: Pending, *, refusals: bool) -> ApprovalDecision | None:
    """The answer with what is remembered of it; None if the person would rather go back."""
    covers = ""
    if pending.request.wider:
        chosen = await _pick(talk, pending, [offer for offer, _ in _what(talk, pending)])
        if chosen is None:
            return None
        covers = ["", *(each.name for each in pending.request.wider)][chosen]
    every_agent = False
    while True:
        ways = list(_ways(talk.by, covers, every_agent=every_agent, refusals=refusals))
        offers = [_offer(talk, pending, way, key=str(at)) for at, way in enumerate(ways, start=1)]
        toggle = _toggle(pending, every_agent=every_agent)
        picked = await _pick(talk, pending, offers, toggle=toggle)
        if picked is None:
            return None
        if picked < len(ways):
            return await _with_reason(talk, ways[picked].decision)
        every_agent = not every_agent


def _what(talk: Talk, pending: Pending) -> Iterator[tuple[Offer, str]]:
    """Each thing an answer may cover, and its name in the answer."""
    for at, name in enumerate(["", *(each.name for each in pending.request.wider)][:_MOST], start=1):
        decision = Approve(by=talk.by, scope=Scope.ALWAYS, covers=name, every_agent=True)
        yield (
            Offer(
                key=str(at),
                covers=_covered(pending, name),
                lasts="",
                replay=_replay(talk, pending, decision),
            ),
            name,
        )


def _ways(by: str, covers: str, *, every_agent: bool, refusals: bool) -> Iterator[_Lasting]:
    def approve(scope: Scope, *, seconds: float | None = None, calls: int | None = None) -> Approve:
        return Approve(by=by, scope=scope, seconds=seconds, calls=calls, covers=covers, every_agent=every_agent)

    yield _Lasting(text="this session", decision=approve(Scope.SESSION))
    yield _Lasting(text="for 15 minutes", decision=approve(Scope.SESSION, seconds=_QUARTER))
    yield _Lasting(text=f"for {_CALLS} more calls", decision=approve(Scope.SESSION, calls=_CALLS))
    yield _Lasting(text="always", decision=approve(Scope.ALWAYS))
    if refusals:
        for scope, text in ((Scope.SESSION, "this session"), (Scope.ALWAYS, "always")):
            yield _Lasting(text=text, decision=Reject(by=by, scope=scope, covers=covers, every_agent=every_agent))


def _offer(talk: Talk, pending: Pending, way: _Lasting, *, key: str) -> Offer:
    decision = way.decision
    always = decision.scope is Scope.ALWAYS
    agents = pending.call.agents
    whom = "" if not agents else ", every agent" if decision.every_agent else f", only {' › '.join(agents)}"
    return Offer(
        key=key,
        covers=_covered(pending, decision.covers),
        lasts=way.text + whom,
        kept=talk.where if always else "",
        allow=decision.approved,
        replay=_replay(talk, pending, decision),
    )


def _covered(pending: Pending, name: str) -> str:
    """The literal grant."""
    for wider in pending.request.wider:
        if wider.name == name:
            return wider.pattern or wider.description
    return covered(pending)


def _replay(talk: Talk, pending: Pending, decision: ApprovalDecision) -> str:
    """What it would have answered so far, if anybody here knows."""
    grant = grant_from(decision, pending.call, pending.request, by=talk.by, at=talk.clock())
    if talk.clerk is None or grant is None:
        return ""
    # What it would have covered had it stood: in this run alone, hardly anything was asked before.
    count, of = talk.clerk.covered(replace(grant, run=None, expires=None, calls=None), last=_LAST)
    return f"would also have covered {count} of the last {of} calls" if count else ""


def _toggle(pending: Pending, *, every_agent: bool) -> tuple[str, str] | None:
    if not pending.call.agents:
        return None
    return "g", "Only for the agent that asks" if every_agent else "For every agent"


async def _pick(
    talk: Talk, pending: Pending, offers: list[Offer], *, toggle: tuple[str, str] | None = None
) -> int | None:
    """Which one, counted from 0; one more than there are for the toggle; None to go back."""
    keys = [offer.key for offer in offers]
    choices = {f"1-{len(keys)}": "Choose", **dict([toggle] if toggle else []), "b": "Back"}
    while True:
        look = talk.look()
        talk.say(grant_lines(pending, offers, look))
        key = await talk.choose(bar(choices, look), {*keys, "b", "escape", *([toggle[0]] if toggle else [])})
        if key in keys:
            return keys.index(key)
        if toggle and key == toggle[0]:
            return len(keys)
        if key != REDRAW:
            return None


async def _with_reason(talk: Talk, decision: Approve | Reject) -> ApprovalDecision | None:
    if isinstance(decision, Approve):
        return decision
    note = await talk.words("Why? The agent will read it, now and later. (Enter for no reason, Esc to go back)")
    return None if note is None else replace(decision, note=note)
