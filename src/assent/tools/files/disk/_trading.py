"""Adding, swapping, moving and removing a file in its slot; undone if it was not what had been seen.

Each first acts, by a rename that loses nothing, and then looks at what it got hold of. The other order
would leave a moment in which somebody else's file is overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from assent.tools.files.disk._descriptors import content_of, identity
from assent.tools.files.disk._draft import Draft
from assent.tools.files.disk._failures import changed
from assent.tools.files.disk._slot import IsOurs, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A file that exists, as it was when it was looked at."""

    fd: int
    status: os.stat_result
    data: bytes

    def check(self, slot: Slot, name: bytes) -> None:
        """Refuse unless the name has this very file, with the same bytes, owner and mode.

        Raises:
            ChangedSinceApproval: Somebody changed or replaced it.
        """
        found = slot.found(name)
        if found is None or identity(found) != identity(self.status):
            raise changed(slot.real, "was replaced by another file")
        now = os.fstat(self.fd)
        if (now.st_mode, now.st_uid, now.st_gid) != (self.status.st_mode, self.status.st_uid, self.status.st_gid):
            raise changed(slot.real, "got another owner or mode")
        # Times can be set back, and are too coarse; so the bytes are compared, always.
        if content_of(self.fd, len(self.data)) != self.data:
            raise changed(slot.real, "has other content now")


def add(slot: Slot, draft: Draft) -> None:
    """The draft takes a name that must be free."""
    try:
        draft.place(slot.name)
    except FileExistsError as error:
        raise changed(slot.real, "appeared meanwhile") from error
    with undoing(slot, lambda: slot.withdraw(written(draft))):
        slot.check()


def swap(slot: Slot, draft: Draft, seen: Seen) -> None:
    """The draft takes the place of what was seen."""
    # Not what makes it safe, but in nearly every case it leaves a changed file alone altogether.
    seen.check(slot, slot.name)
    spare = draft.take_name()
    is_kept = slot.renames.swap(slot.fd, spare, slot.name)
    with undoing(slot, lambda: slot.give_back(spare, written(draft)) if is_kept else ""):
        if is_kept:
            seen.check(slot, spare)
        slot.check()
    if is_kept:
        with suppress(OSError):  # the change is made
            os.unlink(spare, dir_fd=slot.fd)


def remove(slot: Slot, seen: Seen) -> None:
    """What was seen goes; whatever else has the name stays."""
    seen.check(slot, slot.name)
    spare = slot.take()
    with undoing(slot, lambda: slot.put_back(spare)):
        seen.check(slot, spare)
        slot.check()
        os.unlink(spare, dir_fd=slot.fd)


def move(here: Slot, there: Slot, seen: Seen) -> bool:
    """What was seen takes a free name elsewhere in one step; False where that cannot be."""
    seen.check(here, here.name)
    there.check()
    try:
        if not here.renames.move(here.fd, here.name, there.fd, there.name):
            return False
    except FileExistsError as error:
        raise changed(there.real, "appeared meanwhile") from error
    with undoing(here, lambda: _move_back(here, there)):
        seen.check(there, there.name)
        here.check()
        there.check()
    return True


def _move_back(here: Slot, there: Slot) -> str:
    try:
        spare = there.take()
    except FileNotFoundError:
        return ""
    try:
        os.rename(spare, spare, src_dir_fd=there.fd, dst_dir_fd=here.fd)
    except OSError:
        return there.put_back(spare)
    return here.put_back(spare)


@contextmanager
def undoing(slot: Slot, undo: Callable[[], str]) -> Generator[None]:
    """Undo what was done if anything inside fails, and say what had to be kept aside."""
    try:
        yield
    except BaseException as why:
        kept = undo()
        if kept:
            raise changed(slot.real, "was changed by others several times", kept=kept) from why
        raise


def written(draft: Draft) -> IsOurs:
    """Whether a file is this draft, with nothing added to it by others."""
    return lambda found: identity(found) == draft.identity and draft.is_untouched()
