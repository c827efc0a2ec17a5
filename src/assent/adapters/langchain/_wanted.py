"""A call as LangChain hands it over, and the same call as the gate knows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from assent.adapters.langchain._arguments import Shape
from assent.adapters.langchain._calls import Place, Settings, ToolPolicy, context_of, surroundings
from assent.gate import Inherited
from assent.model import Permit, ToolCall


class Wanted:
    """One call of one tool; every part is worked out when it is first needed, where an error refuses the call."""

    def __init__(
        self,
        settings: Settings,
        place: Place | None,
        shape: Shape,
        given: str | Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        self.settings = settings
        self.tool = shape.tool
        self._shape = shape
        self.tool_call_id: str | None = options.get("tool_call_id")
        self._given = shape.named(given)
        self.config = options.get("config")
        self._place = place or Place.alone(self.config)

    @cached_property
    def here(self) -> Inherited:
        """The gate, the run and the agents it belongs to."""
        return surroundings(self.settings.gate, self._place, self.config)

    @cached_property
    def call(self) -> ToolCall:
        """What the gate decides about; arguments that do not fit are LangChain's to answer, and nobody is asked."""
        return ToolCall(
            run=self.here.run,
            id=self._place.id,
            tool_name=self.tool.name,
            args=self._shape.spelled(self._given),
            agents=self.here.agents,
            group_id=self._place.group_id,
            metadata=context_of(self.config, self.tool_call_id),
        )

    @cached_property
    def policy(self) -> ToolPolicy:
        """What speaks for the tool."""
        return ToolPolicy(self._shape, self.settings.policies, self.here, self.call)

    def input(self, permit: Permit) -> dict[str, Any]:
        """What the tool gets: what was permitted, and what LangGraph adds."""
        return {**self._shape.injected(self._given, self.call.args), **permit.call.arguments()}
