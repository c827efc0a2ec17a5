"""Files that nobody would write, made to be as much work as possible; as many lines as one likes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

Pair: TypeAlias = tuple[bytes, bytes]


def _joined(line: Callable[[int], bytes], count: int) -> bytes:
    return b"".join(map(line, range(count)))


def few_kinds(count: int) -> Pair:
    kinds = bytes(b"ab\n"[number % 3] for number in range(256))
    chance = random.Random(1)  # noqa: S311 — no secret
    old, new = (chance.randbytes(3 * count).translate(kinds) for _ in range(2))
    return old, new


def every_second(count: int) -> Pair:
    old = _joined(lambda at: b"p%d\n" % at if at % 2 else b"\n", count)
    return old, old.replace(b"p", b"q")


def every_21st(count: int) -> Pair:
    old = _joined(lambda at: b"%d\n" % (at % 10), count)
    return old, _joined(lambda at: b"x\n" if at % 21 == 0 else b"%d\n" % (at % 10), count)


def shuffled(count: int) -> Pair:
    lines = [b"%d\n" % at for at in range(count)]
    others = random.Random(2).sample(lines, count)  # noqa: S311 — no secret
    return b"".join(lines), b"".join(others)


def all_different(count: int) -> Pair:
    return _joined(lambda at: b"%d\n" % at, count), _joined(lambda at: b"-%d\n" % at, count)


def endless_anchors(count: int) -> Pair:
    """Taking out one anchor makes the next."""
    old = _joined(lambda at: b"%d\n%d\n" % (at + 1, at), count // 2)
    return old, _joined(lambda at: b"-%d\n%d\n%d\n" % (at, at + 1, at), count // 2)


def one_more_in_runs(count: int) -> Pair:
    """What is put in could stand in sixty places."""
    old = _joined(lambda at: b"\n" * 60 + b"%d\n" % at, count // 60)
    return old, _joined(lambda at: b"\n" * 61 + b"%d\n" % at, count // 60)


def one_less_in_runs(count: int) -> Pair:
    old, new = one_more_in_runs(count)
    return new, old


HOSTILE: dict[str, Callable[[int], Pair]] = {
    make.__name__.replace("_", " "): make
    for make in (
        few_kinds,
        every_second,
        every_21st,
        shuffled,
        all_different,
        endless_anchors,
        one_more_in_runs,
        one_less_in_runs,
    )
}
