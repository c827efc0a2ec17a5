"""The hash chain: each entry names the one before it, so no entry can change alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from assent.model import Broken, canonical

Row = tuple[int, str, float, str, str, str, str]
"""seq, kind, at, run, body, previous, hash: as the table has them."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where the chain ends."""

    seq: int
    hash: str


def link(head: Head, kind: str, at: float, run: str, body: str) -> Row:
    """The next row of the chain."""
    seq = head.seq + 1
    return seq, kind, at, run, body, head.hash, _hash(seq, kind, at, run, body, head.hash)


def first_broken(rows: Iterable[Row], head: Head) -> Broken | None:
    """The first entry that was edited, removed, reordered or inserted; None if there is none."""
    last = Head(0, "")
    for row in rows:
        seq, kind, at, run, body, previous, digest = row
        if seq != last.seq + 1:
            return Broken(seq=last.seq + 1, reason=f"entry {last.seq + 1} is missing: {seq} follows {last.seq}")
        if digest != _hash(seq, kind, at, run, body, previous):
            return Broken(seq=seq, reason=f"entry {seq} was edited: its hash does not fit what it says")
        if previous != last.hash:
            return Broken(seq=seq, reason=f"entry {seq} does not continue entry {last.seq}: it was put there later")
        last = Head(seq, digest)
    if last != head:
        return Broken(seq=last.seq + 1, reason=f"the journal ended with entry {head.seq}, but now with {last.seq}")
    return None


def _hash(*fields: object) -> str:
    return hashlib.sha256(canonical(fields).encode()).hexdigest()
