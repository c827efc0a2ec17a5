"""A call as LangChain hands it over, and the same call as the gate knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.adapters.langchain._calls import Place, context_of, surroundings
from assent.adapters.langchain._guard import task_of
from assent.adapters.langchain._injected import FilledIn
from assent.adapters.langchain._policy import Known, ToolPolicy
from assent.gate import Inherited
from assent.model import Permit, ToolCall


class Wanted:
    """One call of one tool."""

    here: Inherited
    """The gate, the run and the agents it belongs to."""
    call: ToolCall
    """What the gate decides about."""
    policy: ToolPolicy
    """What speaks for the tool."""

    def __init__(
        self, known: Known, place: Place | None, given: str | Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        self.settings = known.settings
        self.tool = known.tool
        self._known = known
        self.tool_call_id: str | None = options.get("tool_call_id")
        self._given = known.shape.named(given)
        self.config = options.get("config")
        self._place = place or Place.alone(self.config)
        # The middleware stands behind LangGraph's own node; a tool alone may be called by any node of a graph.
        filled_in: FilledIn = "yes" if place is not None else "no" if task_of(self.config) is None else "maybe"
        self._injected = known.shape.injected(self._given, self.tool_call_id, filled_in)

    @property
    def is_one_of_several(self) -> bool:
        """Whether the model made more than this call at the same time."""
        return self._place.group_id is not None

    def look(self) -> None:
        """Work out what the gate must know; called where an error refuses the call.

        Raises:
            ValidationError: the arguments do not fit; that is LangChain's to answer, and nobody is asked.
        """
        self.here = surroundings(self.settings.gate, self._place, self.config)
        self.call = ToolCall(
            run=self.here.run,
            id=self._place.id,
            tool_name=self.tool.name,
            args=self._known.shape.spelled(self._given, self._injected),
            agents=self.here.agents,
            group_id=self._place.group_id,
            metadata=context_of(self.config, self.tool_call_id),
        )
        self.policy = ToolPolicy(self._known, self.here.gate.store, self.call, self._injected)

    def input(self, permit: Permit) -> dict[str, Any]:
        """What the tool gets: what was permitted, and what others than the model add."""
        return {**permit.call.arguments(), **self._injected}
