"""Syntax tokens of a few lines, by pygments, in a handful of kinds that every UI can colour."""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import accumulate
from typing import Literal, Protocol

from assent.diff._budget import Budget

TokenKind = Literal["keyword", "name", "builtin", "string", "number", "comment", "operator"]

_LONGEST_LINE = 1_000
"""Longer lines are data, not code, and lexers are slow on them."""

# pygments names its kinds by their ancestors. What is not here (punctuation, plain names) needs no colour.
_KINDS: dict[tuple[str, ...], TokenKind] = {
    ("Comment",): "comment",
    ("Generic", "Heading"): "keyword",
    ("Generic", "Subheading"): "keyword",
    ("Keyword",): "keyword",
    ("Literal", "Number"): "number",
    ("Literal", "String"): "string",
    ("Name", "Attribute"): "name",
    ("Name", "Builtin"): "builtin",
    ("Name", "Class"): "name",
    ("Name", "Constant"): "builtin",
    ("Name", "Decorator"): "name",
    ("Name", "Exception"): "builtin",
    ("Name", "Function"): "name",
    ("Name", "Tag"): "name",
    ("Operator",): "operator",
    ("Operator", "Word"): "keyword",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """From character `start` up to `end` of a line stands something of this kind."""

    start: int
    end: int
    kind: TokenKind


class _Lexer(Protocol):
    """All that is used of pygments, which has no types of its own."""

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, tuple[str, ...], str]]: ...


def tokens(name: str, lines: Sequence[str], budget: Budget) -> list[tuple[Token, ...]]:
    """The tokens of each line, read as a piece of the file with this name; none in an unknown language.

    Each token takes a step of the budget; what it does not reach to has no colour.
    """
    lexer = _lexer(name)
    if lexer is None:
        return [()] * len(lines)
    # One character for another: the numbers must stay right, and a lexer should not see odd line ends.
    shown = [line.replace("\r", " ") if len(line) <= _LONGEST_LINE else "" for line in lines]
    try:
        return _by_line(lexer, shown, budget)
    except Exception:  # noqa: BLE001 — colour is decoration: a lexer that breaks takes nothing else with it
        return [()] * len(lines)


@lru_cache(maxsize=64)
def _lexer(name: str) -> _Lexer | None:
    lexers = import_module("pygments.lexers")
    base = posixpath.basename(name)
    wanted = {base, f"*{posixpath.splitext(base)[1]}"}
    known = [title for _, title, _, patterns, _ in lexers.LEXERS.values() if wanted.intersection(patterns)]
    if len(known) == 1:
        # Asked by the file's name, pygments would first look for plugins in every installed package.
        only: _Lexer = lexers.find_lexer_class(known[0])()
        return only
    nothing_known: type[Exception] = import_module("pygments.util").ClassNotFound
    try:
        lexer: _Lexer = lexers.get_lexer_for_filename(name)
    except nothing_known:
        return None
    return lexer


def _by_line(lexer: _Lexer, lines: Sequence[str], budget: Budget) -> list[tuple[Token, ...]]:
    found: list[list[Token]] = [[] for _ in lines]
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    for start, kind, end in _coloured(lexer, "".join(f"{line}\n" for line in lines), budget):
        number = bisect_right(starts, start) - 1
        while number < len(lines) and starts[number] < end:
            first, last = max(start - starts[number], 0), min(end - starts[number], len(lines[number]))
            if first < last:
                found[number].append(Token(start=first, end=last, kind=kind))
            number += 1
    return [tuple(line) for line in found]


def _coloured(lexer: _Lexer, text: str, budget: Budget) -> Iterator[tuple[int, TokenKind, int]]:
    """Where each token starts, what it is and where it ends; neighbours of one kind are one."""
    start = end = 0
    last: TokenKind | None = None
    for at, ancestors, value in lexer.get_tokens_unprocessed(text):
        if not budget.take(1):
            break
        kind: TokenKind | None = next((_KINDS[key] for size in (2, 1) if (key := ancestors[:size]) in _KINDS), None)
        if kind == last and at == end:
            end = at + len(value)
            continue
        if last:
            yield start, last, end
        start, end, last = at, at + len(value), kind
    if last:
        yield start, last, end
