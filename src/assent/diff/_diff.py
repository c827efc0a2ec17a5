"""The diff of two versions of a file, compared or spliced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
        return head + b"".join(hunk.text() for hunk in self.hunks)


def diff(before: bytes | None, after: bytes | None, *, context: int = CONTEXT) -> Diff:
    """Compare two versions; None is a file that is not there."""
    old, new = before or b"", after or b""
    hunks = _hunks(old, list(find_edits(old, new)), context)
    return Diff(hunks=hunks, created=before is None, deleted=after is None)


def splice(before: bytes, edits: Sequence[Edit], *, context: int = CONTEXT) -> Diff:
    """The diff that edits at known places make; only the lines they touch are compared.

    Raises:
        ValueError: the edits are not in order, overlap, or lie outside `before`.
    """
    return Diff(hunks=_hunks(before, edits, context))


def _hunks(before: bytes, edits: Sequence[Edit], context: int) -> tuple[Hunk, ...]:
    return tuple(hunks(before, slide(before, changes(before, edits)), context=context))
