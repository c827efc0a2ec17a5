"""Which run and which chain of agents the code at hand works for."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """What calls made here belong to."""

    run: str
    agents: tuple[str, ...] = ()


here: ContextVar[Here | None] = ContextVar("assent_here", default=None)
