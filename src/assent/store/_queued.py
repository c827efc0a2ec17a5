"""What waits to be written, and when the disk has what is written."""

from __future__ import annotations

from typing import Literal, NamedTuple

from assent.model import ApprovalRequest, ToolCall

Note = tuple[str, float, ToolCall, str, ApprovalRequest | None]
"""kind, time, call, why, request: what `noted` makes an entry of when it is written."""


class Ended(NamedTuple):
    """A run that is over, and left nothing open or remembered."""

    run: str
    at: float


Queued = Note | Ended
Sync = Literal["before", "after", "soon", "no"]
"""When the disk has what is written: before anybody sees it; before whoever writes it goes on; with the next
sync or within 50 ms; or when SQLite needs it."""
