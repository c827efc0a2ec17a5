"""A simple command: its words, what is set before it, and where its input and output go."""

from __future__ import annotations

from dataclasses import dataclass, field

from assent.tools.shell._word import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """Where a descriptor of a command leads."""

    operator: str
    target: Word


@dataclass(slots=True, kw_only=True)
class Simple:
    """One command as the shell would start it; filled while it is read, then left alone."""

    start: int
    end: int
    words: list[Word] = field(default_factory=list[Word])
    assignments: list[Word] = field(default_factory=list[Word])
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    inputs: list[str] = field(default_factory=list[str])
    """Texts that are its standard input: here-documents and here-strings."""
    source: Simple | None = None
    """The command whose output it reads."""
    is_test: bool = False
    """Whether it is a conditional, `[[ ... ]]`, which starts no program."""

    @property
    def name(self) -> str | None:
        """The value of its first word."""
        return self.words[0].value if self.words else None
