"""The output of a command in bounded memory: its beginning, its end, and all of it in a file."""

from __future__ import annotations

import codecs
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

MOST_KEPT: Final = 4 * 2**30
"""The most that is written to a file: an endless output must not fill the disk."""
# In UTF-8, a character's bytes after its first.
_BYTES_AFTER: Final = bytes(range(0x80, 0xC0))
_MOST_BYTES_AFTER: Final = 3


class Output:
    """What a command has written so far; its text is the first and the last half of what may be kept."""

    def __init__(
        self,
        most: int,
        on_text: Callable[[str], None] | None = None,
        *,
        folder: Path | None = None,
        most_kept: int = MOST_KEPT,
    ) -> None:
        self._head_bytes = most - most // 2
        self._tail_bytes = most // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._kept = _Kept(folder, most_kept)
        self.total = 0

    @property
    def truncated(self) -> bool:
        """Whether something had to be left out."""
        return self.total > self._head_bytes + self._tail_bytes

    @property
    def file(self) -> Path | None:
        """Where all of it is, if it is more than what is kept here."""
        return self._kept.file

    def add(self, chunk: bytes) -> None:
        """Take what the command wrote next."""
        if self._on_text is not None and (text := self._decoder.decode(chunk)):
            self._on_text(text)
        fitted = not self.truncated
        self.total += len(chunk)
        if self.truncated:
            self._kept.write(bytes(self._head + self._tail) + chunk if fitted else chunk)
        room = self._head_bytes - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        # Only what is old is dropped, and not on every byte: dropping moves the rest.
        if len(self._tail) > 2 * self._tail_bytes:
            del self._tail[: len(self._tail) - self._tail_bytes]

    def finish(self) -> str:
        """The text to show; the middle that was cut is counted."""
        if self._on_text is not None and (rest := self._decoder.decode(b"", final=True)):
            self._on_text(rest)
        self._kept.close()
        if not self.truncated:
            return _text(bytes(self._head + self._tail))
        head = _whole_end(bytes(self._head))
        tail = _whole_start(bytes(self._tail[len(self._tail) - self._tail_bytes :]))
        cut = self.total - len(head) - len(tail)
        note = f"[… {cut} of {self.total} bytes are cut here; {self._kept.note(self.total)} …]"
        return f"{_text(head)}\n{note}\n{_text(tail)}"

    def discard(self) -> None:
        """Nobody will be told of the file, so it goes."""
        self._kept.discard()


class _Kept:
    """The file with all of the output; a disk that takes no more ends it, not the command."""

    def __init__(self, folder: Path | None, most: int) -> None:
        self.file: Path | None = None
        self._parent = folder
        self._most = most
        self._fd = -1
        self._written = 0

    def write(self, data: bytes) -> None:
        try:
            if self.file is None:
                self._open()
            while self._fd >= 0 and (rest := data[: self._most - self._written]):
                done = os.write(self._fd, rest)
                self._written += done
                data = data[done:]
        except OSError:
            self._most = self._written

    def note(self, total: int) -> str:
        kept = "all of it" if self._written == total else f"the first {self._written} bytes"
        return f"{kept}: {self.file}" if self._written else "they could not be kept in a file"

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def discard(self) -> None:
        self.close()
        if self.file is not None:
            shutil.rmtree(self.file.parent, ignore_errors=True)

    def _open(self) -> None:
        # Its own folder, only for this user: another program's file cannot lie in its place.
        folder = Path(tempfile.mkdtemp(prefix="assent-output-", dir=self._parent))
        self._fd = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self.file = folder / "output.txt"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _whole_end(data: bytes) -> bytes:
    """Without the beginning of a character whose rest was cut."""
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    decoder.decode(data)
    begun, _ = decoder.getstate()
    return data[: len(data) - len(begun)]


def _whole_start(data: bytes) -> bytes:
    """Without the rest of a character whose beginning was cut."""
    return data[:_MOST_BYTES_AFTER].lstrip(_BYTES_AFTER) + data[_MOST_BYTES_AFTER:]
