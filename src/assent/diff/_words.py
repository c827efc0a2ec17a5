"""Which words differ between two versions of a line, and which lines are versions of each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from assent.diff._budget import Budget
from assent.diff._match import match
from assent.diff._myers import Block

Spans: TypeAlias = tuple[tuple[int, int], ...]
"""From where up to where, in characters."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST_LINE = 1_000
_ALIKE = 0.4
"""The share of characters two lines must have in common to be versions of each other."""
_BEST_PAIRS = 400
"""A block with more possible pairs than this is paired line by line, first with first."""
_WORD_STEPS = 5
"""Steps of the budget to look at a word of one line for another line."""


def in_order(removed: int, added: int) -> bool:
    """Whether so many lines are paired first with first: they are as many, or too many to choose from."""
    return removed == added or removed * added > _BEST_PAIRS


def pairs(removed: Sequence[str], added: Sequence[str], budget: Budget) -> list[tuple[int, int]]:
    """Which removed line became which added one, by how alike they are; both stay in order."""
    old, new = [_words(line) for line in removed], [_words(line) for line in added]
    if budget.take(_WORD_STEPS * (len(new) * sum(map(len, old)) + len(old) * sum(map(len, new)))):
        return list(_best_pairs(old, new))
    return list(zip(range(len(old)), range(len(new)), strict=False))


def changed_words(old: str, new: str, budget: Budget) -> tuple[Spans, Spans]:
    """The spans that differ in each line; none if the lines have too little in common to compare."""
    if max(len(old), len(new)) > _LONGEST_LINE or not budget.take(len(old) + len(new)):
        return (), ()
    left, right = _WORD.findall(old), _WORD.findall(new)
    blocks = match(left, right, budget)
    same = [word for block in blocks for word in left[block.i : block.i + block.size]]
    if _share(_weight(same), _weight(left), _weight(right)) < _ALIKE:
        return (), ()
    ends = [Block(0, 0, 0), *blocks, Block(len(left), len(right), 0)]
    gaps = list(pairwise(ends))
    return (
        _spans(left, [(block.i + block.size, then.i) for block, then in gaps]),
        _spans(right, [(block.j + block.size, then.j) for block, then in gaps]),
    )


def _best_pairs(removed: Sequence[Counter[str]], added: Sequence[Counter[str]]) -> Iterator[tuple[int, int]]:
    """Each removed line with the added line most like it, behind the one that was taken last."""
    taken = -1
    for number, old in enumerate(removed):
        rest = range(taken + 1, len(added))
        likest = max(rest, key=lambda place: _likeness(old, added[place]), default=None)
        if likest is not None and _likeness(old, added[likest]) >= _ALIKE:
            yield number, likest
            taken = likest


def _words(line: str) -> Counter[str]:
    return Counter(word for word in _WORD.findall(line[:_LONGEST_LINE]) if not word.isspace())


def _likeness(old: Counter[str], new: Counter[str]) -> float:
    return _share(*(sum(len(word) * count for word, count in words.items()) for words in (old & new, old, new)))


def _share(same: int, old: int, new: int) -> float:
    return 2 * same / max(old + new, 1)


def _weight(words: Iterable[str]) -> int:
    return sum(len(word) for word in words if not word.isspace())


def _spans(words: Sequence[str], gaps: Sequence[tuple[int, int]]) -> Spans:
    """The gaps in characters; two with nothing but space between them are drawn as one."""
    at = list(accumulate(map(len, words), initial=0))
    joined: list[tuple[int, int]] = []
    for start, end in gaps:
        if start == end:
            continue
        if joined and "".join(words[joined[-1][1] : start]).isspace():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple((at[start], at[end]) for start, end in joined)
