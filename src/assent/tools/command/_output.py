"""The output of a command in bounded memory: its beginning, its end, and all of it in a file."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Final

from assent.tools.command._kept import Kept

# In UTF-8, a character's bytes after its first.
_BYTES_AFTER: Final = bytes(range(0x80, 0xC0))
_MOST_BYTES_AFTER: Final = 3

OnText = Callable[[str], None]


class Output:
    """What a command has written so far; its text is the first and the last half of what may be kept."""

    def __init__(self, most: int, on_text: OnText | None = None, *, kept: Kept | None = None) -> None:
        self._head_bytes = most - most // 2
        self._tail_bytes = most // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._on_text = on_text
        self._begun = b""
        self._kept = kept
        self.total = 0

    @property
    def truncated(self) -> bool:
        """Whether something had to be left out."""
        return self.total > self._head_bytes + self._tail_bytes

    @property
    def file(self) -> Path | None:
        """Where all of it is, if it is more than what is kept here."""
        return None if self._kept is None else self._kept.file

    def add(self, chunk: bytes | memoryview) -> None:
        """Take what the command wrote next; nothing of `chunk` itself is held on to."""
        view = memoryview(chunk)
        self._tell(view, final=False)
        fitted = not self.truncated
        self.total += len(view)
        if self._kept is not None and self.truncated:
            for part in (self._head, self._tail, view) if fitted else (view,):
                self._kept.write(part)
        room = self._head_bytes - len(self._head)
        if room:
            self._head += view[:room]
            view = view[room:]
        self._add_to_tail(view)

    def finish(self) -> str:
        """The text to show; the middle that was cut is counted."""
        self._tell(memoryview(b""), final=True)
        if self._kept is not None:
            self._kept.close()
        if not self.truncated:
            return _text(self._head + self._tail)
        head = _whole_end(self._head)
        tail = _whole_start(self._tail[len(self._tail) - self._tail_bytes :])
        cut = self.total - len(head) - len(tail)
        where = "they are kept nowhere" if self._kept is None else self._kept.note(self.total)
        return f"{_text(head)}\n[… {cut} of {self.total} bytes are cut here; {where} …]\n{_text(tail)}"

    def discard(self) -> None:
        """Nobody will be told of the file, so it goes."""
        if self._kept is not None:
            self._kept.discard()

    def _tell(self, view: memoryview, *, final: bool) -> None:
        if self._on_text is None:
            return
        data = self._begun + view if self._begun else view
        text, used = codecs.utf_8_decode(data, "backslashreplace", final)
        self._begun = bytes(data[used:])
        if text:
            self._on_text(text)

    def _add_to_tail(self, view: memoryview) -> None:
        # Never more is copied than is kept, however much comes.
        if len(view) >= self._tail_bytes:
            self._tail[:] = view[len(view) - self._tail_bytes :]
            return
        self._tail += view
        # Only what is old is dropped, and not on every byte: dropping moves the rest.
        if len(self._tail) > 2 * self._tail_bytes:
            del self._tail[: len(self._tail) - self._tail_bytes]


def _text(data: bytes | bytearray) -> str:
    return data.decode("utf-8", "backslashreplace")


def _whole_end(data: bytearray) -> bytearray:
    """Without the beginning of a character whose rest was cut."""
    _, used = codecs.utf_8_decode(data, "backslashreplace", False)  # noqa: FBT003 (more of it was cut)
    return data[:used]


def _whole_start(data: bytearray) -> bytearray:
    """Without the rest of a character whose beginning was cut."""
    return data[:_MOST_BYTES_AFTER].lstrip(_BYTES_AFTER) + data[_MOST_BYTES_AFTER:]
