"""A conversation: what was said, kept in a file beside the record so that it can go on later."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast
from uuid import uuid4

from assent.agent._model import Message
from assent.errors import ConfigError, StoreFailed

FOLDER: Final = "conversations"
_SUFFIX: Final = ".jsonl"
_OPENED: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class Conversation:
    """What was said, in order; the id is also the run under which its calls are on record."""

    def __init__(self, conversation: str = "") -> None:
        self.id = conversation or uuid4().hex
        self._messages: list[Message] = []

    @property
    def messages(self) -> Sequence[Message]:
        """Everything said so far; a copy, so that what is sent does not change under the sender."""
        return [*self._messages]

    def add(self, message: Message, /) -> None:
        """Something more was said."""
        self._messages.append(message)

    def back_to(self, length: int) -> None:
        """Take back what was said after so many messages."""
        del self._messages[length:]

    def close(self) -> None:
        """Nothing more will be said here for now."""


class KeptConversation(Conversation):
    """A conversation in a file, one line for each thing said; one process at a time goes on with it."""

    def __init__(self, path: Path, *, cwd: Path) -> None:
        super().__init__(path.stem)
        self._path = path
        self._header: Mapping[str, object] | None = {"conversation": self.id, "cwd": str(cwd)}
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._fd = os.open(path, _OPENED, 0o600)
        except OSError as error:
            raise StoreFailed(f"the conversation {str(path)!r} cannot be kept: {error.strerror}") from error
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    def add(self, message: Message, /) -> None:
        """Written down before anything that follows from it happens."""
        self._write({"message": message})
        super().add(message)

    def back_to(self, length: int) -> None:
        """Take back what was said after so many messages; the file keeps both."""
        self._write({"back_to": length})
        super().back_to(length)

    def close(self) -> None:
        """Let go of the file."""
        if self._fd < 0:
            return
        if self._header is not None and not os.fstat(self._fd).st_size:
            # Nothing was said: a file without a word would only be in the way.
            self._path.unlink(missing_ok=True)
        os.close(self._fd)
        self._fd = -1

    def _load(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreFailed(f"another process goes on with the conversation {self.id}; wait for it to end") from None
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        # A line without an end was being written when the process died: what it said never counted.
        os.ftruncate(self._fd, len(whole))
        for line in _lines(whole, self._path):
            if "message" in line:
                self._messages.append(cast("Message", line["message"]))
            elif "back_to" in line:
                del self._messages[int(cast("int", line["back_to"])) :]
        if whole:
            self._header = None

    def _write(self, line: Mapping[str, object]) -> None:
        if self._header is not None:
            header, self._header = self._header, None
            self._append({**header, "created": time.time()})
        self._append(line)

    def _append(self, line: Mapping[str, object]) -> None:
        if self._fd < 0:
            raise StoreFailed(f"the conversation {self.id} was closed; start another, or open it again")
        # Half a character, as the name of a folder may hold, becomes JSON's own escape for it.
        rest = json.dumps(line, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            os.fsync(self._fd)
        except OSError as error:
            # Half a line may stand there: nothing may be written behind it.
            self.close()
            raise StoreFailed(f"the conversation {self.id} could not be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The folder with the conversations of one record."""

    folder: Path

    @classmethod
    def beside(cls, store: Path) -> Shelf:
        """Beside the store: no tool can write there."""
        return cls(folder=store.parent / FOLDER)

    def new(self, *, cwd: Path) -> KeptConversation:
        """A conversation nobody has begun."""
        return KeptConversation(self.folder / f"{uuid4().hex}{_SUFFIX}", cwd=cwd)

    def open(self, conversation: str, *, cwd: Path) -> KeptConversation:
        """The conversation of this name.

        Raises:
            ConfigError: there is none.
        """
        if not conversation.isalnum() or not (self.folder / f"{conversation}{_SUFFIX}").is_file():
            raise ConfigError(f"there is no conversation {conversation!r}; leave the name out for the latest one here")
        return KeptConversation(self.folder / f"{conversation}{_SUFFIX}", cwd=cwd)

    def latest(self, *, cwd: Path) -> str | None:
        """The one that was last spoken in from this folder; None if there was none."""
        files = sorted(self.folder.glob(f"*{_SUFFIX}"), key=lambda each: each.stat().st_mtime_ns, reverse=True)
        return next((each.stem for each in files if _begun_in(each) == str(cwd)), None)


def _begun_in(path: Path) -> str:
    with path.open("rb") as file:
        first = file.readline()
    if not first.endswith(b"\n"):
        # The process died while it began: nothing was said there.
        return ""
    return next((str(line.get("cwd")) for line in _lines(first, path)), "")


def _lines(data: bytes, path: Path) -> Iterator[Mapping[str, object]]:
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            value: object = json.loads(line)
        except ValueError as error:
            raise StoreFailed(f"{path}, line {number}: not what was written there ({error})") from error
        if isinstance(value, dict):
            yield cast("Mapping[str, object]", value)
