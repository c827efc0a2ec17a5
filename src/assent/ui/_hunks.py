"""Choosing hunks one by one, as `git add -p` does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from assent.diff import blocks
from assent.model import Approve, Pending, changes_of
from assent.ui._keys import REDRAW
from assent.ui._talk import Talk
from assent.ui.draw import hunk

_KEYS: Final = "ynadvq?"
_MEANINGS: Final = """\
y - apply this hunk
n - do not apply this hunk
a - apply this hunk and all later ones of this file
d - apply neither this hunk nor any later one of this file
v - view all of the change
q - apply neither this hunk nor any of the rest
? - this help"""
_UNSEEN: Final = "You have not seen all of them. Y = approve anyway"


def hunks_of(pending: Pending) -> list[int]:
    """The file each hunk belongs to, by number; nothing, where there are no hunks to choose from."""
    changes = changes_of(pending.preview.presentation)
    return [number for number, change in enumerate(changes) for _ in blocks(change.unified_diff)]


async def choose_hunks(
    talk: Talk, pending: Pending, *, view: Callable[[], Awaitable[None]], seen: Callable[[], bool]
) -> Approve | None:
    """The approval of some hunks; None if the person chose none, or went back.

    `view` shows all of the change, `seen` says whether all of it was shown.
    """
    files = hunks_of(pending)
    choice = _Choice(talk, pending, view)
    chosen = await choice.made(files)
    if not chosen:
        talk.say("No hunk was chosen: nothing is decided.")
        return None
    note: str | None = ""
    if len(chosen) < len(files):
        note = await talk.words("Why not the others? The agent will read it. (Enter for no reason, Esc to go back)")
    if note is None:
        return None
    wanted, how = ("y", "y = yes") if seen() or choice.shown.issuperset(chosen) else ("Y", _UNSEEN)
    sure = f"Approve {len(chosen)} of {len(files)} hunks? {how}; any other key goes back to the question."
    if not await talk.confirm(sure, wanted):
        return None
    return Approve(by=talk.by, hunks=None if len(chosen) == len(files) else tuple(chosen), note=note)


class _Choice:
    """One hunk after the other, and which of them were shown from the first line to the last."""

    def __init__(self, talk: Talk, pending: Pending, view: Callable[[], Awaitable[None]]) -> None:
        self.shown: set[int] = set()
        self._talk = talk
        self._pending = pending
        self._view = view

    async def made(self, files: list[int]) -> list[int]:
        """The numbers of those that are applied."""
        chosen: list[int] = []
        at = 0
        while at < len(files):
            rest = [number for number in range(at, len(files)) if files[number] == files[at]]
            match await self._asked(at):
                case "y":
                    chosen.append(at)
                    at += 1
                case "n":
                    at += 1
                case "a":
                    chosen.extend(rest)
                    at = rest[-1] + 1
                case "d":
                    at = rest[-1] + 1
                case "v":
                    await self._view()
                case "q":
                    break
                case _:
                    self._talk.say(_MEANINGS)
        return chosen

    async def _asked(self, number: int) -> str:
        while True:
            drawing = hunk(self._pending, number, self._talk.look())
            self._talk.say(drawing.text)
            if self._talk.shows(drawing):
                self.shown.add(number)
            ask = f"Apply this hunk [{','.join(_KEYS)}]?"
            key = await self._talk.choose(ask, _KEYS, expires=self._pending.expires)
            if key != REDRAW:
                return key
