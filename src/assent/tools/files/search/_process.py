"""Child processes that never outlive their search."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from assent.errors import FileError, InvalidPattern

_ENTER = "import os, sys; os.fchdir(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"

_PIECE = 1 << 16


class Deadline:
    """The moment when a search has taken too long."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds until then."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise if it has come."""
        if time.monotonic() >= self._end:
            raise self.passed()

    def passed(self) -> InvalidPattern:
        """What is said when it has come."""
        return InvalidPattern(
            f"The search was ended after {self.seconds:g} s. Use a simpler pattern, without a repetition inside "
            "a repetition such as (a+)+, or search fewer files by a folder or a glob."
        )


class ChildFailed(FileError):
    """A child did not start, or did not do what was asked."""


@contextmanager
def started(
    command: Sequence[str], *, folder: int, cwd: str = "/", stdin: int = subprocess.PIPE
) -> Generator[subprocess.Popen[bytes]]:
    """A child that has the open folder under the same number; killed in the end, with its own children."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(  # noqa: S603 (no shell, and the program is ours or was looked at)
            command, stdin=stdin, stdout=pipe, stderr=pipe, cwd=cwd, env={}, pass_fds=(folder,), process_group=0
        )
    except OSError as error:
        raise ChildFailed(f"{command[0]} could not be started: {error}") from error
    with process:
        try:
            yield process
        finally:
            # While nobody has waited for it, its number cannot have become another's.
            if process.poll() is None:
                with suppress(ProcessLookupError, PermissionError):  # it ended meanwhile
                    os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def started_inside(
    command: Sequence[str], *, folder: int, proc: Path = Path("/proc/self/fd")
) -> Generator[subprocess.Popen[bytes]]:
    """A child whose working directory is the open folder, wherever that lies by now."""
    if proc.is_dir():
        # Seen from the child, which has the folder open under the same number.
        with started(command, folder=folder, cwd=str(proc / str(folder))) as process:
            yield process
    else:
        with started([sys.executable, "-I", "-S", "-c", _ENTER, str(folder), *command], folder=folder) as process:
            yield process


def talk(process: subprocess.Popen[bytes], said: bytes | None, deadline: Deadline) -> tuple[bytes, bytes]:
    """Everything the child prints until it ends, on either channel."""
    try:
        return process.communicate(said, timeout=deadline.left())
    except subprocess.TimeoutExpired:
        raise deadline.passed() from None


def printed(process: subprocess.Popen[bytes], errors: bytearray, deadline: Deadline) -> Iterator[bytes]:
    """What the child prints, as it comes, until it ends; what it says of errors is added to `errors`."""
    with selectors.DefaultSelector() as ready:
        for stream in filter(None, (process.stdout, process.stderr)):
            ready.register(stream, selectors.EVENT_READ)
        while ready.get_map():
            deadline.check()
            for key, _ in ready.select(deadline.left()):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    ready.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    errors += piece
                else:
                    yield piece
    try:
        process.wait(deadline.left())
    except subprocess.TimeoutExpired:
        raise deadline.passed() from None


@contextmanager
def held(pieces: Iterable[bytes]) -> Generator[int]:
    """A file without a name that holds these bytes, for a child to read: much faster than a pipe."""
    # In memory where the system can do that.
    with os.fdopen(os.memfd_create("search"), "w+b") if hasattr(os, "memfd_create") else TemporaryFile() as file:
        for piece in pieces:
            file.write(piece)
        file.seek(0)
        yield file.fileno()
