"""What replacing texts makes of a file: exact matches, exact bytes, or a clear no."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from assent.diff import Diff, Edit, diff, splice, suggest
from assent.errors import EditNotFoundError, EditNotUniqueError, InvalidArguments
from assent.tools.files._arguments import EveryReplacement, Replacement
from assent.tools.files._text import Encoding, encoding_of, line_count

_MOST_LINES: Final = 20
_MOST_MATCHES: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a dialect calls the things that an error speaks of."""

    find: str = "find"
    replace: str = "replace"
    item: str = "patch"
    write_file: str = "write_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A file before and after, and the difference."""

    before: bytes
    after: bytes
    diff: Diff
    matches: int
    """How many texts are replaced."""
    first: int
    """Where the first match begins, in bytes."""
    last: int
    """Where it ends."""

    @property
    def line(self) -> int:
        """The line of the first match."""
        return self.before.count(b"\n", 0, self.first) + 1

    @property
    def lines_changed(self) -> int:
        """The lines that come or the lines that go, whichever are more."""
        return max(self.diff.added, self.diff.removed)


def plan_edit(data: bytes, shown: str, wanted: Replacement, terms: Terms) -> Plan:
    """Replace one text, or all of its occurrences.

    Raises:
        FileError: it is not there, or more than once.
        InvalidArguments: there is nothing to replace, or no way to spell it.
    """
    edits = _edits(data, shown, wanted, terms, encoding_of(data))
    change = splice(data, edits)
    return Plan(
        before=data,
        after=_applied(data, edits),
        diff=change,
        matches=len(edits),
        first=edits[0].start,
        last=edits[0].end,
    )


def plan_patches(data: bytes, shown: str, patches: Sequence[Replacement], terms: Terms) -> Plan:
    """Replace several texts, each in what the one before it left; all of them or none.

    Raises:
        FileError: a text is not there, or more than once; the message says which.
        InvalidArguments: there is nothing to replace, or no way to spell it.
    """
    after, matches, encoding = data, 0, encoding_of(data)
    for number, wanted in enumerate(patches, start=1):
        which = f"{terms.item} {number} of {len(patches)}: "
        edits = _edits(after, shown, wanted, terms, encoding, which=which)
        after, matches = _applied(after, edits), matches + len(edits)
    change = diff(data, after)
    first = change.hunks[0] if change.hunks else None
    start, end = (first.start, first.end) if first else (0, 0)
    return Plan(before=data, after=after, diff=change, matches=matches, first=start, last=end)


def _edits(
    data: bytes, shown: str, wanted: Replacement, terms: Terms, encoding: Encoding | None, *, which: str = ""
) -> list[Edit]:
    if not wanted.find:
        raise InvalidArguments(f"{which}{terms.find} is empty; give the exact text to replace in {shown}")
    if wanted.find == wanted.replace:
        same = f"{terms.find} and {terms.replace} are the same"
        raise InvalidArguments(f"{which}{same}, so {shown} would not change")
    old, new = _spelled(data, shown, wanted, terms, encoding)
    places = list(islice(_occurrences(data, old), _MOST_MATCHES + 1))
    if not places:
        raise EditNotFoundError(which + _not_found(data, shown, old, terms))
    if len(places) > 1 and not isinstance(wanted, EveryReplacement):
        offer = "Use replace_all=True or provide" if terms.find == "old_string" else "Provide"
        raise EditNotUniqueError(f"{which}Found {_found(data, old, places, terms)}. {offer} {_where(data, places)}")
    if any(after - before < len(old) for before, after in pairwise(places)):
        unclear = "that overlap, so it is unclear which to replace"
        found = _found(data, old, places, terms)
        raise EditNotUniqueError(f"{which}Found {found} {unclear}. Provide {_where(data, places)}")
    if len(places) > _MOST_MATCHES:
        found = _found(data, old, places, terms)
        most = f"at most {_MOST_MATCHES} are replaced at once"
        raise EditNotUniqueError(f"{which}Found {found}; {most}. Write the file with {terms.write_file} instead.")
    return [Edit(start=place, end=place + len(old), replacement=new) for place in places]


def _found(data: bytes, old: bytes, places: Sequence[int], terms: Terms) -> str:
    number = len(places) if len(places) <= _MOST_MATCHES else data.count(old)
    return f"{number} matches for {terms.find}"


def _where(data: bytes, places: Sequence[int]) -> str:
    return f"more context. Matches at lines: {_lines(data, places)}"


def _occurrences(data: bytes, wanted: bytes) -> Iterator[int]:
    """Where the text is, also where it overlaps itself."""
    place = data.find(wanted)
    while place >= 0:
        yield place
        place = data.find(wanted, place + 1)


def _applied(data: bytes, edits: Sequence[Edit]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for edit in edits:
        parts += data[at : edit.start], edit.replacement
        at = edit.end
    return b"".join([*parts, data[at:]])


def _spelled(
    data: bytes, shown: str, wanted: Replacement, terms: Terms, encoding: Encoding | None
) -> tuple[bytes, bytes]:
    """Both texts in the encoding of the file, so that the bytes around them need not change."""
    old, new = wanted.find.encode(), wanted.replace.encode()
    match encoding:
        case "utf-8":
            return old, new
        case "latin-1":
            single = _single_byte(old, wanted.find)
            if single == old or old not in data:
                return single, _in_latin_1(shown, wanted.replace)
            if single not in data:
                return old, new
            raise EditNotUniqueError(
                f"{terms.find} is in {shown} both as UTF-8 and in a single-byte encoding; provide more context"
            )
        case "utf-16" | None as kind:
            what = "UTF-16 text" if kind else "not text"
            raise InvalidArguments(
                f"{shown} is {what}; only UTF-8 and single-byte files can be edited in part. "
                f"Write the whole file with {terms.write_file} instead."
            )


def _single_byte(utf_8: bytes, text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return utf_8  # no byte stands for it, so it will not be found


def _in_latin_1(shown: str, text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError as error:
        raise InvalidArguments(
            f"{shown} is not UTF-8 but a single-byte file, which cannot hold {text[error.start : error.end]!r}"
        ) from error


def _not_found(data: bytes, shown: str, wanted: bytes, terms: Terms) -> str:
    near = ", ".join(
        f"{json.dumps(each.text, ensure_ascii=False)} (line {each.line})" for each in suggest(data, wanted)
    )
    words = f"{terms.find} not found in {shown}. File contains {line_count(data)} lines."
    return f"{words} Did you mean: {near}?" if near else words


def _lines(data: bytes, places: Sequence[int]) -> str:
    """The lines the places are in, the first twenty of them."""
    lines: dict[int, None] = {}
    line, at = 1, 0
    for place in places:
        line, at = line + data.count(b"\n", at, place), place
        lines[line] = None
    more = len(lines) - _MOST_LINES
    return ", ".join(map(str, islice(lines, _MOST_LINES))) + (f" and {more} more" if more > 0 else "")
