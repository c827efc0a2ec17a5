"""A LangChain tool behind a gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from assent.adapters.langchain._calls import OnReject, Place, Settings
from assent.adapters.langchain._guard import guarded
from assent.adapters.langchain._policy import Known
from assent.adapters.langchain._stop import Beside
from assent.adapters.langchain._visit import Visit
from assent.gate import Gate
from assent.model import Policy

_TAKEN_OVER = ("name", "description", "args_schema", "return_direct", "response_format", "tags", "metadata", "extras")


def gated(tool: BaseTool, gate: Gate, *, policy: Policy | None = None, on_reject: OnReject = "tell") -> GatedTool:
    """The tool behind the gate, for any loop: it is called as before, and runs only if the gate agrees.

    Called with a model's `ToolCall`, it answers a refusal as a `ToolMessage`; called with arguments
    alone, it raises `Refused`.
    """
    policies = {} if policy is None else {tool.name: policy}
    return GatedTool.around(tool, Settings(gate=gate, policies=policies, on_reject=on_reject))


class GatedTool(BaseTool):
    """Looks like the tool it stands for; the permit is taken where that tool runs."""

    # Beside the fields of an instance, where `model_copy` puts them: every call makes a copy, and pydantic's
    # private attributes take long to copy and to read.
    _known: ClassVar[Known]
    _place: ClassVar[Place | None] = None

    @classmethod
    def around(cls, tool: BaseTool, settings: Settings) -> GatedTool:
        """The tool behind a gate."""
        made = cls(**{name: getattr(tool, name) for name in _TAKEN_OVER})
        return made.model_copy(update={"_known": Known(tool, settings)})

    def at(self, place: Place) -> GatedTool:
        """The same for one call, whose place in the conversation is known."""
        return self.model_copy(update={"_place": place})

    @property
    def inner(self) -> BaseTool:
        """The tool it stands for."""
        return self._known.tool

    @property
    def tool_call_schema(self) -> Any:  # noqa: ANN401 — a model or a JSON schema
        """What the model sees."""
        return self.inner.tool_call_schema

    def get_input_schema(self, config: RunnableConfig | None = None) -> Any:  # noqa: ANN401 — a model of either pydantic
        """What LangGraph looks at to fill in its own arguments."""
        return self.inner.get_input_schema(config)

    @property
    def func(self) -> Callable[..., object] | None:
        """The same, for arguments that only the function has."""
        return getattr(self.inner, "func", None)

    @property
    def coroutine(self) -> Callable[..., object] | None:
        """The same for an asynchronous function."""
        return getattr(self.inner, "coroutine", None)

    def run(self, tool_input: str | dict[str, Any], *args: Any, **options: Any) -> Any:  # noqa: ANN401 — as LangChain has it
        """Run the tool if the gate agrees."""
        visit = self._visit(tool_input, options)
        if (permit := visit.admit_sync()) is not None:
            with visit:
                visit.result = visit.tool.run(visit.input(permit), *args, **guarded(options))
        return visit.result

    async def arun(self, tool_input: str | dict[str, Any], *args: Any, **options: Any) -> Any:  # noqa: ANN401 — as LangChain has it
        """The same for asynchronous code."""
        visit = self._visit(tool_input, options)
        if (permit := await visit.admit()) is not None:
            with Beside(visit.here), visit:
                visit.result = await visit.tool.arun(visit.input(permit), *args, **guarded(options))
        return visit.result

    def _visit(self, tool_input: str | Mapping[str, Any], options: Mapping[str, Any]) -> Visit:
        return Visit(self._known, self._place, tool_input, options)

    def _run(self, **args: Any) -> Any:  # noqa: ANN401 — as LangChain has it
        return self.run(args)
