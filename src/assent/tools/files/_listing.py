"""Listing the files of a folder by glob, each with its size and time."""

from __future__ import annotations

import os
import stat
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assent.tools.files._glob import path_glob
from assent.tools.files._tree import Reach, in_order

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
    seen: dict[str, os.stat_result] = {}

    def found(path: str, entry: os.DirEntry[str]) -> None:
        # By its name in the open folder. It may have become something else since it was read there.
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return
        if stat.S_ISREG(status.st_mode):
            seen[path] = status

    reach.walk(folder, found)
    seconds: dict[int, str] = {}
    return [_entry(path, seen[path], seconds) for path in in_order(seen)[:most]]


def _entry(path: str, status: os.stat_result, seconds: dict[int, str]) -> Entry:
    second, nanos = divmod(status.st_mtime_ns, 1_000_000_000)
    # Files come in bunches that were written together; their second is spelled once.
    spelled = seconds.get(second)
    if spelled is None:
        spelled = seconds[second] = (_EPOCH + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S")
    modified = f"{spelled}.{nanos // 1000:06d}+00:00"
    return Entry(path=path, size=status.st_size, modified=modified)
