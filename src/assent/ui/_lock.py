"""A lock that programs at one terminal share: whoever reads the keys reads all of them."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

# Linux: the number of the terminal itself. `/dev/tty` is a name for whichever one is ours.
_TIOCGDEV: Final = 0x80045432
_RUNTIME: Final = "/run/user"
_TEMPORARY: Final = "/tmp"  # noqa: S108 — the folder in it is ours alone, or none is used


def terminal_of(descriptor: int) -> str:
    """The same for every name of one terminal, and for no other terminal."""
    import fcntl

    if sys.platform == "linux":
        with suppress(OSError):
            return str(int.from_bytes(fcntl.ioctl(descriptor, _TIOCGDEV, bytes(4)), sys.byteorder))
    number = os.fstat(descriptor).st_rdev
    with suppress(OSError):
        if number == Path("/dev/tty").stat().st_rdev:
            # A session has one terminal.
            return f"session-{os.getsid(0)}"
    return str(number)


class TerminalLock:
    """Held by one program at a time; the system takes it from whoever dies."""

    def __init__(self, terminal: str) -> None:
        self.held = False
        self._terminal = terminal
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Whether it is held now; so it is where no lock can be made, since then nobody is known to have it."""
        import fcntl

        try:
            self._descriptor = self._open() if self._descriptor is None else self._descriptor
        except OSError:
            self.held = True
            return True
        try:
            # Not `flock`: a process that was forked meanwhile would have it too, and keep it.
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.held = error.errno not in (errno.EAGAIN, errno.EACCES)
        else:
            self.held = True
        return self.held

    def leave(self) -> None:
        """Let others have it; as often as one likes."""
        self.held = False
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # Whoever closes the file has no lock on it any more.
            os.close(descriptor)

    def _open(self) -> int:
        file = _folder() / f"assent-terminal-{self._terminal}.lock"
        return os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _folder() -> Path:
    """A folder in which nobody else could have put something.

    Raises:
        OSError: there is none.
    """
    # Not as the environment names one: programs at one terminal may have different ones, and share the keys.
    runtime = Path(_RUNTIME) / str(os.getuid())
    if _is_private(runtime):
        return runtime
    folder = Path(_TEMPORARY) / f"assent-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if not _is_private(folder):
        raise PermissionError(f"{folder} is not a folder that only you can write.")
    return folder


def _is_private(folder: Path) -> bool:
    try:
        # Not through a link: somebody else may point it to a folder of ours, and elsewhere later.
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
