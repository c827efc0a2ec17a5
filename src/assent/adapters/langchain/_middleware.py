"""The middleware: every tool call of an agent passes the gate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import signature
from typing import Any, TypeVar, cast

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain.tools import ToolRuntime
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from assent.adapters.langchain._calls import OnReject, Place, Settings, Style
from assent.adapters.langchain._told import message
from assent.adapters.langchain._tool import GatedTool
from assent.errors import UnknownTool
from assent.gate import Gate
from assent.model import Policy
from assent.runtime import told

Result = ToolMessage | Command[Any]
Hook = TypeVar("Hook", bound=Callable[..., object])


class _Hook:
    """A method as LangChain's tracing takes least time for it, also where nothing is traced."""

    def __init__(self, method: Callable[..., object]) -> None:
        self._method = method

    def __get__(self, instance: object, owner: type | None = None) -> object:
        """A plain function: around an `async def`, tracing changes threads twice and makes a task for every call."""
        if instance is None:
            return self
        method: Callable[..., object] = self._method.__get__(instance)

        def plain(*given: Any, **named: Any) -> object:  # noqa: ANN401 — handed on
            return method(*given, **named)

        # Tracing asks for it at every call. No `functools.wraps`: the `async def` would be found.
        plain.__signature__ = signature(method)  # type: ignore[attr-defined]
        return plain


def _hook(method: Hook) -> Hook:
    return cast("Hook", _Hook(method))


class Gated(AgentMiddleware[Any, Any, Any]):
    """Every tool call of the agent passes the gate; without a gate, that of the surrounding run.

    Give it last, closest to the tools: what other middleware changes before it, the gate sees.
    `inline` waits for the answer while the run waits; a turn's questions are one batch. `interrupt`
    puts them on the desk and pauses the graph; `resuming` wakes it up. Answers count that are on the
    desk; with `inbox`, a name for the record, also decisions in LangChain's shape that come with
    `Command(resume=…)`. A tool without a policy (in `policies`, or its own `check_approval`) asks.
    """

    def __init__(
        self,
        gate: Gate | None = None,
        *,
        policies: Mapping[str, Policy] | None = None,
        style: Style = "inline",
        inbox: str = "",
        on_reject: OnReject = "tell",
    ) -> None:
        super().__init__()
        self._tools: dict[str, tuple[BaseTool, GatedTool]] = {}
        self._settings = Settings(gate=gate, policies=policies or {}, style=style, inbox=inbox, on_reject=on_reject)

    @_hook
    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Let the handler run a tool that asks the gate first."""
        behind = self._behind(request)
        return handler(behind) if isinstance(behind, ToolCallRequest) else behind

    @_hook
    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        """The same for asynchronous code."""
        behind = self._behind(request)
        return await handler(behind) if isinstance(behind, ToolCallRequest) else behind

    def _behind(self, request: ToolCallRequest) -> ToolCallRequest | ToolMessage:
        call = request.tool_call
        runtime = cast("ToolRuntime[Any, Any]", request.runtime)  # pyright: ignore[reportUnknownMemberType] — any state
        if request.tool is None:
            # Middleware further inside could still find a tool for it, and would run it past the gate.
            unknown = UnknownTool(call["name"], [tool.name for tool in runtime.tools])
            return message(call["name"], call["id"] or "", told(unknown), failed=True)
        place = Place.of(call["id"], request.state, runtime.config)
        return request.override(tool=self._gated(request.tool).at(place))

    def _gated(self, tool: BaseTool) -> GatedTool:
        inner, behind = self._tools.get(tool.name) or (None, None)
        if behind is None or inner is not tool:
            # Making one takes longer than all that the gate does with it.
            behind = GatedTool.around(tool, self._settings)
            self._tools[tool.name] = tool, behind
        return behind
