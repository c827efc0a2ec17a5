"""Making folders beneath a root, one by one, each in the one before."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from assent.errors import NoSuchFile, PathNotInSandboxError
from assent.tools.files.disk._descriptors import FOLDER, opened
from assent.tools.files.disk._failures import dangling, failure, writing
from assent.tools.files.disk._spelling import encoded


class Beneath(Protocol):
    """What a root can do for us."""

    def open(self, relative: str, flags: int = ..., *, links: bool = ...) -> int:
        """An fd of what the path leads to beneath the root."""
        ...

    def where(self, fd: int) -> str:
        """The real path of what is open; raises if it left the root."""
        ...


def reach(root: Beneath, relative: str) -> tuple[int, list[bytes]]:
    """The deepest folder on the way that exists, and the names that are missing from there on."""
    parts = [part for part in relative.split("/") if part not in {"", "."}]
    for count in range(len(parts), -1, -1):
        try:
            base = root.open("/".join(parts[:count]) or ".", FOLDER)
        except NoSuchFile:
            continue
        if ".." not in parts[count:]:
            return base, [encoded(part) for part in parts[count:]]
        os.close(base)
        break
    # What does not exist has no parent: `missing/..` is nowhere.
    raise failure(errno.ENOENT, relative)


def make_folders(root: Beneath, base: int, missing: Sequence[bytes], relative: str) -> int:
    """The last of the folders that are now below an open one; a link in the place of one is refused."""
    here = os.dup(base)
    for name in missing:
        with opened(here) as above:
            here = _make(root, above, name, relative)
    return here


def _make(root: Beneath, above: int, name: bytes, relative: str) -> int:
    root.where(above)
    is_new = True
    with writing(relative):
        try:
            os.mkdir(name, dir_fd=above)
        except FileExistsError:  # somebody was faster; fine, if it is a folder
            is_new = False
        made = _enter(above, name, relative)
    try:
        root.where(made)
    except PathNotInSandboxError:
        # The folder above was moved out of the root under our hands: take back what we made there.
        os.close(made)
        if is_new:
            with suppress(OSError):
                os.rmdir(name, dir_fd=above)
        raise
    return made


def _enter(above: int, name: bytes, relative: str) -> int:
    try:
        return os.open(name, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    except OSError as error:
        if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
            raise
    with suppress(OSError):
        os.readlink(name, dir_fd=above)
        raise dangling(relative)
    raise failure(errno.ENOTDIR, relative)
