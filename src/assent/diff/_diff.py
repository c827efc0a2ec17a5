"""The diff of two versions of a file, compared or spliced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assent.diff._budget import STEPS, Budget
from assent.diff._changes import changes
from assent.diff._edits import Edit, find_edits
from assent.diff._hunk import Hunk
from assent.diff._hunks import hunks
from assent.diff._names import header
from assent.diff._slide import slide

CONTEXT = 3
"""Unchanged lines shown on either side of a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What has to change in one file to make the other of it."""

    hunks: tuple[Hunk, ...]
    created: bool = False
    """There was no file before."""
    deleted: bool = False
    """There is no file afterwards."""

    @property
    def added(self) -> int:
        """How many lines come."""
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """How many lines go."""
        return sum(hunk.removed for hunk in self.hunks)

    def text(self, old_name: str, new_name: str) -> bytes:
        """The unified diff, which `git apply` and `patch` take; empty where no line differs."""
        if not self.hunks:
            return b""
        head = header(None if self.created else old_name, None if self.deleted else new_name)
        return b"".join([head, *[piece for hunk in self.hunks for piece in hunk.pieces()]])


def diff(before: bytes | None, after: bytes | None, *, context: int = CONTEXT, steps: int = STEPS) -> Diff:
    """Compare two versions; None is a file that is not there.

    What could not be compared in so many `steps` is shown as rewritten: the diff is coarser, and as right.
    """
    old, new, budget = before or b"", after or b"", Budget(steps)
    hunks = _hunks(old, list(find_edits(old, new, budget)), context, budget)
    return Diff(hunks=hunks, created=before is None, deleted=after is None)


def splice(before: bytes, edits: Sequence[Edit], *, context: int = CONTEXT, steps: int = STEPS) -> Diff:
    """The diff that edits at known places make; only the lines they touch are compared, in so many `steps`.

    Raises:
        ValueError: the edits are not in order, overlap, or lie outside `before`.
    """
    return Diff(hunks=_hunks(before, edits, context, Budget(steps)))


def _hunks(before: bytes, edits: Sequence[Edit], context: int, budget: Budget) -> tuple[Hunk, ...]:
    return tuple(hunks(before, slide(before, changes(before, edits, budget), budget), context=context))
