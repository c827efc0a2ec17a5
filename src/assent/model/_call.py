"""A call the model wants to make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assent.model._frozen import EMPTY, FrozenDict, digest, freeze, thaw


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call the model wants, as it wants it; ids repeat, so (run, id, arguments) names it."""

    run: str
    id: str
    tool_name: str
    args: Mapping[str, object]
    agents: tuple[str, ...] = ()
    """The chain of agents that led here, outermost first."""
    group_id: str | None = None
    metadata: Mapping[str, object] = EMPTY
    """What a framework adds; nothing is decided by it."""

    def __post_init__(self) -> None:
        # Most calls come with plain arguments: the type test saves a second attribute write.
        if type(self.args) is not FrozenDict:
            object.__setattr__(self, "args", freeze(self.args))
        if type(self.metadata) is not FrozenDict:
            object.__setattr__(self, "metadata", freeze(self.metadata, "metadata"))

    @property
    def digest(self) -> str:
        """What an approval binds: the tool and every argument."""
        return digest((self.tool_name, self.args))

    def arguments(self) -> dict[str, object]:
        """A changeable copy of the arguments, for the function that will run."""
        return {name: thaw(value) for name, value in self.args.items()}
