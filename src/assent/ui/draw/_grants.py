"""What an answer may be remembered for: the lines of the scope picker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assent.model import Pending
from assent.ui.draw._head import line_of
from assent.ui.draw._ink import Ink, indented, said, spelled
from assent.ui.draw._look import Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One way to remember an answer."""

    key: str
    """What to press for it: `1`."""
    covers: str
    """Which calls it covers, as a person would write it down: `git push origin *`."""
    lasts: str
    """How long: `this session`, `for 15 minutes`, `always`."""
    kept: str = ""
    """Where it is written down, if it outlives the run."""
    allow: bool = True
    """False: a no is remembered."""
    replay: str = ""
    """What it would have done so far: `would also have covered 14 of the last 200 calls`."""


def grant_lines(pending: Pending, offers: Sequence[Offer], look: Look, *, cursor: int | None = None) -> str:
    """A line or two for each offer, the one at the cursor marked."""
    lines = said("Remember: ", line_of(pending), look, fore="strong")
    replays = {offer.replay for offer in offers}
    # What is the same for all of them is said once.
    same = replays.pop() if len(offers) > 1 and len(replays) == 1 else ""
    for at, offer in enumerate(offers):
        lines += _offered(replace(offer, replay="") if same else offer, look, here=at == cursor)
    return "\n".join(lines + (indented(spelled(f"Each {same}", "dim", keep=""), look, "  ", 4) if same else []))


def _offered(offer: Offer, look: Look, *, here: bool) -> list[str]:
    verdict = "allow" if offer.allow else "never allow"
    inks = [
        Ink(f"{offer.key} ", "strong"),
        Ink(f"{verdict}: ", "allow" if offer.allow else "deny"),
        *spelled(offer.covers, "strong", keep=""),
        *spelled(f"  {offer.lasts}", keep=""),
        *spelled(f", kept in {offer.kept}" if offer.kept else "", "dim", keep=""),
    ]
    lines = indented(inks, look, "> " if here else "  ", 4)
    return lines + (indented(spelled(offer.replay, "dim", keep=""), look, "    ", 4) if offer.replay else [])
