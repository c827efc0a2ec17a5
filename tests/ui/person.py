"""Questions to show, and a person at a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from assent.model import ApprovalRequest, Pending, Presentation, Preview, ToolCall, arguments_preview, pending_id

NOW = 1_000_000.0
PATIENCE = 20


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


class Person:
    """Reads the screen and types, at the far end of a pseudo-terminal."""

    def __init__(self) -> None:
        self._far, near = pty.openpty()
        self.keyboard: TextIO = os.fdopen(os.dup(near), "r", encoding="utf-8")
        self.screen: TextIO = os.fdopen(near, "w", encoding="utf-8")
        self._unread = ""
        self.seen = ""

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
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._far, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._far)
        shown = os.read(self._far, 65536).decode().replace("\r\n", "\n")
        self._unread += shown
        self.seen += shown

    def hangs_up(self) -> None:
        """Close the window."""
        if self._far >= 0:
            os.close(self._far)
            self._far = -1

    def leaves(self) -> None:
        self.hangs_up()
        self.keyboard.close()
        # What could not be written to a closed window is still in the buffer.
        with suppress(OSError):
            self.screen.close()
