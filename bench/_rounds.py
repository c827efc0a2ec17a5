"""Interleaved rounds: what is compared is measured in turns, so that a busy machine slows all alike."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from statistics import median

Measure = Callable[[], float]
"""Runs a short burst and returns the seconds one call of it took."""
Rounds = Mapping[str, Sequence[float]]
"""What each measure returned, round by round."""

_BLOCKS = 5


def interleave(measures: Mapping[str, Measure], *, rounds: int, warm_up: int = 2) -> dict[str, list[float]]:
    """Every measure once a round, each round in another order; the first rounds are thrown away."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    # What is loaded by now is no part of what is measured; without it, a full collection is short.
    gc.collect()
    gc.freeze()
    order = list(measures)
    for number in range(-warm_up, rounds):
        _progress(max(number, 0), rounds)
        random.shuffle(order)
        for name in order:
            gc.collect()
            seconds = measures[name]()
            if number >= 0:
                taken[name].append(seconds)
    _progress(rounds, rounds)
    gc.unfreeze()
    return taken


def above(rounds: Rounds, name: str, base: str) -> list[float]:
    """What `name` takes more than `base`, within each round."""
    return [one - other for one, other in zip(rounds[name], rounds[base], strict=True)]


def times(rounds: Rounds, name: str, base: str) -> list[float]:
    """How many times as long as `base` it takes, within each round."""
    return [one / other for one, other in zip(rounds[name], rounds[base], strict=True)]


def quietest(values: Sequence[float]) -> float:
    """The lowest median of any fifth of the rounds: what was seen while the machine was least disturbed."""
    size = max(1, len(values) // _BLOCKS)
    return min(median(values[start : start + size]) for start in range(0, len(values) - size + 1, size))


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r  round {done} of {of} ", end="\n" if done == of else "", file=sys.stderr, flush=True)
