"""What a policy answers: allow, ask or deny; the strictest wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from assent.model._frozen import EMPTY, FrozenDict, canonical, freeze
from assent.model._kind import ByKind
from assent.model._slots import open_twin, opened

if TYPE_CHECKING:
    from assent.model._call import ToolCall

ASKS: Final = "this tool asks every time"
EXACTLY: Final = "exactly this call"
"""What a request covers that counts every argument; only it may say so, as its fingerprint alone cannot tell."""
_SHORT: Final = 200


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
    fingerprint: Mapping[str, object]
    """What counts as the same operation when an answer is remembered: all arguments, if nothing is said.

    An empty one says that every call of the tool is the same.
    """
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
        fingerprint: Mapping[str, object] | None = None,
        reason: str = ASKS,
        group_id: str | None = None,
        covers: str = "",
        wider: Iterable[Wider] = (),
    ) -> None:
        if type(description) is not str or type(reason) is not str:
            raise _not_text(description, reason)
        if fingerprint is None:
            # The arguments are at hand where the call is: `of` puts them in, and nothing else goes by this name.
            fingerprint, covers = EMPTY, EXACTLY
        fingerprint = fingerprint if type(fingerprint) is FrozenDict else freeze(fingerprint, "fingerprint")
        # One for every call that asks, also where the answer is remembered: see `ToolCall`.
        opened(self, _OpenRequest)
        request: Any = self
        request.description = description
        request.fingerprint = fingerprint
        request.reason = reason
        request.group_id = group_id
        request.covers = covers
        request.wider = wider if type(wider) is tuple else tuple(wider)
        request.kind = "ask"
        request.__class__ = ApprovalRequest

    def __post_init__(self) -> None:
        """Pydantic fills the fields by itself and then comes here."""
        object.__setattr__(self, "fingerprint", freeze(self.fingerprint, "fingerprint"))

    def of(self, call: ToolCall) -> ApprovalRequest:
        """The same with the fingerprint it has for this call, where that was left to the arguments."""
        same = self.same(call)
        if same is self.fingerprint:
            return self
        return ApprovalRequest(
            description=self.description,
            fingerprint=same,
            reason=self.reason,
            group_id=self.group_id,
            covers=self.covers,
            wider=self.wider,
        )

    def same(self, call: ToolCall) -> Mapping[str, object]:
        """What counts as the same operation as this call."""
        return self.fingerprint if self.fingerprint or self.covers != EXACTLY else call.args


_OpenRequest = open_twin(ApprovalRequest)


def coverage(call: ToolCall, request: ApprovalRequest) -> str:
    """Which later calls a remembered answer to this question covers, in words."""
    tool, args, same = call.tool_name, call.args, request.same(call)
    if request.covers and (request.covers != EXACTLY or same == args):
        return request.covers
    if not same:
        return f"every {tool}, whatever its arguments"
    if not same.items() <= args.items():
        return f"every {tool} that amounts to {canonical(same)}"
    values = ", ".join(f"{name}={canonical(value)}" for name, value in same.items())
    # A call that leaves out an argument looks the same as one whose argument does not count.
    return f"every {tool} with {values if len(values) <= _SHORT else _names(same)}, whatever else it is given"


def _names(same: Mapping[str, object]) -> str:
    return f"the same {', '.join(same)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """Never run it, whatever a person would say."""

    reason: str
    code: str = "denied"
    """What the model reads as the kind of refusal."""
    kind: Literal["deny"] = "deny"

    def __post_init__(self) -> None:
        if not all(isinstance(each, str) for each in (self.reason, self.code)):
            message = f"the reason and the code of a denial are text, not {(self.reason, self.code)!r}"
            raise TypeError(message)


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
