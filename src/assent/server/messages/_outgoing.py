"""What the server says beside questions: how they end, what begins, what is wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from assent import __version__
from assent.model import Pending, Ruling
from assent.server.messages._approval import request_id
from assent.server.messages._incoming import PERMISSION_MODES, PermissionMode, Run

Message = Mapping[str, object]
_PLAIN = frozenset(
    {("assistant", "text"), ("assistant", "tool_use"), ("user", "tool_result")},
)
_PLAIN_TYPES = frozenset({"tool_approval_request", "result", "error"})


def is_plain(message: Message) -> bool:
    """Whether a client that knows only the plain messages is sent it."""
    return message.get("type") in _PLAIN_TYPES or (message.get("type"), message.get("subtype")) in _PLAIN


def spelled(message: Message, *, seq: int | None = None) -> str:
    """The message as text; with its place in the sequence, for clients that count."""
    numbered = message if seq is None else {**message, "seq": seq}
    try:
        text = json.dumps(numbered, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        # Python would write `Infinity`, which is no JSON: no page reads it, and it is told again to whoever comes back.
        text = json.dumps(_finite(numbered), ensure_ascii=False, separators=(",", ":"))
    # Half a character, as a model or the name of a folder may hold, has no UTF-8: it would end every connection
    # that is told it, and be told again to whoever comes back. What Python writes in its place is JSON's own escape.
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def _finite(value: object) -> object:
    """The same with words in place of numbers that JSON does not have."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case Mapping():
            return {name: _finite(each) for name, each in cast("Mapping[str, object]", value).items()}
        case list() | tuple():
            return [_finite(each) for each in cast("Sequence[object]", value)]
        case _:
            return value


def complaint(code: str, text: str) -> Message:
    """What a client said was not done, and why."""
    return {"type": "error", "subtype": code, "content": {"message": text}}


def run_started(wanted: Run, *, by: str) -> Message:
    """Somebody started a run."""
    content = {
        "prompt": wanted.prompt,
        "continue": wanted.go_on,
        "permission_mode": wanted.permission_mode,
        "by": by,
    }
    return {"type": "run", "subtype": "started", "content": content}


def approval_ended(pending: Pending, ruling: Ruling) -> Message:
    """A question waits no more: how it ended, and by whom."""
    note = ruling.detail if ruling.decision is None else ruling.decision.note
    content = {"outcome": ruling.outcome.value, "by": ruling.by, "at": ruling.at, "note": note}
    return {
        "type": "tool_approval_ended",
        "request_id": request_id(pending),
        "tool_use_id": pending.call.id,
        "run": pending.call.run,
        "content": content,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How things stand when a client comes, or comes back."""

    you: str
    running: bool
    since: int
    head: int
    missed: bool
    pending: Sequence[Message]
    modes: Sequence[PermissionMode]
    """Those in which a run would start here."""
    allow_bypass: bool
    cwd: str | None
    model: str | None
    offline: bool
    now: float


def hello(standing: Standing) -> Message:
    """What a client is told first."""
    content = {name: getattr(standing, name) for name in Standing.__slots__}
    content |= {"permission_modes": dict(PERMISSION_MODES), "version": __version__}
    return {"type": "hello", "content": content}
