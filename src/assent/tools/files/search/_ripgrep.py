"""The ripgrep engine: one run names the files, a second one finds the lines in what we read of them.

ripgrep opens files by their paths, so a folder swapped for a link while it runs could lead it out of
the tree. Nothing that the first run reads is therefore ever shown: it only names files. Those are opened
here, beneath the folder and without following links, and the second run gets their bytes to look through.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assent.tools.files.search._glob import Glob, name_glob
from assent.tools.files.search._lines import shown, worth_a_look
from assent.tools.files.search._pattern import Pattern
from assent.tools.files.search._process import ChildFailed, Deadline, held, started, started_inside, talk
from assent.tools.files.search._tree import MOST_FOLDERS, Reach, Reader, in_order
from assent.tools.files.search._values import Found, Match, Search

_NOTHING_FOUND = 1
_BATCH_STRETCHES = 10_000
_BATCH_BYTES = 32_000_000
_BOTH = (
    "--no-config",
    "--no-messages",
    "--no-unicode",
    "--no-crlf",
    "--no-multiline",
    "--no-mmap",
    "--engine=default",
    "--encoding=none",
    "--color=never",
)
_NAMING = (
    "--no-follow",
    "--hidden",
    "--no-ignore",
    "--files-with-matches",
    "--null",
    # Files of the folder itself are at depth 1.
    f"--max-depth={MOST_FOLDERS + 1}",
)
# A line of more than one byte is not printed: where it is is enough, its bytes are here already.
_PLACING = (
    "--text",
    "--no-heading",
    "--no-filename",
    "--no-line-number",
    "--column",
    "--byte-offset",
    "--max-columns=1",
)


def by_ripgrep(rg: str, wanted: Search, pattern: Pattern, deadline: Deadline) -> Found:
    """What is found in the files that ripgrep names."""
    case = "--ignore-case" if pattern.ignore_case else "--case-sensitive"
    look = [rg, *_BOTH, case, "-e", pattern.source]
    glob = name_glob(wanted.chosen)
    reach = Reach(glob, suffixes=wanted.suffixes, skipped=wanted.skipped)
    paths = in_order(filter(reach.admits, _named(look, wanted, glob, deadline)))
    matches: list[Match] = []
    for batch in _batches(paths, wanted, pattern):
        for match in _matches(look, batch, wanted, most=wanted.max_results - len(matches) + 1, deadline=deadline):
            if len(matches) == wanted.max_results:
                return Found(matches=matches, truncated=True)
            matches.append(match)
    return Found(matches=matches, truncated=False)


def _named(look: Sequence[str], wanted: Search, glob: Glob, deadline: Deadline) -> list[str]:
    """The files ripgrep finds the pattern in: more than are wanted, never fewer, in no order."""
    narrowed = [part for one in _narrowing(glob, wanted) for part in ("-g", one)]
    command = [*look, *_NAMING, f"--max-filesize={wanted.most_bytes}", *narrowed, "--", "."]
    with started_inside(command, folder=wanted.folder) as process:
        out, err = talk(process, b"", deadline)
    _check(process.returncode, err)
    return [os.fsdecode(path.removeprefix(b"./")) for path in out.split(b"\0") if path]


class _Stretch(NamedTuple):
    """Whole lines of a file, from `start` on, as they are now."""

    path: str
    data: bytes
    start: int
    text: bytes
    """With the newline that ends the last of them."""


def _batches(paths: Sequence[str], wanted: Search, pattern: Pattern) -> Iterator[list[_Stretch]]:
    """What is to be looked through, in portions that end when there should be enough of it."""
    reader = Reader(wanted.folder)
    try:
        batch: list[_Stretch] = []
        size = 0
        for path in paths:
            data = reader.read(path, most=wanted.most_bytes) or b""
            for start, end in worth_a_look(data, pattern.needles, ignore_case=pattern.ignore_case):
                batch.append(_Stretch(path, data, start, data[start:end] + b"\n"))
                size += end - start
            if size > _BATCH_BYTES or len(batch) > min(wanted.max_results, _BATCH_STRETCHES):
                yield batch
                batch, size = [], 0
        if batch:
            yield batch
    finally:
        reader.close()


def _matches(
    look: Sequence[str], batch: Sequence[_Stretch], wanted: Search, *, most: int, deadline: Deadline
) -> Iterator[Match]:
    """The first lines that match, in what ripgrep sees as one long text."""
    command = [*look, *_PLACING, f"--max-count={most}", "--", "-"]
    with held(each.text for each in batch) as text, started(command, folder=wanted.folder, stdin=text) as process:
        out, err = talk(process, None, deadline)
    _check(process.returncode, err)
    rest = iter(batch)
    here = next(rest)
    begins, number, counted = 0, 1, 0
    for row in filter(None, out.split(b"\n")):
        column, offset = map(int, row.split(b":", 2)[:2])
        before = here.path
        while offset >= begins + len(here.text):
            begins += len(here.text)
            here = next(rest)
        if here.path != before:
            number, counted = 1, 0
        start = here.start + offset - begins
        number += here.data.count(b"\n", counted, start)
        counted = start
        end = start + here.text.index(b"\n", offset - begins) - (offset - begins)
        content = shown(here.data, start, end, start + column - 1, wanted.context_lines)
        yield Match(path=here.path, line=number, content=content)


def _check(returncode: int, err: bytes) -> None:
    # Unreadable files are an error too, but one that is not spoken of.
    if returncode > _NOTHING_FOUND and err:
        raise ChildFailed(
            f"ripgrep failed: {err.decode('utf-8', 'replace').strip()}. "
            "Install a newer one (pip install 'assent[ripgrep]'), or set search.engine to python."
        )


def _narrowing(glob: Glob, wanted: Search) -> list[str]:
    """Globs that spare ripgrep most of what would be thrown away afterwards."""
    if glob.tails is not None:
        only = [_quoted(tail) if whole else f"*{_quoted(tail)}" for tail, whole in sorted(glob.tails)]
    else:
        only = [f"*{_quoted(suffix)}" for suffix in sorted(wanted.suffixes or ())]
    globs = [*only, *(f"!/{_quoted(path)}" for path in sorted(wanted.skipped))]
    return globs if all(map(_is_text, globs)) else []


def _quoted(text: str) -> str:
    return "".join(one if one.isalnum() or one == "/" or not one.isascii() else f"\\{one}" for one in text)


def _is_text(text: str) -> bool:
    """Whether ripgrep would take it for a glob, which must be valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
