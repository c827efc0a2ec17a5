"""Why it asks, and the call as it was made: what `?` shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from assent.model import Pending, thaw
from assent.ui.draw._head import covered, line_of
from assent.ui.draw._ink import said
from assent.ui.draw._look import Look
from assent.ui.draw._rows import content


def why(pending: Pending, look: Look) -> Iterator[str]:
    """The rule, the agents, the raw arguments, and what an approval binds and covers."""
    call, request = pending.call, pending.request
    yield from said("What: ", line_of(pending), look, fore="strong")
    yield from said("Why: ", request.reason, look)
    yield from said("Tool: ", call.tool_name, look)
    for number, agent in enumerate(call.agents, start=1):
        yield from said(f"Agent {number} of {len(call.agents)}: ", agent, look)
    yield from said("Run: ", call.run, look)
    yield from said("Call: ", call.id, look)
    if pending.group_id is not None:
        yield from said("Batch: ", pending.group_id, look)
    yield from said("Asked: ", _moment(pending.created), look)
    if pending.expires is not None:
        yield from said("Expires: ", _moment(pending.expires), look)
    yield from said("[s] covers: ", covered(pending), look)
    for wider in request.wider:
        yield from said("or: ", wider.pattern or wider.description, look)
    yield from _json("An approval binds these arguments:", call.args, look)
    yield from said("Digest: ", pending.digest, look)
    for evidence in pending.preview.evidence:
        yield from _json(f"and what was seen of {evidence.subject}:", evidence.facts, look)
    yield from _json("The same operation is one with this fingerprint:", request.fingerprint, look)


def _json(label: str, value: Mapping[str, object], look: Look) -> Iterator[str]:
    yield from said("", label, look)
    text = json.dumps(thaw(value), indent=2, ensure_ascii=False, default=str)
    yield from (line for item in content(text, "args.json", numbered=False).items(look) for line in item.lines)


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")
    except (OverflowError, ValueError, OSError):
        return f"{seconds} s"
