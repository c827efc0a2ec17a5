"""A function tool behind the gate: the SDK's own, an agent's, an MCP server's, or one built by hand."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from agents import FunctionTool, RunContextWrapper
from agents.agent_tool_state import drop_agent_tool_run_result, get_agent_tool_state_scope
from agents.tool_context import ToolContext

from assent.adapters.openai_agents._calls import Place, inside
from assent.adapters.openai_agents._door import Door
from assent.adapters.openai_agents._failed import failed
from assent.adapters.openai_agents._inner import Paused, pause_in
from assent.adapters.openai_agents._known import Known, speaker
from assent.adapters.openai_agents._told import Told
from assent.errors import Stopped
from assent.model import Permit

_spell: Final = json.JSONEncoder(ensure_ascii=False).encode


def gated_tool(tool: FunctionTool, place: Place) -> FunctionTool:
    """Looks like the tool it stands for; the time a person takes does not count as the tool's."""
    entry = tool.on_invoke_tool
    if not isinstance(entry, Entry):
        entry = Entry(tool, Known.of(tool, place.settings), place)
    elif (stands := place.around(entry.place, tool.qualified_name)) is entry.place:
        return tool
    else:
        entry = Entry(entry.tool, entry.known, place := stands)
    # As the SDK copies its tools; making one anew would work out the schema again for every run.
    made = object.__new__(type(tool))
    mine = tool.__dict__.copy()
    object.__setattr__(made, "__dict__", mine)
    defers = place.run is not None and place.settings.style == "deferred"
    mine["needs_approval"] = entry.needs_approval if defers else False
    mine["on_invoke_tool"] = entry
    mine["timeout_seconds"] = None
    return made


class Entry:
    """What the SDK calls in the tool's place."""

    # Nothing that the SDK could look for in the annotations, at every call: it hands over the whole context.
    __signature__ = inspect.Signature()

    def __init__(self, tool: FunctionTool, known: Known, place: Place) -> None:
        self.tool = tool
        self.known = known
        self.place = place

    @property
    def _door(self) -> Door:
        # Most tools of an agent are not called in a run.
        return Door(self.place, self.known.shape, speaker(self.tool, self.place.settings))

    async def __call__(self, context: ToolContext[Any], given: str) -> Any:  # noqa: ANN401 — whatever a tool returns
        """Run the tool if the gate agrees."""
        tool = self.tool
        marked = tool.needs_approval is not False and await self._marked(context, given, context.tool_call_id)
        # A deferred run paused before no words at all, by the SDK's own rule, and nobody was asked.
        words = given if self.place.deferred else given or "{}"
        try:
            result = await self._door.enter(
                context,
                context.tool_call_id,
                lambda: self.known.shape.words(words),
                partial(self._invoke, context),
                agent=context.agent.name if context.agent else "",
                marked=marked,
            )
        except Paused:
            return None  # the SDK finds what is paused, and asks for no result
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 — the tool's own, for which the SDK has its rules
            return await failed(tool, context, error)
        return _refusal(context, result) if isinstance(result, Told) else result

    async def needs_approval(self, context: RunContextWrapper[Any], args: Mapping[str, Any], tool_call_id: str) -> bool:
        """Whether the SDK pauses the run before this call."""
        if not self.place.deferred:
            return False
        marked = self.tool.needs_approval is not False and await self._marked(context, json.dumps(args), tool_call_id)
        return await self._door.asks(context, tool_call_id, args, marked=marked)

    async def _invoke(self, context: ToolContext[Any], permit: Permit) -> Any:  # noqa: ANN401 — as above
        given = _spell(permit.call.arguments())
        context.tool_arguments = given
        if not getattr(self.tool, "_is_agent_tool", False):
            return await self.known.invoke(context, given)
        token = inside.set(permit.call.id)
        try:
            result = await self.known.invoke(context, given)
        finally:
            inside.reset(token)
        if permit.answered is not None and (pause := pause_in(context)):
            raise Paused(pause)
        return result

    async def _marked(self, context: RunContextWrapper[Any], given: str, tool_call_id: str) -> bool:
        """Whether the tool itself wants to be asked about; what cannot be told means yes."""
        needs = self.tool.needs_approval
        if not callable(needs):
            return bool(needs)
        try:
            answer: object = needs(context, json.loads(given or "{}"), tool_call_id)
            return bool(await answer if inspect.isawaitable(answer) else answer)
        except Exception:  # noqa: BLE001 — whatever it is, it is no permission
            return True


def _refusal(context: ToolContext[Any], told: Told) -> str:
    """The words alone: a refusal need not look like a result, and ends what the agent inside waited for."""
    context.__dict__["_function_tool_default_failure_handled"] = True
    if context.tool_call is not None:
        drop_agent_tool_run_result(context.tool_call, scope_id=get_agent_tool_state_scope(context))
    return str(told)
