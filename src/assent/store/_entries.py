"""What the journal says about each thing that happens: the same words in every store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring_ascii as _quoted

from assent.model import (
    ApprovalRequest,
    Approve,
    EffectState,
    Grant,
    Pending,
    PendingId,
    Reject,
    Respond,
    Ruling,
    Stop,
    ToolCall,
    canonical,
    digest,
)
from assent.store._journal import Entry
from assent.store._spelling import whole_json

_LONGEST = 200
_NAMED_ONLY = frozenset({"failed", "refused"})
"""Without a request nobody knows what must not be logged: such a call is named, without its arguments."""


def noted(kind: str, at: float, call: ToolCall, why: str, request: ApprovalRequest | None) -> Entry:
    """A call nobody was asked about."""
    try:
        return kind, at, _text(call.run), _note(kind, call, why, request)
    except (AttributeError, TypeError, ValueError):
        # Written later and together with others: one that JSON cannot spell must not stop those.
        said = {"tool": call.tool_name, "call": call.id, "agents": call.agents, "why": why}
        return _entry(kind, at, ascii(call.run), {"unspellable": ascii(said)})


def _note(kind: str, call: ToolCall, why: str, request: ApprovalRequest | None) -> str:
    # `canonical`, put together by hand: every call of every agent comes by here.
    args = fingerprint = ""
    if request is not None:
        fingerprint = f'"fingerprint":{canonical(request.fingerprint)},'
    elif kind not in _NAMED_ONLY:
        text = canonical(call.args)
        # Where all of it is short, no part is long.
        args = f'"args":{text if len(text) <= _LONGEST else canonical(_shortened(call))},'
    named = f'"call":{_quoted(call.id)},{fingerprint}"tool":{_quoted(call.tool_name)},"why":{_quoted(why)}'
    return whole_json(f'{{"agents":{canonical(call.agents)},{args}{named}}}')


def parked(pending: Pending) -> Entry:
    """A question was put on the desk."""
    call, request = pending.call, pending.request
    body: dict[str, object] = {
        "pending": pending.id,
        "tool": call.tool_name,
        "call": call.id,
        "agents": call.agents,
        "fingerprint": request.fingerprint,
        "why": request.reason,
        "digest": pending.digest,
    }
    return _entry("asked", pending.created, call.run, body)


def decided(pending: Pending, ruling: Ruling, grant: Grant | None) -> Entry:
    """A question ended."""
    body: dict[str, object] = {"pending": pending.id, "tool": pending.call.tool_name, "by": ruling.by}
    match ruling.decision:
        case Approve(override_args=edited, hunks=hunks, scope=scope, note=note):
            body |= {"scope": scope, "note": note}
            if edited is not None:
                body |= {"proposed": pending.digest, "approved": digest((pending.call.tool_name, edited))}
            if hunks is not None:
                # What they come to, only the tool can say: its start has the digest of what is run.
                body |= {"proposed": pending.digest, "hunks": list(hunks)}
        case Reject(scope=scope, note=note):
            body |= {"scope": scope, "note": note}
        case Respond(note=note, result=result):
            body |= {"note": note, "result": _short(result)}
        case None:
            body |= {"detail": ruling.detail}
    if grant is not None:
        body |= {"grant": grant.id}
    return _entry(str(ruling.outcome), ruling.at, pending.call.run, body)


def started(pending: Pending, at: float, call: ToolCall, request: ApprovalRequest | None) -> Entry:
    """An approved call starts; where a person changed it, what is run is named."""
    executed = pending.digest if call is pending.call else call.digest
    body: dict[str, object] = {"pending": pending.id, "executed": executed}
    return _entry("started", at, call.run, body if executed == pending.digest else body | _about(call, request))


def effect(pending: PendingId, run: str, state: EffectState, at: float, detail: str) -> Entry:
    """An approved call ended."""
    return _entry(str(state), at, run, {"pending": pending, "detail": detail})


def remembered(grant: Grant) -> Entry:
    """An answer is remembered."""
    return _of_grant("remembered", grant, grant.by, grant.at)


def used_up(grant: Grant, at: float) -> Entry:
    """A remembered answer has let through as many calls as it was given for."""
    return _of_grant("used_up", grant, grant.by, at)


def stopped(run: str, stop: Stop) -> Entry:
    """A person stopped a run, not by answering one of its questions."""
    return _entry("run_stopped", stop.at, run, {"by": stop.by})


def resumed(run: str, by: str, at: float) -> Entry:
    """A stopped run may go on."""
    return _entry("run_resumed", at, run, {"by": by})


def ended(run: str, at: float, forgotten: Sequence[str]) -> Entry:
    """A run ended, and what was remembered for it alone is forgotten."""
    return _entry("ended", at, run, {"forgotten": list(forgotten)})


def revoked(grant: Grant, by: str, at: float) -> Entry:
    """A remembered answer is forgotten."""
    return _of_grant("revoked", grant, by, at)


def _of_grant(kind: str, grant: Grant, by: str, at: float) -> Entry:
    return _entry(kind, at, grant.run or "", {"grant": grant.id, "operation": grant.operation, "by": by})


def _entry(kind: str, at: float, run: str, body: Mapping[str, object]) -> Entry:
    return kind, at, _text(run), whole_json(canonical(body))


def _text(run: str) -> str:
    if not run.isascii():
        run.encode()  # a broken character could not be written
    return run


def _about(call: ToolCall, request: ApprovalRequest | None) -> dict[str, object]:
    """Which call; the fingerprint where there is one, as it leaves out what must not be logged."""
    what = {"args": _shortened(call)} if request is None else {"fingerprint": request.fingerprint}
    return {"tool": call.tool_name, "call": call.id, "agents": call.agents, **what}


def _shortened(call: ToolCall) -> dict[str, object]:
    return {name: _short(value) for name, value in call.args.items()}


def _short(value: object) -> object:
    """The value, or what identifies it where it is long."""
    if isinstance(value, str):
        text = value
    elif value is None or isinstance(value, (int, float)):
        text = repr(value)
    else:
        text = canonical(value)
    return value if len(text) <= _LONGEST else f"{len(text)} characters, sha256 {digest(text)}"
