"""The inbox on a terminal: a list that keeps itself up to date, and keys to answer from it."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import asyncio
import time
from argparse import Namespace
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from assent.cli._parsing import is_plain
from assent.cli._record import name_of, record, settings_of
from assent.cli._screen import wrapped
from assent.cli._table import cut
from assent.cli.inbox._ask import Asking
from assent.cli.inbox._wanted import Wanted, listed
from assent.model import Pending, PendingId, Store
from assent.ui._keys import INTERRUPT, REDRAW, Keyboard
from assent.ui._tty import EndOfInput, Tty, opened

_KEYS: Final = ("[1-9] or ↑ ↓ and Enter: answer one", "[a] all in turn", "[q] leave")
_FAR: Final = 10**9
_MOVES: Final = {
    **dict.fromkeys(("up", "k"), -1),
    **dict.fromkeys(("down", "j"), 1),
    **dict.fromkeys(("home", "g"), -_FAR),
    **dict.fromkeys(("end", "G"), _FAR),
    "page up": -10,
    "page down": 10,
}
_AROUND: Final = 6
"""Lines of the screen that are neither questions nor keys: title, head, how many more, gaps and the last line."""
_SAID: Final = 3

_Work = Callable[[Tty, Store, Asking], Coroutine[object, object, int]]


class _Stale(Exception):
    """What is on the screen is not how it is any more."""


@dataclass(slots=True)
class _List:
    """What is listed now, and where the person is in it."""

    waiting: Sequence[Pending] = ()
    chosen: PendingId | None = None
    known: frozenset[PendingId] | None = None
    """What was on the screen before; none before the first time."""
    said: list[str] = field(default_factory=list[str])
    """What became of the questions that were answered last."""

    @property
    def cursor(self) -> int:
        """The place of the chosen question; where it is gone, of the first."""
        places = (place for place, each in enumerate(self.waiting) if each.id == self.chosen)
        return next(places, 0)

    def has_news(self) -> bool:
        """Whether a question appeared since the last time this was asked."""
        now, before = frozenset(each.id for each in self.waiting), self.known
        self.known = now
        return before is not None and not now <= before

    def move(self, by: int) -> None:
        """Choose another one."""
        if self.waiting:
            place = max(0, min(len(self.waiting) - 1, self.cursor + by))
            self.chosen = self.waiting[place].id


def live(options: Namespace, wanted: Wanted) -> int | None:
    """Stay until the person leaves; None where there is no terminal for it."""
    return _at_terminal(options, lambda tty, store, asking: _stay(tty, store, asking, wanted))


def answer_next(options: Namespace, wanted: Wanted) -> int | None:
    """Ask about the oldest question; None where there is no terminal for it."""

    async def ask(_tty: Tty, store: Store, asking: Asking) -> int:
        oldest = wanted.on(store, time.time())[:1]
        if not oldest:
            print(wanted.nothing())
            return 1
        (said,) = await asking.ask(oldest)
        print(said.text)
        return 1 if said.left else 0

    return _at_terminal(options, ask)


def _at_terminal(options: Namespace, work: _Work) -> int | None:
    plain = is_plain(options)
    with opened(None, None, plain=plain) as tty:
        if tty is None:
            return None
        settings = settings_of(options)
        with record(options) as store:
            asking = Asking(store, settings, by=name_of(options), plain=plain)
            return asyncio.run(work(tty, store, asking))


async def _stay(tty: Tty, store: Store, asking: Asking, wanted: Wanted) -> int:
    now = _List()
    try:
        while (batch := await _choose(tty, store, wanted, now)) is not None:
            now.said = []
            for _, run in groupby(batch, key=lambda each: each.call.run):
                # What a group of one run was told stays together; stopping a run says nothing of others.
                print("Ctrl-D leaves it unanswered and goes back to the list.")
                said = await asking.ask([each for each in run if store.ruling(each.id) is None])
                now.said += [each.text for each in said]
                print("\n".join(each.text for each in said))
                if any(each.left for each in said):
                    break
    except EndOfInput:
        pass
    return 0


async def _choose(tty: Tty, store: Store, wanted: Wanted, now: _List) -> Sequence[Pending] | None:
    """The questions to ask about next; None to leave."""
    with tty.taken(), tty.alternate():
        keyboard = Keyboard(tty)
        keyboard.fresh()
        while True:
            now.waiting = wanted.on(store, time.time())
            shown = "\n".join(_screen(now, tty))
            tty.show(shown)
            if now.has_news():
                tty.say("\a", end="")
            key = await _key(keyboard, tty, store, wanted, now, shown)
            if key in ("q", INTERRUPT):
                return None
            if (batch := _picked(key, now)) is not None:
                return batch
            now.move(_MOVES.get(key, 0))


def _picked(key: str, now: _List) -> Sequence[Pending] | None:
    """What a key asks about; None if it asks about nothing."""
    if not now.waiting:
        return None
    if key == "enter":
        return [now.waiting[now.cursor]]
    if key == "a":
        return sorted(now.waiting, key=lambda each: _first_of_run(now.waiting, each))
    if key.isdecimal() and 0 < int(key) <= len(now.waiting):
        return [now.waiting[int(key) - 1]]
    return None


def _first_of_run(waiting: Sequence[Pending], pending: Pending) -> int:
    return next(place for place, each in enumerate(waiting) if each.call.run == pending.call.run)


async def _key(keyboard: Keyboard, tty: Tty, store: Store, wanted: Wanted, now: _List, shown: str) -> str:
    """The next key; `redraw` once there is something else to show."""
    seen, due = store.version(), time.monotonic() + 1

    def look() -> None:
        nonlocal seen, due
        version = store.version()
        if version == seen and time.monotonic() < due:
            return
        seen, due = version, time.monotonic() + 1
        now.waiting = wanted.on(store, time.time())
        if "\n".join(_screen(now, tty)) != shown:
            raise _Stale

    try:
        # Nothing is decided by a key of the list, so each counts whenever it comes.
        return await keyboard.key(at_once=_AnyKey(), tick=look)
    except _Stale:
        return REDRAW


class _AnyKey:
    """Every key there is."""

    def __contains__(self, key: object) -> bool:
        return key != ""


def _screen(now: _List, tty: Tty) -> Iterator[str]:
    """The list as it is drawn: never more than the screen, and how much is not on it."""
    size, waiting = tty.size(), now.waiting
    runs = len({each.call.run for each in waiting})
    yield cut(f"assent inbox: {_count(len(waiting), 'question')} in {_count(runs, 'run')}", size.columns)
    yield ""
    said = [piece for line in now.said[-_SAID:] for piece in wrapped(line, size.columns)]
    below = [*said, *_keys(size.columns, any_wait=bool(waiting))]
    if waiting:
        yield from _window(now, size.columns, max(1, size.lines - _AROUND - len(below)))
    else:
        yield cut("Nothing waits for an answer. What is asked from now on appears here.", size.columns)
    yield ""
    yield from below


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _keys(columns: int, *, any_wait: bool) -> Iterator[str]:
    """What can be pressed, in as many lines as it needs."""
    line, *rest = _KEYS if any_wait else _KEYS[-1:]
    for each in rest:
        if len(line) + len(each) + 3 <= columns:
            line += f"   {each}"
        else:
            yield line
            line = each
    yield line


def _window(now: _List, columns: int, lines: int) -> Iterator[str]:
    total, cursor = len(now.waiting), now.cursor
    start = max(0, min(cursor - lines // 2, total - lines))
    part = now.waiting[start : start + lines]
    head, *rows = listed(part, time.time(), width=columns - 2, first=start + 1)
    yield f"  {head}"
    for place, row in enumerate(rows, start=start):
        yield f"{'›' if place == cursor else ' '} {row}"
    if len(part) < total:
        yield f"  … {start} before, {total - start - len(part)} after these"
