"""Questions to show, and a person at a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import os
import pty
import re
import select
import struct
import termios
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import TextIO

from assent.config import SandboxPath
from assent.model import (
    ApprovalRequest,
    Grant,
    Pending,
    Presentation,
    Preview,
    ToolCall,
    arguments_preview,
    pending_id,
)
from assent.tools.files import FileSandbox, file_tools

NOW = 1_000_000.0
PATIENCE = 20
_PROMPT = re.compile(r"(?:^|\n|\r| left )> ")


def question(
    call_id: str = "1",
    *,
    tool: str = "send_email",
    args: Mapping[str, object] | None = None,
    request: ApprovalRequest | None = None,
    agents: tuple[str, ...] = (),
    presentation: Presentation | None = None,
    expires: float | None = None,
) -> Pending:
    """A question as the gate would put it on the desk."""
    given = {"to": "ana@example.org", "body": "Hello"} if args is None else args
    call = ToolCall(run="run", id=call_id, tool_name=tool, args=given, agents=agents)
    asked = request or ApprovalRequest(description=f"Question {call_id}", fingerprint=call.args)
    return Pending(
        id=pending_id(call),
        call=call,
        request=asked,
        preview=Preview(presentation=presentation) if presentation else arguments_preview(call),
        digest=call.digest,
        created=NOW,
        expires=expires,
    )


async def file_question(folder: Path, tool: str, /, **args: object) -> Pending:
    """A question of one of the file tools, about a file in this folder, which is called `work`."""
    with FileSandbox({"work": SandboxPath(root=folder, mode="rw")}) as sandbox:
        (policy,) = (each for each in file_tools(sandbox) if each.name == tool)
        call = ToolCall(run="run", id=f"{tool} {args}", tool_name=tool, args=args)
        request = policy.check_approval(call)
        assert isinstance(request, ApprovalRequest)
        preview = await policy.preview(call)
    return Pending(id=pending_id(call), call=call, request=request, preview=preview, digest=call.digest, created=NOW)


@dataclass
class Clerk:
    """Somebody who knows what an answer would have covered, and how edited calls are judged."""

    judged: Callable[[Pending, Mapping[str, object]], Awaitable[Pending | None]] | None = None
    counts: tuple[int, int] = (14, 200)
    grants: list[Grant] = field(default_factory=list[Grant])
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def content(self, pending: Pending, sha256: str, /) -> bytes | None:
        return pending.preview.contents.get(sha256, self.contents.get(sha256))

    def covered(self, grant: Grant, /, *, last: int) -> tuple[int, int]:
        assert last == 200
        self.grants.append(grant)
        return self.counts

    async def redraw(self, pending: Pending, args: Mapping[str, object], /) -> Pending | None:
        return None if self.judged is None else await self.judged(pending, args)


class Person:
    """Reads the screen and types, at the far end of a pseudo-terminal."""

    def __init__(self) -> None:
        self._far, near = pty.openpty()
        self.keyboard: TextIO = os.fdopen(os.dup(near), "r", encoding="utf-8")
        self.screen: TextIO = os.fdopen(near, "w", encoding="utf-8")
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._arrived: SimpleQueue[bytes] = SimpleQueue()
        self._left = threading.Event()
        self._eyes = threading.Thread(target=self._look, daemon=True)
        self._eyes.start()
        self._unread = ""
        self.seen = ""
        self.raw = b""
        """All that was written to the terminal."""

    def types(self, text: str) -> None:
        os.write(self._far, text.encode())

    async def sees(self, text: str) -> str:
        """Wait until the text is on the screen; what was read up to it is not looked at again."""
        async with asyncio.timeout(PATIENCE):
            while text not in self._unread:
                await self._read_more()
        before, _, self._unread = self._unread.partition(text)
        return before

    async def _read_more(self) -> None:
        while self._arrived.empty():  # noqa: ASYNC110 — what is waited for comes from another thread
            await asyncio.sleep(0.005)
        shown = self._arrived.get()
        self.raw += shown
        # A character may come in two pieces, and so may the end of a line.
        text = self._decode(shown).replace("\r\n", "\n")
        self._unread += text
        self.seen += text

    async def is_asked(self, text: str) -> str:
        """Wait until this question is shown and a key would be heard; what stands between is given back."""
        await self.sees("Approval needed")
        before = await self.sees(text)
        return before + text + await self.may_answer()

    async def may_answer(self) -> str:
        """Wait until a key would be heard."""
        async with asyncio.timeout(PATIENCE):
            while (found := _PROMPT.search(self._unread)) is None:
                await self._read_more()
        before, self._unread = self._unread[: found.start()], self._unread[found.end() :]
        return before

    def resizes(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._far, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _look(self) -> None:
        """Read what is written; in a thread, because whoever writes more than a screen waits for it to be read."""
        while not self._left.is_set():
            if select.select([self._far], [], [], 0.02)[0]:
                with suppress(OSError):
                    self._arrived.put(os.read(self._far, 65536))

    def hangs_up(self) -> None:
        """Close the window."""
        if self._far >= 0:
            self._left.set()
            self._eyes.join()
            os.close(self._far)
            self._far = -1

    def leaves(self) -> None:
        self.hangs_up()
        self.keyboard.close()
        # What could not be written to a closed window is still in the buffer.
        with suppress(OSError):
            self.screen.close()
