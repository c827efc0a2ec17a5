r"""Sets of characters, and how to say them to an engine that sees bytes.

A newline is in a set only where a match may go over several lines. A set that holds every character beyond
ASCII (`.`, `[^"]`, `\W`) is lenient. On valid UTF-8 it takes exactly one whole character; in other text
it also takes a byte from 0xC0 on, such as a Latin-1 letter, and repeated without an upper bound it
passes over any further bytes, so that `a.*b` works there too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

Range: TypeAlias = tuple[int, int]

NEWLINE = ord("\n")
LAST = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
_ASCII = 0x7F
_LENGTHS = ((0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, LAST))


@dataclass(frozen=True, slots=True)
class Characters:
    """Code points, as sorted ranges that do not touch; never a surrogate."""

    ranges: tuple[Range, ...]

    @classmethod
    def of(cls, ranges: Iterable[Range], *, negated: bool = False, newline: bool = False) -> Characters:
        """What the ranges hold, or everything else; without `newline`, that is in neither."""
        never = [SURROGATES] if newline else [SURROGATES, (NEWLINE, NEWLINE)]
        outside = _outside(_merged([*ranges, *never]))
        return cls(outside if negated else _outside(_merged([*_outside(_merged(ranges)), *never])))

    def folded(self) -> Characters:
        """With the other case of each of its ASCII letters."""
        swapped = [ord(letter.swapcase()) for letter in _LETTERS if self.holds(ord(letter))]
        both = [*self.ranges, *((point, point) for point in swapped)]
        return Characters.of(both, newline=self.holds(NEWLINE))

    def holds(self, point: int) -> bool:
        """Whether this code point is in the set."""
        return any(low <= point <= high for low, high in self.ranges)

    @property
    def lenient(self) -> bool:
        """Whether every character beyond ASCII is in the set."""
        return not _outside(_merged([*self.ranges, SURROGATES, (0, _ASCII)]))

    def spelled(self) -> str:
        """The set as a regular expression over bytes that takes one whole character."""
        plain = self._ascii()
        if not plain or self.ranges[-1][1] > _ASCII:
            return f"(?:{'|'.join([*([byte_class(plain)] if plain else []), *self._beyond_ascii()])})"
        return byte_class(plain)

    def spelled_bytes(self) -> str:
        """A lenient set as one byte, for a repetition without an upper bound."""
        return byte_class([*self._ascii(), (_ASCII + 1, 0xFF)])

    def _ascii(self) -> list[Range]:
        return [(low, min(high, _ASCII)) for low, high in self.ranges if low <= _ASCII]

    def _beyond_ascii(self) -> list[str]:
        if self.lenient:
            return [r"[\xc0-\xff][\x80-\xbf]{0,3}"]
        sequences = [sequence for low, high in self.ranges for sequence in _sequences(low, high)]
        return ["".join(byte_class([one]) for one in sequence) for sequence in sequences]


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS: tuple[Range, ...] = ((0x30, 0x39),)
WORD: tuple[Range, ...] = (*DIGITS, (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: tuple[Range, ...] = ((0x09, 0x0D), (0x20, 0x20))
CLASSES = {"d": DIGITS, "w": WORD, "s": SPACE}
"""What `\\d`, `\\w` and `\\s` stand for: ASCII only, since the engines' tables of Unicode differ."""


def byte_class(ranges: Iterable[Range]) -> str:
    """One byte out of these."""
    merged = _merged(ranges)
    if len(merged) == 1 and merged[0][0] == merged[0][1]:
        return escaped(merged[0][0])
    return f"[{''.join(escaped(low) if low == high else f'{escaped(low)}-{escaped(high)}' for low, high in merged)}]"


def escaped(byte: int) -> str:
    """A byte in a pattern, the same in both engines."""
    character = chr(byte)
    return character if byte <= _ASCII and character.isalnum() else f"\\x{byte:02x}"


def _merged(ranges: Iterable[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return tuple(merged)


def _outside(merged: tuple[Range, ...]) -> tuple[Range, ...]:
    ends = [-1, *(high for _, high in merged)]
    starts = [*(low for low, _ in merged), LAST + 1]
    return tuple((end + 1, start - 1) for end, start in zip(ends, starts, strict=True) if end + 1 <= start - 1)


def _sequences(low: int, high: int) -> Iterator[list[Range]]:
    """The UTF-8 of the characters from `low` to `high` beyond ASCII, byte by byte."""
    for first, last in _LENGTHS:
        start, end = max(low, first), min(high, last)
        if start <= end:
            yield from _between(chr(start).encode(), chr(end).encode())


def _between(low: bytes, high: bytes) -> Iterator[list[Range]]:
    """All byte strings from `low` to `high`, which are of one length."""
    first, last, rest = low[0], high[0], len(low) - 1
    if not rest:
        yield [(first, last)]
        return
    lowest, highest = b"\x80" * rest, b"\xbf" * rest
    if first == last:
        yield from ([(first, first), *others] for others in _between(low[1:], high[1:]))
        return
    if low[1:] != lowest:
        yield from ([(first, first), *others] for others in _between(low[1:], highest))
        first += 1
    if high[1:] != highest:
        yield from ([(last, last), *others] for others in _between(lowest, high[1:]))
        last -= 1
    if first <= last:
        yield [(first, last), *([(0x80, 0xBF)] * rest)]
