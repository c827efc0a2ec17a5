"""What an agent started inside another one takes over: the gate, the run, the chain of agents."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

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


@contextmanager
def inherit(surroundings: Inherited) -> Generator[None]:
    """Let everything started in this block inherit the gate, the run and the agents."""
    tokens = _inherited.set(surroundings), here.set(surroundings)
    try:
        yield
    finally:
        _inherited.reset(tokens[0])
        here.reset(tokens[1])
