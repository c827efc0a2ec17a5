"""The door of one session: a hook that every call passes, and a second look at what is about to run."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, cast

from claude_agent_sdk import (
    AssistantMessage,
    HookContext,
    HookInput,
    HookJSONOutput,
    Message,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    PreToolUseHookInput,
    ToolPermissionContext,
    ToolUseBlock,
)

from assent.adapters.claude_agent._arguments import Shape
from assent.adapters.claude_agent._calls import Settings, wanted
from assent.adapters.claude_agent._going import Going, Unseen
from assent.adapters.claude_agent._told import asked, deferred, denied
from assent.adapters.claude_agent._tool import Counter
from assent.errors import AssentError, ConflictingCall, ForgedApproval, GateFailed, Rejected, Stopped
from assent.gate import Inherited, inherited
from assent.model import Pending

_SILENT = (
    "Claude Code does not call the gate's hooks, so its calls would not be judged; it may be in its simple mode: "
    "take CLAUDE_CODE_SIMPLE and --bare out of its settings and its command line"
)
_UNSERVED = (
    "tools of this process get their permits in sessions that Gated.query and Gated.client start; use one of them"
)


class Door:
    """Every call of one session is decided here, once."""

    def __init__(self, settings: Settings, shapes: dict[str, Shape], counter: Counter | None = None) -> None:
        self.outer: Inherited | None = inherited()
        self.ended: Stopped | GateFailed | None = None
        self._passed = False  # Claude Code calls the hooks, as it must
        self._settings = settings
        self._shapes = shapes
        self._counter = counter
        self._going: dict[str, Going] = {}
        self._runs: dict[str, Inherited] = {}

    async def prompted(self, _given: HookInput, _id: str | None, _context: HookContext) -> HookJSONOutput:
        """The hook before each prompt: a sign that Claude Code calls hooks at all."""
        self._passed = True
        return {}

    def watch(self, message: Message) -> None:
        """What Claude Code reports.

        Raises:
            GateFailed: it makes a call, and has not called a hook before: it may run what it likes.
        """
        calls = isinstance(message, AssistantMessage) and any(
            isinstance(each, ToolUseBlock) for each in message.content
        )
        if calls and not self._passed:
            raise GateFailed("hook", _SILENT)

    async def before(self, given: HookInput, _tool_use_id: str | None, _context: HookContext) -> HookJSONOutput:
        """The hook before a tool: whatever goes wrong here, the call does not run."""
        self._passed = True
        try:
            return await self._decide(cast("PreToolUseHookInput", given))
        except AssentError as error:
            return denied(self._heard(error))
        except Exception as error:  # noqa: BLE001 — Claude Code would refuse it too, but not say why
            return denied(GateFailed("hook", f"{type(error).__name__}: {error}"))

    async def _decide(self, given: PreToolUseHookInput) -> HookJSONOutput:
        if self.ended is not None:
            raise self.ended
        want = wanted(given, self._settings, self.outer, self._shapes)
        if want.shape is not None and self._counter is None:
            raise GateFailed("session", _UNSERVED)
        gate = want.here.gate
        self._runs[want.here.run] = want.here
        # A pause of an inner run, or of a sub-agent, cannot pass through the tool that started it: it waits.
        if self._settings.style == "deferred" and self.outer is None and not given.get("agent_id"):
            permit = await gate.judge(want.call, want.policy, timeout=gate.park_timeout)
        else:
            permit = await gate.admit(want.call, want.policy)
        if isinstance(permit, Pending):
            return deferred()
        self._going[given["tool_use_id"]] = await Going.start(want, permit)
        return asked(permit)

    async def confirm(self, name: str, given: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
        """Claude Code's own question, after all hooks: the answer is no, unless this is what was agreed to."""
        going = self._going.get(context.tool_use_id or "")
        if going is None and not self._passed:
            self.ended = GateFailed("hook", _SILENT)
            return PermissionResultDeny(message=str(self.ended), interrupt=True)
        if going is None:
            return PermissionResultDeny(message=str(ForgedApproval(name)))
        call = going.permit.call
        if not going.is_for(name, given):
            conflict = ConflictingCall(name, call.id)
            going.want.here.gate.refused(call, conflict)
            return PermissionResultDeny(message=str(conflict))
        if going.ready is not None and self._counter is not None:
            self._counter.put(going.ready)  # only now: another hook may have refused it
        return PermissionResultAllow(updated_input=call.arguments())

    async def after(self, given: HookInput, tool_use_id: str | None, _context: HookContext) -> HookJSONOutput:
        """The hooks after a tool: how it ended is on the record, and the model is told of changes."""
        seen = cast("dict[str, Any]", given)
        going = self._going.pop(str(seen.get("tool_use_id") or tool_use_id), None)
        if going is None:
            return {}
        going.ended(seen, self._counter)
        if going.ready is not None or not going.permit.announcement:
            return {}
        words: Any = {"hookEventName": seen["hook_event_name"], "additionalContext": going.permit.announcement}
        return {"hookSpecificOutput": words}

    def close(self) -> None:
        """The session is over: of what still goes on, nobody will see the end."""
        for going in self._going.values():
            with suppress(AssentError):
                going.finish(Unseen("the session ended first"), self._counter)
        self._going.clear()
        if self.outer is None and self._settings.style == "inline":
            for run, here in self._runs.items():
                with suppress(AssentError):  # the run is over, and its result stands
                    here.gate.end(run, goes_on=True)

    def _heard(self, error: AssentError) -> AssentError:
        """The refusal; one that ends the run ends it for all that comes."""
        if isinstance(error, Rejected) and self._settings.on_reject == "stop":
            error = Stopped(note=error.note, by=error.by)
        if isinstance(error, Stopped):
            self.ended = self.ended or error
        return error
