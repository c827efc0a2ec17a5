"""Listing the files of a folder by glob, each with its size and time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from stat import S_ISREG
from typing import NamedTuple

from assent.tools.files.search._glob import path_glob
from assent.tools.files.search._tree import Reach
from assent.tools.files.search._values import Suffixes

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Entry(NamedTuple):
    """A regular file, as the listing saw it; a tuple, since there are so many of them."""

    path: str
    """Relative to the folder that was listed."""
    size: int
    modified_ns: int
    """Nanoseconds since 1970."""

    @property
    def modified(self) -> str:
        """ISO 8601, in UTC, to the microsecond."""
        moment = _EPOCH + timedelta(microseconds=self.modified_ns // 1000)
        return moment.isoformat(timespec="microseconds")


def list_files(
    folder: int, pattern: str | None = None, *, suffixes: Suffixes = None, nested: Mapping[str, Suffixes] | None = None
) -> list[Entry]:
    """The files below an open folder that fit `pattern`, in the order of their paths' bytes.

    Without a pattern: the files of the folder itself. `suffixes` are the endings of names that may be
    seen, `nested` others for folders below. Hidden files are listed; links, pipes, devices and what lies
    behind them are not.

    Raises:
        InvalidPattern: the pattern is no glob, or looks beyond the folder.
    """
    reach = Reach(path_glob("*" if pattern is None else pattern), suffixes=suffixes, nested=nested)
    listed: list[Entry] = []

    def found(prefix: str, files: list[os.DirEntry[str]]) -> None:
        for file in files:
            # By its name in the open folder. It may have become something else since it was read there.
            try:
                status = file.stat(follow_symlinks=False)
            except OSError:
                continue
            if S_ISREG(status.st_mode):
                listed.append(Entry(prefix + file.name, status.st_size, status.st_mtime_ns))

    reach.walk(folder, found)
    # The same order, but for names that are no UTF-8.
    is_plain = all(entry[0].isascii() for entry in listed)
    listed.sort(key=itemgetter(0) if is_plain else lambda entry: os.fsencode(entry[0]))
    return listed
