"""How far the reading of a list of commands has come."""

from __future__ import annotations

from dataclasses import dataclass, field

from assent.tools.shell._simple import Simple


@dataclass(slots=True, kw_only=True)
class Frame:
    """How far the reading of one list of commands has come."""

    closer: str | None
    draft: Simple | None = None
    closed: bool = False
    """Whether a compound command has just ended, so that only an operator may follow."""
    cases: list[str] = field(default_factory=list[str])
    """For each open `case`, what is read next: a pattern or a body."""
    upstream: Simple | None = None

    @property
    def in_pattern(self) -> bool:
        """Whether a pattern of `case` is read."""
        return bool(self.cases) and self.cases[-1] == "pattern"
