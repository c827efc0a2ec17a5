"""A call the model wants to make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from assent.model._frozen import (
    EMPTY,
    FrozenDict,
    canonical_call,
    digest_of,
    freeze,
    freeze_mapping,
    freeze_named,
    thaw_items,
)
from assent.model._slots import open_twin, opened


@final
@dataclass(frozen=True, slots=True, init=False)
class ToolCall:
    """One call the model wants, as it wants it; ids repeat, so (run, id, arguments) names it."""

    run: str
    id: str
    tool_name: str
    args: Mapping[str, object]
    agents: tuple[str, ...] = ()
    """The chain of agents that led here, outermost first."""
    group_id: str | None = None
    metadata: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    """What a framework adds; nothing is decided by it."""

    def __init__(
        self,
        *,
        run: str,
        id: str,  # noqa: A002 — what every framework calls it
        tool_name: str,
        args: Mapping[str, object],
        agents: tuple[str, ...] = (),
        group_id: str | None = None,
        metadata: Mapping[str, object] = EMPTY,
    ) -> None:
        kind: type[object] = type(args)
        if kind is not FrozenDict:
            args = freeze_mapping(args) if kind is dict else freeze(args)
        metadata = metadata if type(metadata) is FrozenDict else freeze(metadata, "metadata")
        agents = agents if type(agents) is tuple else tuple(agents)
        opened(self, _OpenCall)
        call: Any = self
        call.run = run
        call.id = id
        call.tool_name = tool_name
        call.args = args
        call.agents = agents
        call.group_id = group_id
        call.metadata = metadata
        call.__class__ = ToolCall

    def __post_init__(self) -> None:
        """Pydantic fills the fields by itself and then comes here."""
        object.__setattr__(self, "args", freeze(self.args))
        object.__setattr__(self, "metadata", freeze(self.metadata, "metadata"))

    @staticmethod
    def of(run: str, name: str, tool_name: str, args: dict[str, object], agents: tuple[str, ...]) -> ToolCall:
        """The same with less work, for a function's arguments: one is made for every call of it."""
        # Most of a constructor's time goes into arguments that have names.
        call: Any = _OpenCall()
        call.run = run
        call.id = name
        call.tool_name = tool_name
        call.args = freeze_named(args)
        call.agents = agents
        call.group_id = None
        call.metadata = EMPTY
        call.__class__ = ToolCall
        made: ToolCall = call
        return made

    @property
    def digest(self) -> str:
        """What an approval binds: the tool and every argument."""
        return digest_of(canonical_call(self.tool_name, self.args))

    def arguments(self) -> dict[str, object]:
        """A changeable copy of the arguments, for the function that will run."""
        args = self.args
        return {**args} if type(args) is FrozenDict and args.flat else thaw_items(args)


_OpenCall = open_twin(ToolCall)
