r"""Lines in bytes: they end at b"\n" and at nothing else, and keep it."""

from __future__ import annotations

from io import BytesIO
from itertools import islice
from typing import AnyStr

_STRIDE = 64


def split_lines(data: bytes) -> list[bytes]:
    """Every line with its newline; only the last one may have none."""
    return BytesIO(data).readlines()


def lines_at(data: bytes, at: int, most: int) -> list[bytes]:
    """Up to `most` lines from `at` on, each with its newline; the others are not looked at."""
    stream = BytesIO(data)  # shares the bytes, copies nothing
    stream.seek(at)
    return list(islice(stream, most))


def line_start(data: bytes, at: int) -> int:
    """Where the line begins that the byte at `at` belongs to."""
    return data.rfind(b"\n", 0, at) + 1


def line_end(data: bytes, at: int) -> int:
    """Where the line ends that the byte at `at` belongs to, its newline included."""
    return data.find(b"\n", at) + 1 or len(data)


def count_lines(data: bytes) -> int:
    """How many lines there are, a last one without its newline included."""
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def lines_before(data: bytes, at: int, most: int) -> tuple[int, int]:
    """Where up to `most` lines before the line that starts at `at` begin, and how many they are."""
    count = 0
    while count < most and at > 0:
        at = data.rfind(b"\n", 0, at - 1) + 1
        count += 1
    return at, count


def lines_after(data: bytes, at: int, most: int) -> tuple[int, int]:
    """Where up to `most` lines from `at` on end, and how many they are."""
    count = 0
    while count < most and at < len(data):
        at = data.find(b"\n", at) + 1 or len(data)
        count += 1
    return at, count


def lines_below(text: AnyStr, at: int, count: int, newline: AnyStr) -> int:
    """Where the line begins that stands `count` lines below the one at `at`; the end, if there is none.

    Newlines are counted in strides, which double up to the line and are halved behind it: there may be millions.
    """
    stride, beyond = _STRIDE if count else 0, False
    while stride:
        passed = text.count(newline, at, at + stride)
        if passed < count and at + stride < len(text):
            at, count = at + stride, count - passed
            stride *= 1 if beyond else 2
        else:
            beyond = True
            stride //= 2
    return min(at + (count > 0), len(text))
