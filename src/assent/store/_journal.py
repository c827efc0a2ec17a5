"""The hash chain: each entry names the one before it, so no entry can change alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii as _quoted
from math import isfinite
from typing import NamedTuple

from assent.model import Broken

Entry = tuple[str, float, str, str]
"""kind, at, run, body: something that happened, before the chain has given it a place."""
Row = tuple[int, str, float, str, str, str, str]
"""seq, kind, at, run, body, previous, hash: as the table has them."""


class Head(NamedTuple):
    """Where the chain ends."""

    seq: int
    hash: str


def chained(head: Head, entries: Iterable[Entry]) -> list[Row]:
    """The rows that continue the chain from here."""
    rows: list[Row] = []
    seq, previous = head
    for kind, at, run, body in entries:
        seq += 1
        # As the table gives it back: a clock may count in whole numbers, and the table has no -0.0.
        moment = float(at) + 0.0
        digest = _hash(seq, kind, moment, run, body, previous)
        rows.append((seq, kind, moment, run, body, previous, digest))
        previous = digest
    return rows


def first_broken(rows: Iterable[Row], head: Head | None) -> Broken | None:
    """The first entry that was edited, removed, reordered or inserted; None if there is none."""
    last = Head(0, "")
    for row in rows:
        seq, kind, at, run, body, previous, digest = row
        if seq != last.seq + 1:
            return Broken(seq=last.seq + 1, reason=f"entry {last.seq + 1} is missing: {seq} follows {last.seq}")
        if not isfinite(at) or digest != _hash(seq, kind, at, run, body, previous):
            return Broken(seq=seq, reason=f"entry {seq} was edited: its hash does not fit what it says")
        if previous != last.hash:
            return Broken(seq=seq, reason=f"entry {seq} does not continue entry {last.seq}: it was put there later")
        last = Head(seq, digest)
    return _broken_end(last, head)


def _broken_end(last: Head, head: Head | None) -> Broken | None:
    """What is wrong where the journal ends; removed and added entries are only seen there."""
    if head is None:
        return Broken(seq=last.seq + 1, reason="the journal does not say where it ends: somebody removed that")
    if last.seq != head.seq:
        seq = max(min(last.seq, head.seq), 0) + 1
        return Broken(seq=seq, reason=f"the journal ended with entry {head.seq}, but now with {last.seq}")
    if last.hash != head.hash:
        return Broken(seq=last.seq, reason=f"entry {last.seq} is not the one the journal ended with")
    return None


def _hash(seq: int, kind: str, at: float, run: str, body: str, previous: str) -> str:
    # `canonical` of the fields, put together by hand: every call of every agent comes by here.
    fields = f"[{seq},{_quoted(kind)},{at!r},{_quoted(run)},{_quoted(body)},{_quoted(previous)}]"
    return hashlib.sha256(fields.encode()).hexdigest()
