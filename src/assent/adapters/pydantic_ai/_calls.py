"""From PydanticAI's calls to ours: identity, arguments, and what the tool says of them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import ToolsetTool
from pydantic_core import to_json, to_jsonable_python

from assent.errors import AssentError, DeniedByPolicy, GateFailed, InvalidArguments, ToolError, Unspellable
from assent.functions import UNKNOWN, simple_approval_request
from assent.gate import Inherited
from assent.model import (
    Allow,
    ApprovalRequest,
    Narrows,
    Policy,
    Prepares,
    Preview,
    Previews,
    ToolCall,
    Verdict,
    arguments_preview,
    digest,
    freeze,
    strictest,
)
from assent.runtime import error_result

_PLAIN = frozenset({str, int, float, bool, type(None)})
_OWN_WORDS = "the tool itself asks, in its own words"


def spelled(args: Mapping[str, Any]) -> dict[str, object]:
    """Arguments as JSON data: what is shown, judged and bound."""
    if _is_plain(args):
        return dict(args)
    try:
        return cast("dict[str, object]", to_jsonable_python(dict(args), bytes_mode="base64"))
    except Exception as error:
        raise Unspellable("arguments", f"data that pydantic cannot write ({error})") from error


def _is_plain(args: Mapping[str, Any]) -> bool:
    """Whether every argument is its own spelling, with nothing inside that could be left out."""
    return _PLAIN.issuperset(map(type, args.values()))


def spelled_whole(tool: ToolsetTool[Any], args: Mapping[str, Any], context: object) -> dict[str, object]:
    """The same for a tool's validated arguments, where nothing may be left out.

    A field that is excluded or masked when it is written would reach the tool unseen and unbound.
    """
    if _is_plain(args):
        return dict(args)
    words = spelled(args)
    try:
        back = tool.args_validator.validate_json(to_json(words), context=context)
        whole = all(name in back and back[name] == value for name, value in args.items())
    except Exception:  # noqa: BLE001 — what cannot be read back is not whole, whatever the reason
        whole = False
    if not whole:
        raise Unspellable("arguments", f"data of {tool.tool_def.name} that is not written whole (excluded or secret)")
    return words


def approved_arguments(call: ToolCall, tool: ToolsetTool[Any], context: object) -> dict[str, Any]:
    """What the tool is given where a person changed the call: nothing else than they approved.

    Raises:
        GateFailed: the tool's own validators change it once more.
    """
    given: dict[str, Any] = tool.args_validator.validate_python(call.arguments(), context=context)
    if replace(call, args=spelled(given)).digest != call.digest:
        name = tool.tool_def.name
        raise GateFailed("call", f"the validators of {name} change what was approved; edit it so that they do not")
    return given


def call_of(
    around: Inherited,
    ctx: RunContext[Any],
    tool_call_id: str,
    tool: ToolsetTool[Any],
    args: Mapping[str, Any],
    *,
    parks: bool,
) -> ToolCall:
    """The call as the gate knows it, in every process that resumes it.

    A run that `parks` its questions also says what the model proposed, for whoever brings the answers back.
    """
    made, turn = _made_by_model(ctx, tool_call_id)
    return ToolCall(
        run=around.run,
        id=f"{tool_call_id}@{turn}",
        tool_name=tool.tool_def.name,
        args=spelled_whole(tool, args, ctx.validation_context),
        agents=around.agents,
        metadata={
            "run_id": ctx.run_id,
            "conversation_id": ctx.conversation_id,
            "tool_call_id": tool_call_id,
            "proposed": _proposed(made) if parks else None,
        },
    )


def is_call_of(part: ToolCallPart, call: ToolCall) -> bool:
    """Whether `call_of` made the call from this part: ids repeat, with other tools and other arguments."""
    said = call.metadata
    if "proposed" not in said or said.get("tool_call_id") != part.tool_call_id:
        return False
    # A run that broke off while it waited did not say it: only a call that is just as proposed can be told then.
    return (said["proposed"] or call.digest) == _proposed(part)


def _proposed(part: ToolCallPart) -> str:
    """What the model asked for, before any validation: the digest of tool and arguments."""
    return digest((part.tool_name, freeze(spelled(part.args_as_dict()))))


def _made_by_model(ctx: RunContext[Any], tool_call_id: str) -> tuple[ToolCallPart, int]:
    """The call in the history, and when the model made it: some providers use the same ids in every turn.

    Run ids change when a run is resumed; the response in the history does not.
    """
    for message in reversed(ctx.messages):
        if isinstance(message, ModelResponse):
            for part in message.parts:
                if isinstance(part, ToolCallPart) and part.tool_call_id == tool_call_id:
                    return part, int(message.timestamp.timestamp() * 1_000_000)
    raise GateFailed("call", f"no response in the history makes the call {tool_call_id!r}")


def policy_of(tool: ToolsetTool[Any], policies: Mapping[str, Policy]) -> Policy | None:
    """The policy given for the tool, else the function's own; None for an unknown tool.

    One of our own tools keeps its limits, whatever else is said about it.
    """
    given = policies.get(tool.tool_def.name)
    function = _function_of(tool)
    own = cast("Policy", function) if hasattr(function, "check_approval") else None
    if given is None or own is None or not hasattr(function, "ungated"):
        return given or own
    return Strictest((own, given))


def told(error: AssentError) -> str:
    """What the model reads of an error: a person's words as they are, all else with its code."""
    if isinstance(error, ToolError) or (isinstance(error, DeniedByPolicy) and error.code != DeniedByPolicy.code):
        return json.dumps(error_result(error), ensure_ascii=False)
    return str(error)


