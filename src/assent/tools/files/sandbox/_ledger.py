"""Which changes to a file were made by whom: an agent may edit a file twice in one turn."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from assent.tools.files.disk._held import Identity

_KEPT: Final = 1024

State = str | None
"""The digest of a file's bytes; none where there is no file."""


class Ledger:
    """The last changes that permitted calls made through one sandbox, by file."""

    def __init__(self) -> None:
        self._changes: OrderedDict[tuple[tuple[int, int], str], list[tuple[str, State, State]]] = OrderedDict()

    def note(self, run: str, before: Identity, after: State) -> None:
        """A permitted call of the run changed the file."""
        key = before.directory, before.name
        changes = self._changes.setdefault(key, [])
        changes.append((run, before.sha256, after))
        del changes[:-_KEPT]
        self._changes.move_to_end(key)
        if len(self._changes) > _KEPT:
            self._changes.popitem(last=False)

    def only_by(self, run: str, now: Identity, since: State) -> bool:
        """Whether all that happened to the file since then was done by permitted calls of the run."""
        state = now.sha256
        for who, before, after in reversed(self._changes.get((now.directory, now.name), ())):
            if state == since or after != state or who != run:
                break
            state = before
        return state == since
