"""Which questions are listed, and a line for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assent.cli._durations import left, spoken
from assent.cli._table import table
from assent.model import Pending, Presentation, Store

_ID: Final = 8
# The id comes first, where no width cuts it off: it is what an answer names.
_HEAD: Final = ("#", "id", "age", "left", "tool", "what", "agents", "run")
_NEEDS: Final = {"left": 45, "tool": 60, "agents": 75, "run": 95}
"""How wide the screen must be for a column that others can do without."""
_ROOMY: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which questions to list; what is not said does not matter."""

    agent: str = ""
    tool: str = ""
    run: str = ""
    older: float = 0.0

    def on(self, store: Store, now: float) -> list[Pending]:
        """What waits and is wanted, oldest first; what has waited too long ends here."""
        store.expire(now)
        return [pending for pending in store.desk() if self._fits(pending, now)]

    def nothing(self) -> str:
        """What is said where nothing of it waits."""
        return "Nothing waits for an answer." if self == Wanted() else "Nothing that fits waits for an answer."

    def _fits(self, pending: Pending, now: float) -> bool:
        call = pending.call
        return (
            (not self.agent or self.agent in call.agents)
            and self.tool in ("", call.tool_name)
            and call.run.startswith(self.run)
            and now - pending.created >= self.older
        )


def listed(waiting: Sequence[Pending], now: float, *, width: int | None, first: int | None = None) -> Iterator[str]:
    """The questions as a table, each by its id; a narrow screen leaves out who asks, and in which run.

    Where digits are keys, `first` is the place of the first one. No other number is shown: it would be taken for an id.
    """
    rows = [_row(each, now, "" if first is None else _key(first + at)) for at, each in enumerate(waiting)]
    head = [name for name in _HEAD if any(row[name] for row in rows) and (width or _ROOMY) >= _NEEDS.get(name, 0)]
    return table(head, [[row[name] for name in head] for row in rows], gives="what", width=width)


def _row(pending: Pending, now: float, key: str) -> dict[str, str]:
    call = pending.call
    time_left = "" if pending.expires is None else left(pending.expires - now)
    cells = (
        key,
        pending.id[:_ID],
        spoken(now - pending.created),
        time_left,
        call.tool_name,
        line(pending),
        " › ".join(call.agents),
        call.run[:_ID],
    )
    return dict(zip(_HEAD, cells, strict=True))


def _key(place: int) -> str:
    """What to press for the question at this place; nothing, where one digit does not reach."""
    return str(place) if place <= 9 else ""  # noqa: PLR2004 (the last digit)


def line(pending: Pending) -> str:
    """What is asked, in a line: the drawing of a file knows more than the call."""
    shown = pending.preview.presentation
    return pending.request.description if isinstance(shown, Presentation) else shown.description
