"""The calls of the journal: what was asked for, and what became of it then."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from assent.model import Asked, JournalEntry, PendingId, Store

Kind = Literal["allow", "ask", "deny"]

# What its policy said of a call, by the kind of its entry; a grant or a mode answers what asks.
_SAID: Final[Mapping[str, Kind]] = {
    "allowed": "allow",
    "granted": "ask",
    "approved_by_mode": "ask",
    "asked": "ask",
    "denied": "deny",
    "refused": "deny",
}
_SHORTENED: Final = re.compile(r"[0-9]+ characters, sha256 [0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A call as the journal has it."""

    seq: int
    at: float
    run: str
    tool: str
    call: str
    agents: tuple[str, ...]
    then: str
    """What became of it: the kind of its entry, and of a question its end."""
    said: Kind
    """What its policy said."""
    args: Mapping[str, object] | None
    """The arguments; none where the journal has the fingerprint alone."""
    fingerprint: Mapping[str, object]
    """What made it the same operation; empty where nothing asked."""

    @property
    def about(self) -> str:
        """The call in a few words."""
        args, known = self.args or {}, self.fingerprint
        path = f"{known['path_name']}/{known['path']}" if {"path_name", "path"} <= known.keys() else None
        named = (args.get(name) for name in ("command", "file_path", "path", "pattern"))
        return next((each for each in (*named, known.get("command"), path) if isinstance(each, str)), "")


def past_calls(store: Store, since: float) -> Iterator[Past]:
    """Every call that was judged since then, oldest first."""
    for entry in store.journal():
        if entry.at >= since and entry.kind in _SAID and isinstance(entry.body.get("tool"), str):
            yield _past(entry, store)


def is_shortened(value: object) -> bool:
    """Whether the journal has only the length and the hash of it."""
    return isinstance(value, str) and _SHORTENED.fullmatch(value) is not None


def _past(entry: JournalEntry, store: Store) -> Past:
    body = entry.body
    asked = store.asked(PendingId(str(body["pending"]))) if entry.kind == "asked" and "pending" in body else None
    fingerprint, args = body.get("fingerprint"), asked.pending.call.args if asked else body.get("args")
    agents = body.get("agents")
    # Denied although its policy would have asked: by a remembered refusal, or by the mode.
    unasked = entry.kind == "denied" and "fingerprint" in body
    return Past(
        seq=entry.seq,
        at=entry.at,
        run=entry.run,
        tool=str(body["tool"]),
        call=str(body.get("call", "")),
        agents=tuple(map(str, cast("tuple[object, ...]", agents))) if isinstance(agents, (list, tuple)) else (),
        then="denied unasked" if unasked else _then(entry, asked),
        said="ask" if unasked else _SAID[entry.kind],
        args=cast("Mapping[str, object]", args) if isinstance(args, Mapping) else None,
        fingerprint=cast("Mapping[str, object]", fingerprint) if isinstance(fingerprint, Mapping) else {},
    )


def _then(entry: JournalEntry, asked: Asked | None) -> str:
    if entry.kind != "asked":
        return entry.kind.replace("_", " ")
    if asked is None:
        return "asked"
    return f"asked, {asked.ruling.outcome.value if asked.ruling else 'waiting'}"
