"""Parts of a pattern, and how they come together: what the parser builds with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assent.errors import InvalidPattern
from assent.tools.files.search._characters import Characters

MOST_SIZE = 20_000
"""How large a pattern may become when its repetitions are written out; ripgrep has a limit too."""
MOST_NEEDLES = 16

LINE_START = "^"
LINE_END = r"(?:\x0d?$)"
_EVERY = Characters.of([], negated=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a pattern, written anew."""

    source: str = ""
    size: int = 1
    literal: bytes | None = None
    """The bytes it stands for, if it is plain."""
    needles: tuple[bytes, ...] = ()
    characters: Characters | None = None
    repeatable: bool = True
    anything: bool = False
    """It takes any run of characters, also none."""
    choices: int = 0
    """How often, at most, it can be taken in another way when what follows does not fit."""


def joined(branches: Sequence[Sequence[Piece]]) -> Piece:
    """One of these branches; each is one piece after the other."""
    size = sum(piece.size for branch in branches for piece in branch) + len(branches)
    if size > MOST_SIZE:
        raise InvalidPattern("The pattern becomes too large when its repetitions are written out; repeat less.")
    each = [_best_needles(branch) for branch in branches]
    together = tuple(dict.fromkeys(needle for needles in each for needle in needles))
    known = all(each) and len(together) <= MOST_NEEDLES
    source = "|".join("".join(piece.source for piece in branch) for branch in branches)
    choices = max(sum(piece.choices for piece in branch) for branch in branches) + len(branches) - 1
    return Piece(source=source, size=size, needles=together if known else (), choices=choices)


def every_needle(branch: Sequence[Piece]) -> tuple[tuple[bytes, ...], ...]:
    """What every match of the branch holds: one of the first, one of the second, and so on."""
    return tuple(dict.fromkeys(_known_needles(branch)))


def repeated(piece: Piece, least: int, most: int | None, *, lazy: bool) -> Piece:
    """The piece again and again; if it is lenient and there is no upper bound, over any bytes."""
    size = piece.size * (most if most is not None else least + 1) + 1
    # A choice that is made again and again is beyond all bounds.
    choices = piece.choices * MOST_SIZE + (least != most)
    needles = piece.needles if least else ()
    mark = "?" if lazy else ""
    characters = piece.characters
    if characters is None or not characters.lenient or most is not None:
        return Piece(
            source=f"{_grouped(piece)}{_times(least, most)}{mark}", size=size, needles=needles, choices=choices
        )
    # It begins with whole characters; otherwise two runs could share the bytes of one.
    first = f"{characters.spelled()}{'' if least == 1 else f'{{{least}}}'}" if least else ""
    source = f"{first}{characters.spelled_bytes()}*"
    return Piece(source=source + mark, size=size, anything=not least and characters == _EVERY, choices=choices)


def without_margins(branch: Sequence[Piece]) -> list[Piece]:
    """Without what is at the margins and takes anything: it changes no answer, and costs Python dearly."""
    pieces = _trimmed(branch, LINE_START)
    return _trimmed(pieces[::-1], LINE_END)[::-1]


def _trimmed(branch: Sequence[Piece], edge: str) -> list[Piece]:
    pieces = list(branch)
    while pieces and (pieces[0].anything or (pieces[0].source == edge and len(pieces) > 1 and pieces[1].anything)):
        del pieces[0]
    return pieces


def _grouped(piece: Piece) -> str:
    """What a repetition sign can stand behind."""
    whole = piece.characters is not None or piece.source.startswith("(?") or len(piece.literal or b"") == 1
    return piece.source if whole else f"(?:{piece.source})"


def _times(least: int, most: int | None) -> str:
    short: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    return short.get((least, most)) or f"{{{least},{'' if most is None else most}}}"


def _best_needles(branch: Sequence[Piece]) -> tuple[bytes, ...]:
    """The longest thing that is in every match of the branch."""
    return max(_known_needles(branch), key=lambda needles: min(map(len, needles)), default=())


def _known_needles(branch: Sequence[Piece]) -> list[tuple[bytes, ...]]:
    """What is in every match of the branch; plain neighbours are one thing."""
    found: list[tuple[bytes, ...]] = []
    run = b""
    for piece in branch:
        if piece.literal is not None and piece.needles:
            run += piece.needles[0]
        else:
            found += [(run,), piece.needles]
            run = b""
    found.append((run,))
    return [needles for needles in found if needles and all(needles)]
