"""What a search answers in the `claude` dialect: lines, files or counts, as grep prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final, Literal

from assent.tools.files._arguments import SearchFiles
from assent.tools.files._results import FoundLine, SearchResult
from assent.tools.files._search import SearchTexts

OutputMode = Literal["content", "files_with_matches", "count"]

_MARK: Final = "--> "


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepFiles(SearchTexts):
    """A search, and how its answer is printed."""

    output_mode: OutputMode
    before: int
    after: int
    line_numbers: bool
    head_limit: int | None


def printed(wanted: SearchFiles, result: SearchResult) -> str:
    """The answer as text; what was left out is said."""
    assert isinstance(wanted, GrepFiles)  # noqa: S101 — the dialect makes no other
    lines = list(_MODES[wanted.output_mode](wanted, result.matches))
    if not lines:
        return "No matches found"
    shown = list(islice(lines, wanted.head_limit))
    is_count = wanted.output_mode == "count"
    if len(shown) < len(lines) or (result.truncated and not is_count):
        shown.append(f"[more than {len(shown)} lines; narrow the search to see the rest]")
    if result.truncated and is_count:
        shown.append(f"[only the first {len(result.matches)} matches are counted; narrow the search to count the rest]")
    return "\n".join(shown)


def _files(_: GrepFiles, matches: Iterable[FoundLine]) -> Iterator[str]:
    return iter(dict.fromkeys(match.path for match in matches))


def _counts(_: GrepFiles, matches: Iterable[FoundLine]) -> Iterator[str]:
    return (f"{path}:{count}" for path, count in Counter(match.path for match in matches).items())


def _content(wanted: GrepFiles, matches: Iterable[FoundLine]) -> Iterator[str]:
    """Every line once, a colon behind what matches and a hyphen behind what is around it."""
    previous: tuple[str, int] | None = None
    for path, found in groupby(matches, key=lambda match: match.path):
        for number, (text, is_match) in sorted(_around(wanted, found).items()):
            if (wanted.before or wanted.after) and previous is not None and previous != (path, number - 1):
                yield "--"
            previous = path, number
            sign = ":" if is_match else "-"
            yield f"{path}{sign}{f'{number}{sign}' if wanted.line_numbers else ''}{text}"


def _around(wanted: GrepFiles, matches: Iterable[FoundLine]) -> dict[int, tuple[str, bool]]:
    """The lines of one file by number, each with whether it matches."""
    lines: dict[int, tuple[str, bool]] = {}
    for match in matches:
        shown = match.content.split("\n")
        if not wanted.context_lines:
            lines |= {match.line + index: (line, True) for index, line in enumerate(shown)}
            continue
        marked = [index for index, line in enumerate(shown) if line.startswith(_MARK)]
        first, last = marked[0], marked[-1]
        for index in range(max(0, first - wanted.before), min(len(shown), last + wanted.after + 1)):
            number, is_match = match.line + index - first, first <= index <= last
            if is_match or number not in lines:
                lines[number] = shown[index][len(_MARK) :], is_match
    return lines


_MODES: Final = {"content": _content, "files_with_matches": _files, "count": _counts}
