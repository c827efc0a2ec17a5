"""Questions that surely read back as they are written: most, and reading takes as long as writing."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Final

from assent.model import FrozenDict, Pending, Presentation, Preview

_MOST: Final = 2**63
"""JSON has no bounds for numbers; those who read it have."""


def is_plain(pending: Pending) -> bool:
    """Whether it is nothing but text and small numbers, all of it of the very types that are declared.

    Whatever is not is no error: it is read back before anybody is asked.
    """
    call, request, preview = pending.call, pending.request, pending.preview
    shown = preview.presentation
    if type(pending) is not Pending or type(preview) is not Preview or type(shown) is not Presentation:
        return False
    if (shown.type, shown.language) != ("structured", "json"):
        return False
    if (request.wider, preview.evidence, shown.full_content, shown.command) != ((), (), None, None):
        return False
    if (call.group_id, request.group_id, request.kind, type(call.agents)) != (None, None, "ask", tuple):
        return False
    words = (
        pending.id,
        pending.digest,
        call.run,
        call.id,
        call.tool_name,
        *call.agents,
        request.description,
        request.reason,
        request.covers,
        shown.description,
        shown.content,
    )
    times = (pending.created, 0.0 if pending.expires is None else pending.expires)
    if {*map(type, words)} != {str} or {*map(type, times)} != {float} or not all(map(isfinite, times)):
        return False
    fingerprint = request.fingerprint
    return _is_flat(call.args) and _is_flat(call.metadata) and (fingerprint is call.args or _is_flat(fingerprint))


def _is_flat(data: Mapping[str, object]) -> bool:
    """Frozen data holds what JSON can spell, and nothing else."""
    if type(data) is not FrozenDict or not data.flat:
        return False
    for each in data.values():  # noqa: SIM110 — `all` would take a step for every value
        if type(each) is int and not -_MOST < each < _MOST:
            return False
    return True
