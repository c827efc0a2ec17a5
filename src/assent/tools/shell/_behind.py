"""What stands behind a command that starts other commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from assent.tools.shell._word import Word

LONGEST_RULE: Final = 100


@dataclass(slots=True, kw_only=True)
class Behind:
    """The commands and scripts a wrapper starts; filled while its words are read."""

    commands: list[list[Word]] = field(default_factory=list[list[Word]])
    """Commands it certainly starts."""
    begins: int | None = None
    """Which of its words the first of them begins with."""
    maybe: list[list[Word]] = field(default_factory=list[list[Word]])
    """Words that may be a command; looked at for denying only."""
    scripts: list[Word] = field(default_factory=list[Word])
    """Words whose value is shell text it runs."""
    texts: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    """Shell text that is put together from words; looked at for denying only."""
    doubts: list[str] = field(default_factory=list[str])
    clear: bool = False
    """Whether it adds nothing: allowed as soon as what it starts is."""
    keeps_environment: bool = True
    """Whether what it starts sees the environment we prepared."""

    def give_up(self, why: str, rest: list[Word]) -> None:
        """Ask, and look at every later word as if it were a command."""
        self.doubts.append(why)
        self.clear = False
        # Every later word begins a candidate of its own, so none of them has to be longer than any rule.
        self.maybe += [rest[index : index + LONGEST_RULE] for index in range(len(rest))]
