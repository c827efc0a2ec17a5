"""What no log has: values that a tool excludes are for who must answer, and for nobody after that."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from assent.model import Approve, Asked, Pending, Presentation, Ruling, arguments_preview

_HIDDEN: Final = "…"


def without_hidden(asked: Asked) -> Asked:
    """The question and its end as the journal might tell them."""
    if not _is_plain(asked.pending):
        return asked
    shown = asked.pending.request.fingerprint.keys()
    if asked.ruling is not None:
        # Also what a person added: whether the tool excludes it, nothing here tells.
        asked = replace(asked, ruling=_ruling(asked.ruling, shown))
    call = asked.pending.call
    if call.args.keys() <= shown:
        return asked
    call = replace(call, args=_told(call.args, shown))
    preview = arguments_preview(call, asked.pending.request.description)
    return replace(asked, pending=replace(asked.pending, call=call, preview=preview))


def _ruling(ruling: Ruling, shown: AbstractSet[str]) -> Ruling:
    match ruling.decision:
        case Approve(override_args=edit) as decision if edit is not None:
            return replace(ruling, decision=replace(decision, override_args=_told(edit, shown)))
        case _:
            return ruling


def _told(args: Mapping[str, object], shown: AbstractSet[str]) -> Mapping[str, object]:
    return {name: value if name in shown else _HIDDEN for name, value in args.items()}


def _is_plain(pending: Pending) -> bool:
    """Whether the tool shows nothing but its arguments, and its fingerprint is all it would log of them.

    There the fingerprint is the arguments without `exclude_keys`. The other tools have fingerprints
    in words of their own.
    """
    args, fingerprint = pending.call.args, pending.request.fingerprint
    shown = pending.preview.presentation
    if not (isinstance(shown, Presentation) and shown.type == "structured"):
        return False
    return all(name in args and args[name] == value for name, value in fingerprint.items())
