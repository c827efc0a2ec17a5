"""What the system's error numbers mean to whoever named a path: our errors, in words to act on."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from assent.errors import (
    AssentError,
    ChangedSinceApproval,
    FileError,
    InvalidPath,
    IsDirectory,
    NoSuchFile,
    NotDirectory,
    NotRegularFile,
    PathNotInSandboxError,
    WriteFailed,
)
from assent.tools.files.disk._spelling import shown

_WRITING: Final = os.O_WRONLY | os.O_RDWR
_LOOK: Final = "List the folder above it to see what is there."
_MEANINGS: Final[dict[int, tuple[type[FileError], str]]] = {
    errno.EXDEV: (PathNotInSandboxError, "leads out of its root; only what lies beneath the root can be reached."),
    errno.ENOENT: (NoSuchFile, f"does not exist. {_LOOK}"),
    errno.ENOTDIR: (NotDirectory, f"goes on after something that is not a folder. {_LOOK}"),
    errno.EISDIR: (IsDirectory, "is a folder; name a file in it."),
    errno.ELOOP: (InvalidPath, "goes through symbolic links that cannot be followed; name the file itself."),
    errno.ENAMETOOLONG: (InvalidPath, "is too long, or leads to a path that is; give a shorter path."),
    errno.ENXIO: (NotRegularFile, "is a pipe, device or socket; only regular files can be opened."),
    errno.ENODEV: (NotRegularFile, "is a pipe, device or socket; only regular files can be opened."),
    errno.EAGAIN: (FileError, "was moved while it was looked for; try again."),
}


def failure(number: int, path: str, *, flags: int = os.O_RDONLY) -> FileError:
    """The error that says what happened to this path, by the system's number."""
    if number in _MEANINGS:
        kind, meaning = _MEANINGS[number]
        return kind(f"{shown(path)} {meaning}")
    if flags & _WRITING:
        return write_failed(number, path)
    return FileError(f"{shown(path)} could not be opened: {os.strerror(number)}. It is left as it was.")


def write_failed(number: int | None, path: str) -> WriteFailed:
    """The disk did not take it."""
    why = os.strerror(number) if number is not None else "unknown reason"
    return WriteFailed(f"{shown(path)} could not be written: {why}. It is left as it was.")


def changed(path: str, what: str, *, kept: str = "") -> ChangedSinceApproval:
    """Somebody else was there between the look and the touch."""
    aside = f" What a third party wrote in between was kept as {shown(kept)}." if kept else ""
    return ChangedSinceApproval(f"{shown(path)} {what}; nothing was changed.{aside} Read it again, then propose anew.")


def dangling(path: str) -> NoSuchFile:
    """A link to nothing: writing through it would create what nobody named."""
    return NoSuchFile(f"{shown(path)} is a symbolic link to something that does not exist; name the file itself.")


@contextmanager
def writing(path: str) -> Generator[None]:
    """Inside, an error of the system means that the disk did not take it."""
    try:
        yield
    except AssentError:
        raise  # some of ours are `PermissionError`, so also `OSError`
    except (FileNotFoundError, IsADirectoryError) as error:
        raise changed(path, "was removed or replaced, or its folder was") from error
    except OSError as error:
        raise write_failed(error.errno, path) from error
