"""Judging: all that can be said of a call without drawing anything or asking anybody."""

from __future__ import annotations

from collections.abc import Coroutine

from assent.config import Mode
from assent.errors import DeniedByPolicy, GateFailed, Stopped, ToolError, described, shown, words_of
from assent.model import (
    Allow,
    ApprovalRequest,
    Asked,
    Clock,
    Deny,
    Grant,
    Permit,
    Policy,
    Store,
    ToolCall,
)

_ALLOWED = "its policy allows it"
_VERDICTS = "return None to allow, an ApprovalRequest to ask, or raise PermissionError to deny"


class Judge:
    """Policy, earlier answers, remembered answers and the mode, in this order."""

    def __init__(self, store: Store, clock: Clock, mode: Mode) -> None:
        self.mode: Mode = mode
        self._store = store
        self._clock = clock

    def rule(self, call: ToolCall, policy: Policy) -> Permit | ApprovalRequest | Asked:
        """All that can be said without drawing anything or asking anybody."""
        # As `check`, without the step: every call comes by here, and most are allowed.
        try:
            verdict = policy.check_approval(call)
        except Exception as error:  # noqa: BLE001 — whatever it is, it is no permission
            verdict = self._denial(call, error)
        if verdict is not None and type(verdict) is not Allow and type(verdict) is not ApprovalRequest:
            verdict = self._heard(call, verdict)
        history = self._store.history(call.run)
        if history.stopped is not None:
            raise Stopped(by=history.stopped.by)
        earlier = history.calls.get(call.id)
        if earlier is not None and (asked := self._store.asked(earlier)) is not None:
            return asked
        if isinstance(verdict, ApprovalRequest):
            verdict = verdict if verdict.fingerprint else verdict.of(call)
            return self.by_memory(call, verdict) or self.by_mode(call, verdict) or verdict
        why = verdict.reason if verdict is not None else _ALLOWED
        self._store.note("allowed", self._clock(), call, why)
        return Permit.of(call, why)

    async def prepare(self, call: ToolCall, policy: Policy) -> None:
        """Let a policy look around that must; what it cannot see refuses the call."""
        try:
            await getattr(policy, "prepare")(call)  # noqa: B009 — the protocol is optional
        except ToolError as error:
            self._note("refused", call, f"{error.code}: {words_of(error)}")
            raise
        except Exception as error:
            self._note("refused", call, f"failed: the check raised {type(error).__name__}")
            raise GateFailed("check", described(error)) from error

    def check(self, call: ToolCall, policy: Policy) -> Allow | ApprovalRequest | None:
        """The policy's verdict; the one place where a denial is raised."""
        try:
            verdict = policy.check_approval(call)
        except Exception as error:  # noqa: BLE001 — whatever it is, it is no permission
            verdict = self._denial(call, error)
        return self._heard(call, verdict)

    def _denial(self, call: ToolCall, error: Exception) -> Deny:
        """What a check means that raised; one that did not work refuses the call."""
        if isinstance(error, PermissionError):
            return Deny(reason=words_of(error), code=error.code if isinstance(error, ToolError) else "denied")
        if isinstance(error, ToolError):
            self._note("refused", call, f"{error.code}: {words_of(error)}")
            raise error
        self._note("refused", call, f"failed: the check raised {type(error).__name__}")
        raise GateFailed("check", described(error)) from error

    def _heard(self, call: ToolCall, verdict: object) -> Allow | ApprovalRequest | None:
        """The verdict, if it is one and does not deny."""
        if isinstance(verdict, ApprovalRequest):
            return verdict.of(call)
        if verdict is None or isinstance(verdict, Allow):
            return verdict
        if isinstance(verdict, Deny):
            self._note("denied", call, verdict.reason)
            raise DeniedByPolicy(call.tool_name, verdict.reason, code=verdict.code)
        raise self._no_verdict(call, verdict)

    def by_memory(self, call: ToolCall, request: ApprovalRequest) -> Permit | None:
        """A permit if a grant covers the call; raises if a remembered refusal does."""
        grant = self.deny_if_remembered(call, request)
        if grant is None or not self.may_use(grant):
            return None
        why = _remembered(grant)
        self._note("granted", call, why, request)
        return Permit.of(call, why, None, request)

    def deny_if_remembered(self, call: ToolCall, request: ApprovalRequest) -> Grant | None:
        """The grant that covers the call; a remembered refusal is a denial in every mode."""
        grant = self.remembered(call, request)
        if grant is not None and not grant.allow:
            self._note("denied", call, _remembered(grant), request)
            why = grant.note or f"refused for {grant.description}"
            raise DeniedByPolicy(call.tool_name, f"{why} ({_remembered(grant)})")
        return grant

    def remembered(self, call: ToolCall, request: ApprovalRequest) -> Grant | None:
        """What was remembered for the operation or anything wider; a refusal before a grant."""
        return self._store.remembered(call, request, self._clock())

    def may_use(self, grant: Grant) -> bool:
        """Whether the grant lets this call through; one that counts does so on the record."""
        # Two calls may have found the last use of it: the second is asked about.
        return grant.calls is None or self._store.use(grant.id, self._clock())

    def by_mode(self, call: ToolCall, request: ApprovalRequest) -> Permit | None:
        match self.mode:
            case "approve_all":
                self._note("approved_by_mode", call, "mode approve_all", request)
                return Permit(call, "mode approve_all", request=request)
            case "strict":
                self._note("denied", call, "mode strict", request)
                raise DeniedByPolicy(call.tool_name, "Strict mode: approval required")
            case "interactive":
                return None

    def _note(self, kind: str, call: ToolCall, why: str, request: ApprovalRequest | None = None) -> None:
        self._store.note(kind, self._clock(), call, why, request)

    def _no_verdict(self, call: ToolCall, answer: object) -> GateFailed:
        spelled = shown(answer)
        if isinstance(answer, Coroutine):
            answer.close()
        self._note("refused", call, "failed: the check returned no verdict")
        return GateFailed("check", f"it returned {spelled}, which is no verdict; {_VERDICTS}")


def _remembered(grant: Grant) -> str:
    return f"remembered answer of {grant.by} ({grant.scope}, {grant.id})"
