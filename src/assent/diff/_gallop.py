"""How much two sequences have in common at their ends, found in strides instead of steps.

To compare two slices is one call at the speed of memory, so a stride costs hardly more than a step.
Strides double while the slices agree; the one that fails holds the first difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from assent.diff._lines import line_end, line_start

_STRIDE = 1 << 8
_LONGEST = 1 << 16


def common_head(old: bytes, i: int, new: bytes, j: int) -> int:
    """How many bytes agree from `old[i]` and `new[j]` on."""
    most = min(len(old) - i, len(new) - j)
    at, size = 0, min(_STRIDE, most)
    while (left := old[i + at : i + at + size]) == (right := new[j + at : j + at + size]) and size:
        at += size
        size = min(2 * size, _LONGEST, most - at)
    return at + _agreeing_bytes(left, right, "big")


def common_tail(old: bytes, i: int, new: bytes, j: int) -> int:
    """How many bytes agree at the very end, without those before `old[i]` and `new[j]`."""
    most = min(len(old) - i, len(new) - j)
    i, j = len(old), len(new)
    at, size = 0, min(_STRIDE, most)
    while (left := old[i - at - size : i - at]) == (right := new[j - at - size : j - at]) and size:
        at += size
        size = min(2 * size, _LONGEST, most - at)
    return at + _agreeing_bytes(left, right, "little")


def common_lines(old: bytes, new: bytes) -> tuple[int, int]:
    """How many bytes agree at the head and then at the tail, in whole lines."""
    head = line_start(old, common_head(old, 0, new, 0))
    tail = common_tail(old, head, new, head)
    if not (_is_line_start(old, len(old) - tail) and _is_line_start(new, len(new) - tail)):
        tail = len(old) - line_end(old, len(old) - tail)
    return head, tail


def _is_line_start(data: bytes, at: int) -> bool:
    return data.endswith(b"\n", 0, at) or at == 0


def _agreeing_bytes(left: bytes, right: bytes, order: Literal["big", "little"]) -> int:
    """How many bytes agree at the end where the big digits are.

    Read as numbers, equal digits cancel out in an exclusive or; what is left begins at the difference.
    """
    differing = int.from_bytes(left, order) ^ int.from_bytes(right, order)
    return len(left) - (differing.bit_length() + 7) // 8


def common_prefix(old: Sequence[object], i: int, new: Sequence[object], j: int, *, most: int) -> int:
    """How many items agree from `old[i]` and `new[j]` on, up to `most`."""
    if most <= 0 or old[i] != new[j]:
        return 0
    return _gallop(most, lambda at, size: old[i + at : i + at + size] == new[j + at : j + at + size])


def common_suffix(old: Sequence[object], i: int, new: Sequence[object], j: int, *, most: int) -> int:
    """How many items agree before `old[i]` and `new[j]`, up to `most`."""
    if most <= 0 or old[i - 1] != new[j - 1]:
        return 0
    return _gallop(most, lambda at, size: old[i - at - size : i - at] == new[j - at - size : j - at])


def _gallop(most: int, agree: Callable[[int, int], bool]) -> int:
    """The length of the agreement, if `agree(at, size)` compares `size` items that begin at `at`.

    The first item is known to agree. In a stride that failed, halves are tried.
    """
    at = size = 1
    while at + size <= most and agree(at, size):
        at += size
        size *= 2
    while size := size // 2:
        if at + size <= most and agree(at, size):
            at += size
    return at
