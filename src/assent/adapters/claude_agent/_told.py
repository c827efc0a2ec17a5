"""What Claude Code is told of a call, and what the model reads."""

from __future__ import annotations

import json
from typing import Any

from claude_agent_sdk.types import SyncHookJSONOutput

from assent import runtime
from assent.errors import AssentError, Responded, Stopped
from assent.model import Permit


def told(error: AssentError) -> str:
    """A person's words as they are, all else with its code."""
    if isinstance(error, Responded):
        result = error.result if isinstance(error.result, str) else json.dumps(error.result, ensure_ascii=False)
        return f"A person answered in the tool's place: {result}"
    return runtime.told(error)


def denied(error: AssentError) -> SyncHookJSONOutput:
    """The call does not run; if a person stopped the run, nothing else does either."""
    output: SyncHookJSONOutput = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": told(error),
        }
    }
    if isinstance(error, Stopped):
        output["continue_"] = False
        output["stopReason"] = str(error)
    return output


def asked(permit: Permit) -> SyncHookJSONOutput:
    """The gate agrees to exactly this; Claude Code asks once more, when every other hook has had its say."""
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "ask",
            "permissionDecisionReason": permit.why,
            "updatedInput": permit.call.arguments(),
        }
    }


def deferred() -> SyncHookJSONOutput:
    """The question is on the desk, and the run ends until it is resumed."""
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}


def failed(error: AssentError) -> dict[str, Any]:
    """A tool's result that is a failure."""
    return {"content": [{"type": "text", "text": told(error)}], "is_error": True}


def announced(permit: Permit, result: dict[str, Any]) -> dict[str, Any]:
    """The result, and before it what the model must know: that a person changed its call."""
    if not permit.announcement:
        return result
    return {**result, "content": [{"type": "text", "text": permit.announcement}, *result.get("content", ())]}
