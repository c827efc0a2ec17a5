"""What an option or operand of a tool does beyond the tool's usual work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["run", "write", "code", "sets", "unknown"]
"""It runs a program, writes a file, is code of its own, sets a variable, or only the shell knows what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """Something in a command that a rule for the bare tool does not cover."""

    kind: Kind
    key: str
    """The option, in its full spelling; a rule that has it too covers it."""
    at: int
    """Which word it is."""
    script: str = ""
    """The command it names, if it is written there."""

    def __str__(self) -> str:
        match self.kind:
            case "run":
                return f"{self.key} runs programs"
            case "write":
                return f"{self.key} writes or deletes files"
            case "code":
                return f"{self.key} runs code of its own"
            case "sets":
                return f"{self.key} may set a variable that programs obey"
            case "unknown":
                return "the shell decides whether this word is an option"
