"""Choosing hunks one by one, as `git add -p` does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assent.diff import blocks
from assent.model import Approve, Change, EditPresentation, PatchPresentation, Pending, WritePresentation
from assent.ui._keys import REDRAW
from assent.ui._talk import Talk
from assent.ui.draw import hunk

_KEYS: Final = "ynadq?"
_MEANINGS: Final = """\
y - apply this hunk
n - do not apply this hunk
a - apply this hunk and all later ones of this file
d - apply neither this hunk nor any later one of this file
q - apply neither this hunk nor any of the rest
? - this help"""


def hunks_of(pending: Pending) -> list[int]:
    """The file each hunk belongs to, by number; nothing, where there are no hunks to choose from."""
    return [number for number, change in enumerate(_changes(pending)) for _ in blocks(change.unified_diff)]


async def choose_hunks(talk: Talk, pending: Pending) -> Approve | None:
    """The approval of some hunks; None if the person chose none, or went back."""
    files = hunks_of(pending)
    chosen = await _chosen(talk, pending, files)
    if not chosen:
        talk.say("No hunk was chosen: nothing is decided.")
        return None
    note: str | None = ""
    if len(chosen) < len(files):
        note = await talk.words("Why not the others? The agent will read it. (Enter for no reason, Esc to go back)")
    if note is None or not await talk.confirm(
        f"Approve {len(chosen)} of {len(files)} hunks? y = yes; any other key goes back to the question.", "y"
    ):
        return None
    return Approve(by=talk.by, hunks=None if len(chosen) == len(files) else tuple(chosen), note=note)


async def _chosen(talk: Talk, pending: Pending, files: list[int]) -> list[int]:
    chosen: list[int] = []
    at = 0
    while at < len(files):
        rest = [number for number in range(at, len(files)) if files[number] == files[at]]
        match await _asked(talk, pending, at):
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
            case "q":
                break
            case _:
                talk.say(_MEANINGS)
    return chosen


async def _asked(talk: Talk, pending: Pending, number: int) -> str:
    while True:
        talk.say(hunk(pending, number, talk.look()))
        key = await talk.choose(f"Apply this hunk [{','.join(_KEYS)}]?", _KEYS, expires=pending.expires)
        if key != REDRAW:
            return key


def _changes(pending: Pending) -> Iterator[Change]:
    match pending.preview.presentation:
        case EditPresentation(change=change):
            yield change
        case PatchPresentation(changes=changes):
            yield from changes
        case WritePresentation(change=Change() as change):
            yield change
        case _:
            pass
