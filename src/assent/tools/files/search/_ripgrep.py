"""The ripgrep engine: one run names the files, a second one finds the lines in what we read of them.

A few short lines and a pattern with which nothing can take long need no second run: Python looks at them
faster than a process starts. Matches over several lines are found in those files by the Python engine.

ripgrep opens files by their paths, so a folder swapped for a link while it runs could lead it out of
the tree. Nothing that the first run reads is therefore ever shown: it only names files. Those are opened
here, beneath the folder and without following links, and the second run gets their bytes to look through.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assent.tools.files.search._answer import Room, answer, first_of_each
from assent.tools.files.search._glob import Glob, name_glob
from assent.tools.files.search._lines import Lines
from assent.tools.files.search._pattern import Pattern
from assent.tools.files.search._process import ChildFailed, Deadline, held, printed, started, started_inside, talk
from assent.tools.files.search._python import by_python
from assent.tools.files.search._stretches import Stretch, Stretches
from assent.tools.files.search._tree import MOST_FOLDERS, Limit, Reach, Reader, in_order
from assent.tools.files.search._values import Found, Search, found

if TYPE_CHECKING:
    from assent.tools.files.search._answer import Seen

_NOTHING_FOUND = 1
_BATCH_STRETCHES = 10_000
_BATCH_BYTES = 32_000_000
_QUICK = 50_000_000
"""What Python may have to try, at worst: a quarter of a second."""
BOTH = (
    "--no-config",
    "--no-messages",
    "--no-unicode",
    "--no-crlf",
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
    lines = "--multiline" if wanted.multiline else "--no-multiline"
    look = [rg, *BOTH, case, lines, "-e", pattern.source]
    if wanted.multiline:
        # ripgrep does not say where one match ends and the next one begins, and a match could go on into
        # the next file of a long text.
        paths = _named(look, wanted, deadline)
        return by_python(wanted, pattern, deadline, paths=paths) if paths else Found(matches=[], truncated=False)
    reader = Reader(wanted.folder)
    try:
        limit = Limit(wanted.most_bytes, wanted.nested_bytes)
        stretches = Stretches(reader, pattern, limit=limit, context_lines=wanted.context_lines)
        paths = _named(look, wanted, deadline, ahead=stretches.ahead)
        batches = _batches(paths, stretches, wanted, deadline)
        seen = _seen(look, pattern, batches, wanted, deadline)
        shown = first_of_each(seen) if wanted.first_only else seen
        return found(answer(shown, context_lines=wanted.context_lines, room=Room(wanted.max_results)))
    finally:
        reader.close()


def _named(
    look: Sequence[str], wanted: Search, deadline: Deadline, ahead: Callable[[str], None] | None = None
) -> list[str]:
    """The files ripgrep finds the pattern in, sorted; `ahead` is called for each as soon as it is known."""
    glob = name_glob(wanted.chosen)
    reach = Reach(glob, suffixes=wanted.suffixes, nested=wanted.nested)
    narrowed = [part for one in _narrowing(glob, wanted) for part in ("-g", one)]
    command = [*look, *_NAMING, f"--max-filesize={wanted.most_bytes}", *narrowed, "--", "."]
    paths: list[str] = []
    rest, errors = b"", bytearray()
    with started_inside(command, folder=wanted.folder) as process:
        for piece in printed(process, errors, deadline):
            *names, rest = (rest + piece).split(b"\0")
            for path in (os.fsdecode(name.removeprefix(b"./")) for name in names):
                if reach.admits(path):
                    paths.append(path)
                    if ahead:
                        ahead(path)
    _check(process.returncode, errors)
    return in_order(paths)


def _batches(paths: Sequence[str], stretches: Stretches, wanted: Search, deadline: Deadline) -> Iterator[list[Stretch]]:
    """What is to be looked through, in portions that end when there should be enough of it."""
    batch: list[Stretch] = []
    size = 0
    for path in paths:
        deadline.check()
        cut = stretches.of(path)
        batch += cut
        size += sum(len(each.text) for each in cut)
        if size > _BATCH_BYTES or len(batch) > min(wanted.max_results, _BATCH_STRETCHES):
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _seen(
    look: Sequence[str], pattern: Pattern, batches: Iterable[Sequence[Stretch]], wanted: Search, deadline: Deadline
) -> Iterator[Seen]:
    """The lines that match."""
    for batch in batches:
        for each in _by_hand(batch, pattern) if _is_quick(batch, pattern) else _placed(look, batch, wanted, deadline):
            deadline.check()
            yield each


def _is_quick(batch: Sequence[Stretch], pattern: Pattern) -> bool:
    """Whether Python cannot take long for it, whatever it has to try."""
    return pattern.effort is not None and pattern.effort * sum(len(each.text) ** 2 for each in batch) < _QUICK


def _by_hand(batch: Sequence[Stretch], pattern: Pattern) -> Iterator[Seen]:
    """What Python finds."""
    lines = Lines(pattern.source.encode("ascii"), ignore_case=pattern.ignore_case, needles=pattern.needles)
    for each in batch:
        for place in lines.within(each.data, each.start, each.start + len(each.text) - 1):
            yield each.path, each.data, (each.start, each.line), place


def _placed(look: Sequence[str], batch: Sequence[Stretch], wanted: Search, deadline: Deadline) -> Iterator[Seen]:
    """What ripgrep finds in what it sees as one long text."""
    # One more than is wanted, so that it is known whether there are more.
    enough = [] if wanted.first_only else [f"--max-count={wanted.max_results + 1}"]
    command = [*look, *_PLACING, *enough, "--", "-"]
    with held(each.text for each in batch) as text, started(command, folder=wanted.folder, stdin=text) as process:
        out, err = talk(process, None, deadline)
    _check(process.returncode, err)
    rest = iter(batch)
    here = next(rest)
    begins = 0
    for row in filter(None, out.split(b"\n")):
        column, offset = map(int, row.split(b":", 2)[:2])
        while offset >= begins + len(here.text):
            begins += len(here.text)
            here = next(rest)
        start = here.start + offset - begins
        end = start + here.text.index(b"\n", offset - begins) - (offset - begins)
        yield here.path, here.data, (here.start, here.line), (start, end, start + column - 1)


def _check(returncode: int, err: bytes | bytearray) -> None:
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
        everywhere = [wanted.suffixes, *wanted.nested.values()]
        known = [suffix for suffixes in everywhere for suffix in suffixes or ()]
        only = [] if None in everywhere else [f"*{_quoted(suffix)}" for suffix in sorted(set(known))]
    return only if all(map(_is_text, only)) else []


def _quoted(text: str) -> str:
    return "".join(one if one.isalnum() or one == "/" or not one.isascii() else f"\\{one}" for one in text)


def _is_text(text: str) -> bool:
    """Whether ripgrep would take it for a glob, which must be valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
