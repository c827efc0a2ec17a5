"""What a policy answers: allow, ask or deny; the strictest wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from assent.model._frozen import EMPTY, FrozenDict, freeze
from assent.model._kind import ByKind
from assent.model._slots import open_twin, opened

ASKS: Final = "this tool asks every time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """Run it without asking anybody."""

    reason: str
    kind: Literal["allow"] = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wider:
    """More than this one operation, that an answer may be remembered for."""

    name: str
    """What an answer calls it in `covers`; its own within the request."""
    description: str
    """Which later calls it covers, for the person who chooses it."""
    fingerprint: Mapping[str, object]
    """The same for every call it covers, whichever tool makes it; so it says what it is about."""
    pattern: str = ""
    """The same as a person would write it down: `edit work/**/*.md`, `git push origin *`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fingerprint", freeze(self.fingerprint, "fingerprint"))


@dataclass(frozen=True, slots=True, init=False)
class ApprovalRequest:
    """Ask a person first."""

    description: str
    """One line that says what would happen, drawn from the arguments."""
    fingerprint: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    """What counts as the same operation when an answer is remembered."""
    reason: str = ASKS
    """Which rule makes it ask."""
    group_id: str | None = None
    covers: str = ""
    """Which later calls a remembered answer covers, where the fingerprint does not say it plainly."""
    wider: tuple[Wider, ...] = ()
    """What else the answer may be remembered for, narrowest first."""
    kind: Literal["ask"] = "ask"

    def __init__(
        self,
        *,
        description: str,
        fingerprint: Mapping[str, object] = EMPTY,
        reason: str = ASKS,
        group_id: str | None = None,
        covers: str = "",
        wider: tuple[Wider, ...] = (),
    ) -> None:
        if type(description) is not str or type(reason) is not str:
            raise _not_text(description, reason)
        fingerprint = fingerprint if type(fingerprint) is FrozenDict else freeze(fingerprint, "fingerprint")
        # One for every call that asks, also where the answer is remembered: see `ToolCall`.
        opened(self, _OpenRequest)
        request: Any = self
        request.description = description
        request.fingerprint = fingerprint
        request.reason = reason
        request.group_id = group_id
        request.covers = covers
        request.wider = wider
        request.kind = "ask"
        request.__class__ = ApprovalRequest

    def __post_init__(self) -> None:
        """Pydantic fills the fields by itself and then comes here."""
        object.__setattr__(self, "fingerprint", freeze(self.fingerprint, "fingerprint"))


_OpenRequest = open_twin(ApprovalRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """Never run it, whatever a person would say."""

    reason: str
    code: str = "denied"
    """What the model reads as the kind of refusal."""
    kind: Literal["deny"] = "deny"


def _not_text(*texts: object) -> TypeError:
    # What a policy says is written down and read back elsewhere: a number there would block the desk.
    return TypeError(f"the description and the reason of a request are text, not {texts!r}")


Verdict = Annotated[Allow | ApprovalRequest | Deny, ByKind()]

_ORDER: Final = {Allow: 0, ApprovalRequest: 1, Deny: 2}


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict nobody could call lenient; no verdict at all means deny."""
    return max(verdicts, key=strictness, default=Deny(reason="no rule covers this call"))


def strictness(verdict: Verdict) -> int:
    """Where the verdict stands between allow (0) and deny (2)."""
    return _ORDER[type(verdict)]
