"""A call the model wants to make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assent.model._frozen import EMPTY, FrozenDict, digest, freeze, thaw_items
from assent.model._slots import slot_setters


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
        # One for every call: setting the slots directly takes half the time of a frozen dataclass.
        _set_run(self, run)
        _set_id(self, id)
        _set_tool_name(self, tool_name)
        _set_args(self, args if type(args) is FrozenDict else freeze(args))
        _set_agents(self, tuple(agents))
        _set_group_id(self, group_id)
        _set_metadata(self, metadata if type(metadata) is FrozenDict else freeze(metadata, "metadata"))

    def __post_init__(self) -> None:
        """Pydantic fills the fields by itself and then comes here."""
        _set_args(self, freeze(self.args))
        _set_metadata(self, freeze(self.metadata, "metadata"))

    @property
    def digest(self) -> str:
        """What an approval binds: the tool and every argument."""
        return digest((self.tool_name, self.args))

    def arguments(self) -> dict[str, object]:
        """A changeable copy of the arguments, for the function that will run."""
        args = self.args
        return {**args} if type(args) is FrozenDict and args.flat else thaw_items(args)


_set_run, _set_id, _set_tool_name, _set_args, _set_agents, _set_group_id, _set_metadata = slot_setters(ToolCall)
