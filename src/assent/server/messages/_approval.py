"""A question as a message; its id names exactly what is shown, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from assent.model import Pending, coverage, digest, thaw, wire
from assent.server.messages._previews import Content, drawn

_CONTENTS: Final = frozenset(
    {"type", "tool_input", "preview_data", "original_content", "new_content", "diff_lines"},
)
"""What a question shows; whoever lists questions asks for it where it is looked at."""


def shown_digest(pending: Pending) -> str:
    """A name for exactly what is shown of the question; anything else has another one."""
    # Hashed by themselves: a whole file would be spelled a second time inside the JSON of the name.
    parts = (hashlib.sha256(wire.dump(part).encode()).hexdigest() for part in (pending.preview, pending.request))
    return digest((pending.id, pending.digest, *parts))


def request_id(pending: Pending) -> str:
    """The same as an id; the question drawn anew after a change has a new one."""
    return str(UUID(hex=shown_digest(pending)[:32]))


def approval_request(pending: Pending, content: Content) -> dict[str, object]:
    """The question, with all that a person is shown."""
    preview = drawn(pending, content)
    return {
        "type": "tool_approval_request",
        "request_id": request_id(pending),
        "tool_name": pending.call.tool_name,
        "tool_input": thaw(pending.call.args),
        "tool_use_id": pending.call.id,
        "preview_type": preview.kind,
        "preview_data": dict(preview.data),
        "file_path": preview.path,
        "original_content": preview.original,
        "new_content": preview.new,
        "diff_lines": list(preview.lines),
    }


def details(pending: Pending) -> dict[str, object]:
    """What else there is to know, for clients that show it."""
    request, call = pending.request, pending.call
    return {
        "pending": pending.id,
        "digest": shown_digest(pending),
        "run": call.run,
        "agents": list(call.agents),
        "group_id": pending.group_id,
        "description": request.description,
        "reason": request.reason,
        "created": pending.created,
        "expires": pending.expires,
        "covers": coverage(call, request),
        "wider": [
            {"name": each.name, "description": each.description, "pattern": each.pattern} for each in request.wider
        ],
    }


def in_list(question: Mapping[str, object]) -> dict[str, object]:
    """The question without what it shows: of many that wait, a list stays small."""
    return {name: value for name, value in question.items() if name not in _CONTENTS}
