"""What the SDK calls in the place of a shell, an editor or a custom tool."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal

from agents import RunContextWrapper
from agents.editor import ApplyPatchOperation, ApplyPatchResult
from agents.tool import LocalShellCommandRequest, ShellActionRequest, ShellCommandRequest
from agents.tool_context import ToolContext
from openai.types.responses.response_output_item import LocalShellCallAction
from pydantic import TypeAdapter

from assent.adapters.openai_agents._arguments import Shape
from assent.adapters.openai_agents._calls import Place
from assent.adapters.openai_agents._door import Door
from assent.adapters.openai_agents._told import Told
from assent.gate import new_call_id
from assent.model import Permit


class Native:
    """The part of a tool that does something, behind the gate."""

    takes: ClassVar[Any]
    """What its arguments are."""

    def __init__(self, tool: Any, inner: Any, place: Place) -> None:  # noqa: ANN401 — a tool of any kind, and its part
        self.place = place
        self._inner = inner
        self._marked = getattr(tool, "needs_approval", False) is not False
        shape = Shape.by(tool.name, TypeAdapter(self.takes))
        self.door = Door(place, shape, place.settings.policies.get(tool.name))

    def moved(self, place: Place) -> Native:
        """The same behind the gate of another place."""
        made = copy.copy(self)
        made.place = place
        shape = made.door.shape
        made.door = Door(place, shape, place.settings.policies.get(shape.name))
        return made

    async def enter(
        self, context: RunContextWrapper[Any], call_id: str, args: dict[str, Any], do: Callable[[Permit, Any], Any]
    ) -> Any:  # noqa: ANN401 — whatever the tool returns
        """Pass the gate, and do it with the arguments it was permitted for."""

        async def invoke(permit: Permit) -> Any:  # noqa: ANN401 — as above
            result = do(permit, self.takes(**permit.call.arguments()))
            return await result if inspect.isawaitable(result) else result

        agent = context.agent.name if isinstance(context, ToolContext) and context.agent else ""
        return await self.door.enter(context, call_id, lambda: args, invoke, agent=agent, marked=self._marked)


class Shell(Native):
    """Commands, in one or more lines."""

    takes = ShellActionRequest

    async def __call__(self, request: ShellCommandRequest) -> Any:  # noqa: ANN401 — text, or the SDK's own result
        """Run them if the gate agrees."""
        data = request.data

        def do(permit: Permit, action: ShellActionRequest) -> Any:  # noqa: ANN401 — as above
            raw = None if permit.announcement else data.raw
            return self._inner(replace(request, data=replace(data, action=action, raw=raw)))

        return await self.enter(request.ctx_wrapper, data.call_id, asdict(data.action), do)


class LocalShell(Native):
    """One command, as older models ask for it."""

    takes = LocalShellCallAction

    async def __call__(self, request: LocalShellCommandRequest) -> Any:  # noqa: ANN401 — as above
        """Run it if the gate agrees."""
        data = request.data

        def do(_permit: Permit, action: LocalShellCallAction) -> Any:  # noqa: ANN401 — as above
            return self._inner(replace(request, data=data.model_copy(update={"action": action})))

        return await self.enter(request.ctx_wrapper, data.call_id, data.action.model_dump(), do)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    input: str


class Custom(Native):
    """A tool that takes text, not JSON."""

    takes = _Input

    async def __call__(self, context: ToolContext[Any], given: str) -> Any:  # noqa: ANN401 — as above
        """Run it if the gate agrees."""

        def do(_permit: Permit, words: _Input) -> Any:  # noqa: ANN401 — as above
            context.tool_arguments = words.input
            return self._inner(context, words.input)

        return await self.enter(context, context.tool_call_id, {"input": given}, do)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operation:
    type: Literal["create_file", "update_file", "delete_file"]
    path: str
    diff: str | None = None
    move_to: str | None = None


class Editor(Native):
    """A patch: each of its changes is a call of its own."""

    takes = _Operation

    async def create_file(self, operation: ApplyPatchOperation) -> Any:  # noqa: ANN401 — as above
        """Make the change if the gate agrees."""
        args = {"type": operation.type, "path": operation.path, "diff": operation.diff, "move_to": operation.move_to}

        def do(_permit: Permit, change: _Operation) -> Any:  # noqa: ANN401 — as above
            edited = ApplyPatchOperation(**asdict(change), ctx_wrapper=operation.ctx_wrapper)
            return getattr(self._inner, edited.type)(edited)

        context = operation.ctx_wrapper or RunContextWrapper(None)
        result = await self.enter(context, new_call_id(), args, do)
        return ApplyPatchResult(status="failed", output=str(result)) if isinstance(result, Told) else result

    update_file = delete_file = create_file