def _function_of(tool: ToolsetTool[Any]) -> object:
    source: object = tool
    while (inner := getattr(source, "source_tool", None)) is not None:
        source = inner
    schema = getattr(getattr(source, "call_func", None), "__self__", None)
    return getattr(schema, "function", None)


@dataclass(frozen=True, slots=True)
class Strictest:
    """Several policies for one tool: none of them can be talked out of a denial."""

    policies: tuple[Policy, ...]

    def check_approval(self, call: ToolCall, /) -> Verdict:
        """The strictest of their verdicts; a `PermissionError` of any is a denial."""
        verdicts = (policy.check_approval(call) for policy in self.policies)
        return strictest(Allow(reason="its policy allows it") if each is None else each for each in verdicts)

    async def prepare(self, call: ToolCall, /) -> None:
        """Each of them looks around, if it must."""
        for policy in self.policies:
            if isinstance(policy, Prepares):
                await policy.prepare(call)

    async def preview(self, call: ToolCall, /) -> Preview:
        """The first drawing there is, else the arguments."""
        drawing = next((policy for policy in self.policies if isinstance(policy, Previews)), None)
        return arguments_preview(call) if drawing is None else await drawing.preview(call)

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        """By the one whose drawing was shown."""
        drawing = next((policy for policy in self.policies if isinstance(policy, Previews)), None)
        return await narrowed(drawing, call, hunks, shown)


async def narrowed(policy: object, call: ToolCall, hunks: Sequence[int], shown: Preview) -> Mapping[str, object]:
    """The arguments for these hunks, from a policy that may not know any."""
    if not isinstance(policy, Narrows):
        raise GateFailed("edit", f"{call.tool_name} can do all of it or nothing: it has no hunks to choose")
    return await policy.narrow(call, hunks, shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPolicy:
    """What our policy and PydanticAI's own mechanisms say of a tool; the strictest wins."""

    tool: ToolsetTool[Any] | None
    """Knows which arguments fit; none where only the request is at hand."""
    policy: Policy | None
    asks: ApprovalRequest | None = None
    """PydanticAI's own request, where the tool makes one."""

    @property
    def idempotent(self) -> bool:
        """Whether the tool may run again after an unknown end."""
        return bool(getattr(self.policy, "idempotent", False))

    @property
    def prepare(self) -> Callable[[ToolCall], Awaitable[None]]:
        """How the policy looks around first; it has none if the policy need not."""
        looking: Callable[[ToolCall], Awaitable[None]] = getattr(self.policy, "prepare")  # noqa: B009 — optional
        return looking

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        """The strictest of both; a tool nobody speaks for asks."""
        own = None if self.policy is None else self.policy.check_approval(call)
        if self.asks is not None:
            return self.asks if own is None else strictest([own, self.asks])
        if self.policy is None:
            return simple_approval_request(call.tool_name, call.args, reason=UNKNOWN)
        return own

    async def preview(self, call: ToolCall, /) -> Preview:
        """The policy's own drawing, else the arguments."""
        drawing = getattr(self.policy, "preview", None)
        if drawing is not None:
            return cast("Preview", await drawing(call))
        return arguments_preview(call, self.asks.description if self.asks else "")

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        """The arguments for a part of what was shown, if the policy can do parts."""
        return await narrowed(self.policy, call, hunks, shown)

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """Edited arguments as the tool would get them."""
        if self.tool is None:
            return args
        try:
            return spelled(self.tool.args_validator.validate_python(dict(args)))
        except ValueError as error:
            message = f"the edited arguments do not fit {self.tool.tool_def.name}: {error}"
            raise InvalidArguments(message) from error


def own_request(tool_name: str, args: Mapping[str, object], metadata: Mapping[str, Any] | None) -> ApprovalRequest:
    """What the tool asks, described by the first of `summary`, `reason` and `path` it gives."""
    words = next((metadata[key] for key in ("summary", "reason", "path") if metadata and metadata.get(key)), None)
    reason = "PydanticAI marks this tool as requiring approval" if words is None else _OWN_WORDS
    description = None if words is None else f"{tool_name} says: {words}"
    return simple_approval_request(tool_name, args, description=description, reason=reason)
