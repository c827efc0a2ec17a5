r"""Lines in bytes: they end at b"\n" and at nothing else, and keep it."""

from __future__ import annotations

from io import BytesIO


def split_lines(data: bytes) -> list[bytes]:
    """Every line with its newline; only the last one may have none."""
    return BytesIO(data).readlines()


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
        at = line_start(data, at - 1)
        count += 1
    return at, count


def lines_after(data: bytes, at: int, most: int) -> tuple[int, int]:
    """Where up to `most` lines from `at` on end, and how many they are."""
    count = 0
    while count < most and at < len(data):
        at = line_end(data, at)
        count += 1
    return at, count
