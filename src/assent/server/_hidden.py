"""What no log has: values that a tool excludes are for who must answer, and for nobody after that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from assent.model import Approve, Asked, Pending, Presentation, Ruling, arguments_preview

_HIDDEN: Final = "…"


def without_hidden(asked: Asked) -> Asked:
    """The question and its end as the journal might tell them."""
    names = _hidden(asked.pending)
    if not names:
        return asked
    call = replace(asked.pending.call, args=_told(asked.pending.call.args, names))
    preview = arguments_preview(call, asked.pending.request.description)
    ruling = asked.ruling
    if ruling is not None:
        ruling = _ruling(ruling, names)
    return replace(asked, pending=replace(asked.pending, call=call, preview=preview), ruling=ruling)


def _ruling(ruling: Ruling, names: frozenset[str]) -> Ruling:
    match ruling.decision:
        case Approve(override_args=edit) as decision if edit is not None:
            return replace(ruling, decision=replace(decision, override_args=_told(edit, names)))
        case _:
            return ruling


def _told(args: Mapping[str, object], names: frozenset[str]) -> Mapping[str, object]:
    return {name: _HIDDEN if name in names else value for name, value in args.items()}


def _hidden(pending: Pending) -> frozenset[str]:
    """What the fingerprint leaves out of the arguments, for tools that show nothing but these.

    There the fingerprint is the arguments without `exclude_keys`. The other tools have fingerprints
    in words of their own.
    """
    args, fingerprint = pending.call.args, pending.request.fingerprint
    shown = pending.preview.presentation
    if not (isinstance(shown, Presentation) and shown.type == "structured"):
        return frozenset()
    if any(name not in args or args[name] != value for name, value in fingerprint.items()):
        return frozenset()
    return frozenset(args) - frozenset(fingerprint)
