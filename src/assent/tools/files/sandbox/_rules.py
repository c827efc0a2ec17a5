"""The rules of a place: those of the root it lies in, or the strictest of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from assent.config import SandboxPath
from assent.errors import PathNotWritableError, SuffixNotAllowed
from assent.model import Allow, ApprovalRequest
from assent.tools.files.disk._root import Root

Operation = Literal["read", "write", "edit", "delete"]
Answer = Allow | ApprovalRequest
"""What the rules say where they do not deny."""

DOING: Final[Mapping[Operation, str]] = {
    "read": "reading",
    "write": "writing",
    "edit": "editing",
    "delete": "deleting",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Home:
    """A root, the name a model knows it by, and its rules."""

    name: str
    root: Root
    rule: SandboxPath

    def asks(self, operation: Operation) -> bool:
        """Whether a person must agree to it here."""
        match operation:
            case "read":
                return self.rule.read_approval
            case "write":
                return self.rule.write_approval
            case "edit":
                # Whether a text is in a file, and where, is something read from it.
                return self.rule.edits_ask or self.rule.read_approval
            case "delete":
                return self.rule.delete_approval

    def allows(self, operation: Operation) -> Allow:
        """The verdict where nobody need be asked."""
        return _allow(operation, self.name)

    def __str__(self) -> str:
        """How errors name it."""
        return f"{self.name or 'the workspace'} ({self.rule.mode})"


@cache
def _allow(operation: Operation, name: str) -> Allow:
    return Allow(reason=f"{name or 'the workspace'}: {operation}_approval is off")


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds where a path is named and where it really leads; the strictest of each."""

    homes: tuple[Home, ...]

    @property
    def most_bytes(self) -> int:
        """The largest file that may be read or written."""
        return min(home.rule.max_file_bytes for home in self.homes)

    def who_asks(self, operation: Operation) -> Home | None:
        """The root that makes it ask; none if nobody need be asked."""
        return next((home for home in self.homes if home.asks(operation)), None)

    def check_writable(self, shown: str, everywhere: Iterable[Home]) -> None:
        """Refuse what is read-only.

        Raises:
            PathNotWritableError: it is.
        """
        closed = next((home for home in self.homes if home.rule.mode != "rw"), None)
        if closed is not None:
            writable = ", ".join(str(home) for home in everywhere if home.rule.mode == "rw")
            raise PathNotWritableError(
                f"{shown} lies in {closed}, which is read-only; writable: {writable or 'nothing'}"
            )

    def check_suffix(self, shown: str, *names: str) -> None:
        """Refuse a kind of file that a root does not hold; every name of it counts.

        Raises:
            SuffixNotAllowed: it does not.
        """
        for home in self.homes:
            allowed = home.rule.suffixes
            if allowed is not None and not all(name.endswith(allowed) for name in names):
                only = ", ".join(allowed) or "none"
                raise SuffixNotAllowed(f"{shown}: in {home} only files that end in {only} may be touched")
