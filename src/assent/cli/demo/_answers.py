"""What the gate answered to a call, read from its journal: the demo keeps no record of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assent.model import JournalEntry

_RUNS = frozenset({"allowed", "approved", "approved_by_mode", "granted"})
_PLAINER = {
    "mode strict": "strict mode: it would ask",
    "mode approve_all": "approve-all mode: unseen",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the gate made of one call, and why."""

    call: str
    kind: str
    why: str

    @property
    def refused(self) -> bool:
        """Whether the call did not run."""
        return self.kind not in _RUNS

    @property
    def would_ask(self) -> bool:
        """Whether it was denied only because nobody is asked in this mode."""
        return self.kind == "denied" and self.why == _PLAINER["mode strict"]

    @property
    def sentence(self) -> str:
        """The answer and why, to be read aloud."""
        return f"{self.name}{' ' if self.why.startswith('by ') else ': '}{self.why}"

    @property
    def name(self) -> str:
        """The answer in one word."""
        return self.kind.removesuffix("_by_mode")


def answer_to(call: str, call_id: str, journal: Iterable[JournalEntry]) -> Answer:
    """The journal's word on a call: what was noted of it, or how its question ended."""
    kind, why, pending = "unanswered", "the journal does not know this call", None
    for entry in journal:
        if entry.body.get("call") == call_id:
            kind, why, pending = entry.kind, str(entry.body["why"]), entry.body.get("pending")
        elif pending is not None and entry.body.get("pending") == pending and "by" in entry.body:
            kind, why = entry.kind, _by_whom(entry.body)
    # The first line says why; what could be done about it, the agent is told.
    return Answer(call=call, kind=kind, why=_PLAINER.get(why, why.partition("\n")[0]))


def _by_whom(body: Mapping[str, object]) -> str:
    """Who ended the question, for how long, and their words."""
    scope = ", for this session" if body.get("scope") == "session" else ""
    words = body.get("note") or body.get("detail")
    return f"by {body['by']}{scope}{f': {words}' if words else ''}"
