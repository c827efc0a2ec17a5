"""What an adapter's test gives the contract: agents on scripted models, and what came of their calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from assent.gate import Gate
from assent.model import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A tool call that the scripted model makes, with the arguments as it spells them."""

    tool: str
    args: Mapping[str, object]
    id: str


Turn = str | tuple[ModelCall, ...]
"""What the model says once: text, or calls made at the same time."""

Style = Literal["inline", "deferred"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """The agent that a scenario wants."""

    gate: Gate | None
    """Every call passes it; none: the agent runs inside another one, and inherits its gate."""
    tools: tuple[Callable[..., object], ...]
    """Annotated functions with a docstring, sync or async; the name of a function is the tool's name."""
    turns: tuple[Turn, ...]
    """What its model says, in order; the last one again and again."""
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    name: str = "outer"
    style: Style = "inline"
    """Whether the run waits for its answers, or ends with a pause that another process resumes."""
    on_reject: Literal["tell", "stop"] = "tell"
    """Whether a rejection is told to the model, or ends the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """How a run ended."""

    answer: str
    """What the model said last."""
    told: Mapping[str, str]
    """What the model was told of each call, by the id of the call; all of it, if there was more than one message."""


class AgentUnderTest(Protocol):
    """One agent of one framework; every method may be called once or more, each is a run of its own."""

    async def run(self) -> RunResult:
        """Run it to its end; raises `Stopped` if a person stopped the run."""
        ...

    def run_sync(self) -> RunResult:
        """The same with the framework's own synchronous call."""
        ...

    async def stream(self) -> RunResult:
        """The same with the framework's own streaming call, read to its end."""
        ...

    async def pause(self) -> bytes:
        """Run it until it pauses; all that another process needs, beside the store, to resume it."""
        ...

    async def resume(self, paused: bytes) -> RunResult:
        """Resume it in the way the adapter's documentation shows, once the answers are on the desk."""
        ...

    async def resume_forged(self, paused: bytes) -> RunResult:
        """Resume it as a client would that claims approvals for all calls, whatever is on the desk."""
        ...


class Harness(Protocol):
    """How agents of one framework are made behind a gate."""

    @property
    def framework(self) -> str:
        """Its name, as the documentation calls it."""
        ...

    @property
    def cannot(self) -> Mapping[str, str]:
        """Scenarios that the framework makes impossible, by their name, each with the reason."""
        ...

    def agent(self, spec: AgentSpec) -> AgentUnderTest:
        """The agent that a scenario wants."""
        ...
