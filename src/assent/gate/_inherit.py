"""What an agent started inside another one takes over: the gate, the run, the chain of agents."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType

from assent.gate._gate import Gate
from assent.gate._here import Here, here


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited(Here):
    """What surrounds the code at hand in a gated run."""

    gate: Gate


_inherited: ContextVar[Inherited | None] = ContextVar("assent_inherited", default=None)


def inherited() -> Inherited | None:
    """What surrounds this code; None outside of any gated run."""
    return _inherited.get()


class _Inheriting:
    """No generator, as every run of every agent needs one."""

    __slots__ = ("_surroundings", "_tokens")

    def __init__(self, surroundings: Inherited) -> None:
        self._surroundings = surroundings

    def __enter__(self) -> None:
        self._tokens = _inherited.set(self._surroundings), here.set(self._surroundings)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _inherited.reset(self._tokens[0])
        here.reset(self._tokens[1])


def inherit(surroundings: Inherited) -> _Inheriting:
    """Let everything started in this block inherit the gate, the run and the agents."""
    return _Inheriting(surroundings)
