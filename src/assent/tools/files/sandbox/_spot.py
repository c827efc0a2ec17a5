"""Where a path really leads, and what holds there."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from assent.tools.files.sandbox._obeyed import Obeyed
from assent.tools.files.sandbox._place import Place, tidied
from assent.tools.files.sandbox._rules import Home, Operation, Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a place really is, and the rules that hold there."""

    place: Place
    real: str
    """The path relative to the root with every link followed."""
    root: str
    """Where the root is now."""
    rules: Rules
    everywhere: tuple[str, ...]
    """Every root of the sandbox."""
    obeyed: Obeyed

    @property
    def home(self) -> Home:
        """The root whose rules are the nearest."""
        return self.rules.homes[-1]

    @property
    def shown(self) -> str:
        """How it is said to people: as it was written, and where that leads if it leads elsewhere."""
        return self.path if self.real == self.place.tidy else f"{self.place.shown} → {self.path}"

    @property
    def path(self) -> str:
        """The path in the same dialect, with every link followed."""
        shown, tidy = self.place.shown, self.place.tidy
        before = f"{shown}/" if tidy == "." else shown.removesuffix(tidy)
        return tidied(f"{before}{self.real}") or "."

    @property
    def absolute(self) -> str:
        """The real path from the top."""
        return posixpath.normpath(posixpath.join(self.root, self.real))

    def who_asks(self, operation: Operation) -> Home | Obeyed | None:
        """What makes it ask; none if nobody need be asked."""
        named = posixpath.join(self.root, self.place.plain)
        is_obeyed = operation != "read" and self.obeyed.has(self.absolute, named)
        return self.obeyed if is_obeyed else self.rules.who_asks(operation)
