"""Listing the files of a folder by glob, each with its size and time."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from stat import S_ISREG

from assent.tools.files.search._glob import path_glob
from assent.tools.files.search._tree import Reach, in_order

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A regular file, as the listing saw it."""

    path: str
    """Relative to the folder that was listed."""
    size: int
    modified: str
    """ISO 8601, in UTC, to the microsecond."""


def list_files(
    folder: int,
    pattern: str | None = None,
    *,
    suffixes: AbstractSet[str] | None = None,
    skipped: AbstractSet[str] = frozenset(),
    most: int | None = None,
) -> list[Entry]:
    """The files below an open folder that fit `pattern`, in the order of their paths' bytes.

    Without a pattern: the files of the folder itself. `suffixes` are the endings of names that may be
    seen, `skipped` the paths of folders and files that may not, and of more than `most` files the first
    are listed. Hidden files are listed; links, pipes, devices and what lies behind them are not.

    Raises:
        InvalidPattern: the pattern is no glob, or looks beyond the folder.
    """
    reach = Reach(path_glob("*" if pattern is None else pattern), suffixes=suffixes, skipped=skipped)
    seen: dict[str, Entry] = {}
    seconds: dict[int, str] = {}

    def found(path: str, entry: os.DirEntry[str]) -> None:
        # By its name in the open folder. It may have become something else since it was read there.
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return
        if S_ISREG(status.st_mode):
            seen[path] = Entry(path=path, size=status.st_size, modified=_spelled(status.st_mtime_ns, seconds))

    reach.walk(folder, found)
    return [seen[path] for path in in_order(seen)[:most]]


def _spelled(nanoseconds: int, seconds: dict[int, str]) -> str:
    """A time; files come in bunches that were written together, so each second is spelled once."""
    second, rest = divmod(nanoseconds, 1_000_000_000)
    spelled = seconds.get(second)
    if spelled is None:
        spelled = seconds[second] = (_EPOCH + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{spelled}.{rest // 1000:06d}+00:00"
