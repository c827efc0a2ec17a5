"""The messages of the WebSocket in both directions: one projection of our values."""

from assent.server.messages._approval import approval_request, details, in_list, request_id, shown_digest
from assent.server.messages._incoming import (
    PERMISSION_MODES,
    Answer,
    Command,
    PermissionMode,
    Run,
    Stop,
    WrongMessage,
    read_command,
)
from assent.server.messages._outgoing import (
    Message,
    Standing,
    approval_ended,
    complaint,
    hello,
    is_plain,
    run_started,
    spelled,
)
from assent.server.messages._previews import diff_text

__all__ = [
    "PERMISSION_MODES",
    "Answer",
    "Command",
    "Message",
    "PermissionMode",
    "Run",
    "Standing",
    "Stop",
    "WrongMessage",
    "approval_ended",
    "approval_request",
    "complaint",
    "details",
    "diff_text",
    "hello",
    "in_list",
    "is_plain",
    "read_command",
    "request_id",
    "run_started",
    "shown_digest",
    "spelled",
]
