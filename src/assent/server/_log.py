"""What was said to every client, numbered; each client reads it at its own pace."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from assent.server.messages import Message, is_plain, spelled

KEPT: Final = 10_000
_MOST_CHARACTERS: Final = 64_000_000


@dataclass(slots=True, eq=False)
class Entry:
    """One message, spelled once for all who count and once for all who do not."""

    seq: int
    message: Message
    plain: bool
    text: str
    _plain_text: str = ""

    @property
    def is_question(self) -> bool:
        """Whether it is about a question that waits: whoever comes later is told what waits then."""
        return self.message.get("type") == "tool_approval_request"

    def plain_text(self) -> str:
        """The message without its number and its run."""
        if not self._plain_text:
            self._plain_text = spelled(self.message)
        return self._plain_text


class EventLog:
    """The last messages; whoever falls behind the first of them must come again."""

    def __init__(self, *, most: int = KEPT, most_characters: int = _MOST_CHARACTERS) -> None:
        self._most = most
        self._most_characters = most_characters
        self._entries: list[Entry] = []
        self._gone = 0
        """How many of the entries in the list are not kept any more; cut off now and then."""
        self._characters = 0
        # From the clock, so that a number of the process before is older than every number of this one.
        self._head = int(time.time() * 1000)
        self.on_publish: Callable[[Entry], None] | None = None
        """Called with everything that is said, at once."""

    @property
    def head(self) -> int:
        """The number of the last message."""
        return self._head

    def publish(self, message: Message, *, run: str = "") -> Entry:
        """Say something to everybody, of this run to those who count; from the loop of the server."""
        self._head += 1
        told = {**message, "run": run} if run else message
        entry = Entry(self._head, message, is_plain(message), spelled(told, seq=self._head))
        self._entries.append(entry)
        self._characters += len(entry.text)
        self._trim()
        if self.on_publish is not None:
            self.on_publish(entry)
        return entry

    def after(self, seq: int) -> Sequence[Entry] | None:
        """What was said after this number; None if some of it is not kept any more, or nobody was told this number."""
        kept = len(self._entries) - self._gone
        wanted = self._head - seq
        # Ahead of us: the clock was set back between two processes, and what this one has said was never heard.
        if not 0 <= wanted <= kept:
            return None
        return self._entries[len(self._entries) - wanted :] if wanted > 0 else ()

    def all(self) -> Sequence[Entry]:
        """All that is kept."""
        return self._entries[self._gone :]

    def let_go(self, entry: Entry) -> None:
        """A question has ended: nobody needs what was shown of it any more."""
        if entry.message:
            self._characters -= len(entry.text)
            entry.message, entry.text, entry.plain = {}, "", False

    def _trim(self) -> None:
        entries = self._entries
        while len(entries) - self._gone > self._most or (
            self._characters > self._most_characters and len(entries) - self._gone > 1
        ):
            self._characters -= len(entries[self._gone].text)
            self._gone += 1
        if self._gone > self._most:
            del entries[: self._gone]
            self._gone = 0
